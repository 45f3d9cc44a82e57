// Reports and pictures of profiles.
#include "report/profile_report.h"

#include <stdlib.h>
#include <string.h>

#include "draw/figure_cairo.h"
#include "draw/figure_svg.h"
#include "known_truth.h"
#include "pictures.h"
#include "report/profile_curve.h"
#include "report/profile_figure.h"
#include "study/profile_run.h"

static const char PRODUCT[] = "model Product\n"
                              "  parameter Real a(unit = \"1/s\") = 2;\n"
                              "  parameter Real b = 3;\n  parameter Real c = 1;\n"
                              "  Real x(start = 1, fixed = true);\n"
                              "equation\n  der(x) = c - a*b*x;\nend Product;\n";

typedef struct Made {
  Known known;
  Profile *profile;
} Made;

static int make(void **state) {
  static Made m;
  Err err = {0};
  m.known = (Known){.text = PRODUCT,
                    .measured = {"x"},
                    .stop = 2,
                    .step = 0.02,
                    .estimate = "a: {start: 1.5, min: 0.5, max: 8}, b: {start: 2, min: 0}, c: ",
                    .truth = {2, 3, 1},
                    .options = "method: trust-region",
                    .noise = 0.02,
                    .noise_kind = NOISE_ADDITIVE};
  known_open(&m.known);
  ProfileRequest request = {NULL, 0, 0.9, 100};
  m.profile = profile_run(m.known.problem, &request, NULL, NULL, &err);
  assert_non_null(m.profile);
  *state = &m;
  return 0;
}

static int unmake(void **state) {
  Made *m = *state;
  profile_free(m->profile);
  known_close(&m->known);
  return 0;
}

static const Profile *profile_of(void **state) {
  return ((Made *)*state)->profile;
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
  return count;
}

static int widest_line(const char *text) {
  int most = 0;
  for (const char *line = text; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
    char one[1000];
    size_t length = strcspn(line, "\n");
    snprintf(one, sizeof one, "%.*s", (int)length, line);
    int width = page_width_of(one);
    if (width > most) most = width;
  }
  return most;
}

static void the_text_tells_each_number_and_what_is_flat(void **state) {
  const Profile *p = profile_of(state);
  Text t;
  text_init(&t);
  profile_text(&t, p, (PageStyle){80, false});
  assert_non_null(strstr(t.at, "problem.yaml: 1 of 3 determined\n"));
  assert_non_null(strstr(t.at, "\n90 % intervals\n"));
  assert_non_null(strstr(t.at, "0.5 .. 8"));
  assert_non_null(strstr(t.at, "  flat\n"));
  assert_non_null(strstr(t.at, "The data do not determine a: its profile is flat over"));
  assert_null(strstr(t.at, "The data do not determine c"));
  assert_null(strchr(t.at, '\033'));
  assert_true(widest_line(t.at) <= 80);
  text_clear(&t);
  profile_text(&t, p, (PageStyle){80, true});
  assert_non_null(strchr(t.at, '\033'));
  text_done(&t);
}

static void the_csv_has_every_point(void **state) {
  const Profile *p = profile_of(state);
  int points = 0;
  Text t;
  text_init(&t);
  for (int i = 0; i < p->count; i++) points += p->curves[i].point_count;
  profile_csv(&t, p);
  assert_memory_equal(t.at, "parameter,value,objective,ratio,a,b,c\n", 38);
  assert_int_equal(count_of(t.at, "\n"), points + 1);
  assert_int_equal(count_of(t.at, "\nc,"), p->curves[2].point_count);
  double value = strtod(strstr(t.at, "\na,") + 3, NULL);
  assert_close(value, p->curves[0].points[0].value, 0);
  text_done(&t);
}

static void the_json_holds_verdicts_and_intervals(void **state) {
  const Profile *p = profile_of(state);
  Text t;
  text_init(&t);
  profile_json(&t, p, "1.2.3");
  assert_non_null(strstr(t.at, "\"entrain\": \"1.2.3\""));
  assert_int_equal(count_of(t.at, "\"verdict\": \"structural\""), 2);
  assert_int_equal(count_of(t.at, "\"verdict\": \"determined\""), 1);
  assert_non_null(strstr(t.at, "\"moves_along\": [\"b\"]"));
  assert_non_null(strstr(t.at, "\"level\": 0.9"));
  assert_int_equal(count_of(t.at, "nan"), 0);
  assert_int_equal(count_of(t.at, "{"), count_of(t.at, "}"));
  assert_int_equal(count_of(t.at, "["), count_of(t.at, "]"));
  text_done(&t);
}

static void a_drawn_curve_passes_through_its_points(void **state) {
  const Profile *p = profile_of(state);
  Arena *a = arena_new();
  for (int i = 0; i < p->count; i++) {
    const ProfileCurve *c = &p->curves[i];
    CurveSamples s = curve_samples(a, p, c, 20001);
    double x = p->fit->x[c->number];
    assert_true(s.least < c->side[0].at && s.most > c->side[1].at);
    for (int k = 1; k + 1 < c->point_count; k++) {
      if (c->points[k].value < c->side[0].at || c->points[k].value > c->side[1].at) continue;
      int near = (int)lround((c->points[k].value - s.least) / (s.most - s.least) * (s.count - 1));
      // b is followed so far that its wall is a few samples wide
      if (i != 1) assert_close(s.ratio[near], c->points[k].ratio, 0.02 * p->threshold);
    }
    for (int k = 0; k < s.count; k++) // one standard error away the parabola is 1
      if (isfinite(c->std_error) && fabs(s.value[k] - x - c->std_error) < 1e-3 * c->std_error)
        assert_close(s.parabola[k], 1, 0.01);
  }
  arena_free(a);
}

static void every_number_has_a_plot(void **state) {
  const Profile *p = profile_of(state);
  Text t;
  text_init(&t);
  profile_plot(&t, p, (ScreenStyle){70, 12, false});
  assert_int_equal(count_of(t.at, "threshold"), 3);
  assert_int_equal(count_of(t.at, "covariance"), 1); // that of c: the others have none
  assert_true(widest_line(t.at) <= 72);
  text_done(&t);
}

static void every_number_has_a_panel(void **state) {
  const Profile *p = profile_of(state);
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  const Figure *f = profile_figure(a, p);
  assert_non_null(f);
  figure_svg(f, &t);
  assert_non_null(strstr(t.at, "<svg"));
  assert_non_null(strstr(t.at, "a: flat"));
  assert_non_null(strstr(t.at, "a [1/s]"));
  assert_non_null(strstr(t.at, "threshold"));
  text_clear(&t);
  assert_true(figure_png(f, 1, &t, NULL));
  assert_memory_equal(t.at, "\x89PNG", 4);
  text_done(&t);
  arena_free(a);
}

// Bounds of a are shown, and so its legend is there.
static void the_legend_has_what_is_drawn(void **state) {
  const Profile *p = profile_of(state);
  Arena *a = arena_new();
  const Figure *f = profile_figure(a, p);
  assert_non_null(letters_beginning_with(f, "bound"));
  assert_non_null(letters_beginning_with(f, "covariance"));
  assert_letters_stand_well(f);
  Profile one = *p;
  one.curves = &p->curves[2], one.count = 1; // c alone has none
  f = profile_figure(a, &one);
  assert_null(letters_beginning_with(f, "bound"));
  assert_non_null(letters_beginning_with(f, "covariance"));
  one.curves = &p->curves[0]; // a has no covariance
  f = profile_figure(a, &one);
  assert_null(letters_beginning_with(f, "covariance"));
  assert_letters_stand_well(f);
  arena_free(a);
}

// As numbers the curves are those of the panels: 0 at the estimate, the threshold where the interval ends.
static void curves_are_there_as_numbers(void **state) {
  const Profile *p = profile_of(state);
  Arena *a = arena_new();
  const Figure *f = profile_figure(a, p);
  assert_int_equal(f->plots.count, 3);
  assert_numbers_are_sound(f);
  const FigureSeries *s = numbers_of(&f->plots.at[2], "profile");
  double least = HUGE_VAL;
  for (int i = 0; i < s->count; i++) least = fmin(least, s->y[i]);
  assert_true(least >= 0 && least < 0.1 * p->threshold);
  assert_non_null(numbers_of(&f->plots.at[2], "covariance"));
  assert_null(numbers_of(&f->plots.at[0], "covariance")); // a has none
  arena_free(a);
}

static void long_names_are_cut_nowhere(void **state) {
  const Profile *p = profile_of(state);
  Arena *a = arena_new();
  Problem named = *p->problem;
  Unknown *unknowns = ARENA_ARRAY(a, Unknown, named.unknown_count);
  memcpy(unknowns, named.unknowns, (size_t)named.unknown_count * sizeof *unknowns);
  for (int i = 0; i < named.unknown_count; i++)
    unknowns[i].name = arena_print(a, "stiffness_of_the_primary_suspension_spring_number_%d", i);
  named.unknowns = unknowns;
  named.path = "some/folder/long_problem_name_for_the_front_left_wheel_of_the_test_vehicle/"
               "another_long_name_of_a_problem_that_nobody_can_read_any_longer.yaml";
  Profile longer = *p;
  longer.problem = &named;
  for (longer.count = 1; longer.count <= 3; longer.count++)
    assert_letters_stand_well(profile_figure(a, &longer));
  arena_free(a);
}

static void a_rough_objective_is_said_in_the_table(void **state) {
  const Profile *p = profile_of(state);
  Arena *a = arena_new();
  Profile rough = *p;
  rough.curves = ARENA_ARRAY(a, ProfileCurve, p->count);
  memcpy(rough.curves, p->curves, (size_t)p->count * sizeof *rough.curves);
  rough.rough = true;
  for (int i = 0; i < p->count; i++) {
    ProfileCurve *c = &rough.curves[i];
    c->verdict = PROFILE_IS_UNKNOWN, c->point_count = 0, c->remark = "";
    for (int side = 0; side < 2; side++)
      c->side[side] = (ProfileSide){.end = PROFILE_ROUGH, .at = nan("")};
  }
  Text t;
  text_init(&t);
  profile_text(&t, &rough, (PageStyle){80, false});
  assert_int_equal(count_of(t.at, "too rough\n"), 3);
  assert_null(strstr(t.at, "stopped"));
  assert_null(profile_figure(a, &rough));
  text_clear(&t);
  profile_json(&t, &rough, "1");
  assert_non_null(strstr(t.at, "\"rough\": true"));
  text_done(&t);
  arena_free(a);
}

static void a_fit_without_result_has_nothing_to_draw(void **state) {
  (void)state;
  Err err = {0};
  Known k = {.text = "model M\n  parameter Real p = 1;\n  Real x(start = 1, fixed = true);\n"
                     "equation\n  der(x) = sqrt(p)*x;\nend M;\n",
             .measured = {"x"},
             .stop = 1,
             .step = 0.1,
             .estimate = "p: {start: -2, min: -3, max: 3}",
             .truth = {1},
             .options = "method: trust-region"};
  known_open(&k);
  ProfileRequest request = {NULL, 0, 0.95, 100};
  Profile *p = profile_run(k.problem, &request, NULL, NULL, &err);
  assert_non_null(p);
  assert_false(profile_is_sound(p));
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  assert_null(profile_figure(a, p));
  profile_text(&t, p, (PageStyle){80, false});
  assert_non_null(strstr(t.at, "could not be simulated"));
  text_clear(&t);
  profile_json(&t, p, "1");
  assert_non_null(strstr(t.at, "\"sound\": false"));
  assert_int_equal(count_of(t.at, "nan"), 0);
  text_done(&t);
  arena_free(a);
  profile_free(p);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_text_tells_each_number_and_what_is_flat),
      cmocka_unit_test(the_csv_has_every_point),
      cmocka_unit_test(the_json_holds_verdicts_and_intervals),
      cmocka_unit_test(a_drawn_curve_passes_through_its_points),
      cmocka_unit_test(every_number_has_a_plot),
      cmocka_unit_test(every_number_has_a_panel),
      cmocka_unit_test(the_legend_has_what_is_drawn),
      cmocka_unit_test(curves_are_there_as_numbers),
      cmocka_unit_test(long_names_are_cut_nowhere),
      cmocka_unit_test(a_rough_objective_is_said_in_the_table),
      cmocka_unit_test(a_fit_without_result_has_nothing_to_draw),
  };
  return cmocka_run_group_tests(tests, make, unmake);
}
