// The picture of the estimates: places along the bars, what is marked, and any number of parameters.
#include "report/intervals_figure.h"

#include "draw/figure_axes.h"
#include "pictures.h"

enum { UNKNOWNS_MOST = 120 };
static const Ink BAR = 0xDCDCDC;

typedef struct MadeEstimates {
  Arena *arena;
  Unknown unknowns[UNKNOWNS_MOST];
  double x[UNKNOWNS_MOST], start[UNKNOWNS_MOST];
  Problem problem;
  FitResult result;
  Statistics *statistics;
  FitReport report;
} MadeEstimates;

// x = 2 in [0, 10] with the interval 1 to 4, began at 5.
static MadeEstimates *made(int n) {
  Arena *a = arena_new();
  MadeEstimates *m = ARENA_NEW(a, MadeEstimates);
  m->arena = a;
  m->problem = (Problem){.path = "p.yaml", .unknowns = m->unknowns, .unknown_count = n};
  m->statistics = statistics_new(n, 0);
  for (int k = 0; k < n; k++) {
    m->unknowns[k] =
        (Unknown){.name = arena_print(a, "p%d", k), .unit = "N", .max = 10, .start = 5};
    m->x[k] = 2, m->start[k] = 5;
    StatParameter *q = &m->statistics->parameters[k];
    q->std_error = 0.7, q->ci_low = 1, q->ci_high = 4, q->identifiable = true;
    q->interval = INTERVAL_LINEAR;
  }
  m->result = (FitResult){.problem = &m->problem, .x = m->x, .start = m->start};
  m->report =
      (FitReport){.problem = &m->problem, .result = &m->result, .statistics = m->statistics};
  return m;
}

static void done(MadeEstimates *m) {
  statistics_free(m->statistics);
  arena_free(m->arena);
}

static const Figure *draw(MadeEstimates *m) {
  const Figure *f = intervals_figure(m->arena, &m->report, 0);
  assert_picture_is_sound(f);
  return f;
}

static Frame bar_of(const Figure *f, int row) {
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].kind == SHAPE_BOX && f->shapes.at[i].fill == BAR && row-- == 0)
      return f->shapes.at[i].frame;
  fail_msg("there is no bar");
  return (Frame){0};
}

// Position along the bar, from 0 to 1, of the mark of the estimate; the diamonds of the legend come later.
static double place_of(const Figure *f, int row) {
  Frame bar = bar_of(f, row);
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind != SHAPE_PATH || s->spot_count != 4 || !s->closed) continue;
    double x = (s->spots[0].x + s->spots[2].x) / 2, y = (s->spots[1].y + s->spots[3].y) / 2;
    if (fabs(y - bar.y - bar.height / 2) < 1) return (x - bar.x) / bar.width;
  }
  fail_msg("there is no mark");
  return nan("");
}

static const Shape *interval_box(const Figure *f, int row) {
  Frame bar = bar_of(f, row);
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind == SHAPE_BOX && s->frame.height > bar.height && s->fill != INK_NONE &&
        fabs(s->frame.y + s->frame.height / 2 - bar.y - bar.height / 2) < 1)
      return s;
  }
  return NULL;
}

static void places_are_those_between_the_bounds(void **state) {
  (void)state;
  MadeEstimates *m = made(3);
  m->unknowns[1] = (Unknown){.name = "log", .unit = "", .min = 1e-3, .max = 1e3, .log = true};
  m->unknowns[2] = (Unknown){.name = "wide", .unit = "", .min = 1, .max = 1e4}; // spans decades
  m->x[1] = 0.1, m->x[2] = 10;
  const Figure *f = draw(m);
  assert_close(place_of(f, 0), 0.2, 1e-9);
  assert_close(place_of(f, 1), 1 / 3.0, 1e-9);
  assert_close(place_of(f, 2), 1 / 4.0, 1e-9);
  const Shape *box = interval_box(f, 0);
  Frame bar = bar_of(f, 0);
  assert_close((box->frame.x - bar.x) / bar.width, 0.1, 1e-9);
  assert_close((box->frame.x + box->frame.width - bar.x) / bar.width, 0.4, 1e-9);
  assert_non_null(letters_beginning_with(f, "p0 [N]"));
  assert_non_null(letters_beginning_with(f, "1.0 .. 4.0"));
  assert_non_null(letters_beginning_with(f, "Bars with gaps"));
  done(m);
}

static void a_parameter_at_its_bound_is_at_the_end_of_its_bar(void **state) {
  (void)state;
  for (int known = 0; known < 2; known++) {
    MadeEstimates *m = made(3);
    m->x[0] = 0, m->x[1] = 10;
    for (int k = 0; k < 2; k++) {
      m->statistics->parameters[k].at_bound = true;
      m->statistics->parameters[k].lower_bound = k == 0;
    }
    if (!known) m->report.statistics = NULL;
    const Figure *f = draw(m);
    assert_close(place_of(f, 0), 0, 1e-9);
    assert_close(place_of(f, 1), 1, 1e-9);
    assert_non_null(letters_beginning_with(f, "at its lower bound"));
    assert_non_null(letters_beginning_with(f, "at its upper bound"));
    assert_non_null(letters_beginning_with(f, "at a bound"));
    assert_int_equal(interval_box(f, 2) != NULL, known);
    done(m);
  }
}

static void what_is_not_determined_is_marked(void **state) {
  (void)state;
  MadeEstimates *m = made(2);
  StatParameter *q = &m->statistics->parameters[1];
  assert_null(letters_beginning_with(draw(m), "not determined"));
  q->identifiable = false, q->ci_low = q->ci_high = q->std_error = nan("");
  const Figure *f = draw(m);
  assert_non_null(letters_beginning_with(f, "not determined"));
  assert_null(interval_box(f, 1));
  m->statistics->missing[m->statistics->missing_count++] = "identifiability"; // nobody looked
  assert_null(letters_beginning_with(draw(m), "not determined"));
  done(m);
}

// Ends that nothing limits are at the ends of the bar; a bar without bounds is long enough for what is known.
static void without_limits_there_are_bars_too(void **state) {
  (void)state;
  MadeEstimates *m = made(4);
  m->statistics->parameters[0].ci_high = HUGE_VAL;
  m->unknowns[1].min = -HUGE_VAL, m->unknowns[1].max = HUGE_VAL;
  m->unknowns[2].max = HUGE_VAL;
  m->unknowns[3].min = m->unknowns[3].max = m->x[3] = m->start[3] = 2;
  const Figure *f = draw(m);
  Frame bar = bar_of(f, 0);
  const Shape *box = interval_box(f, 0);
  assert_close(box->frame.x + box->frame.width, bar.x + bar.width, 1e-9);
  assert_non_null(letters_beginning_with(f, "1 .. ∞"));
  for (int k = 1; k < 3; k++) {
    assert_true(place_of(f, k) > 0 && place_of(f, k) < 1);
    assert_true(interval_box(f, k)->frame.x >= bar.x);
    assert_true(interval_box(f, k)->frame.x + interval_box(f, k)->frame.width <= bar.x + bar.width);
  }
  assert_non_null(letters_beginning_with(f, "-∞"));
  done(m);
}

static void any_number_of_parameters_stays_readable(void **state) {
  (void)state;
  static const int COUNTS[] = {1, 2, 40, 41, 100, 120};
  for (int c = 0; c < 6; c++) {
    MadeEstimates *m = made(COUNTS[c]);
    int parts = intervals_figure_count(&m->problem), seen = 0;
    assert_int_equal(parts, (COUNTS[c] + 39) / 40);
    for (int i = 0; i < parts; i++) {
      const Figure *f = intervals_figure(m->arena, &m->report, i);
      assert_picture_is_sound(f);
      assert_true(f->height < 1400);
      char name[20];
      for (;; seen++) {
        snprintf(name, sizeof name, "p%d [N]", seen);
        if (!letters_beginning_with(f, name)) break;
      }
    }
    assert_int_equal(seen, COUNTS[c]);
    assert_null(intervals_figure(m->arena, &m->report, parts));
    done(m);
  }
  MadeEstimates *m = made(1);
  m->problem.unknown_count = 0;
  assert_null(intervals_figure(m->arena, &m->report, 0));
  done(m);
}

static void names_stay_text_and_have_room(void **state) {
  (void)state;
  MadeEstimates *m = made(2);
  m->unknowns[0].name = "<script>alert(1)</script>", m->unknowns[0].unit = "<b>&\"";
  m->unknowns[1].name =
      "vehicle.axle[2].wheel[1].tyre.coefficient.of.friction[left rear of the second lap]";
  m->x[1] = 1.23456789012345e-201;
  m->problem.path = "<script>.yaml";
  const Figure *f = draw(m);
  assert_non_null(letters_beginning_with(f, "<script>"));
  assert_svg_has_no_element(f, "<script");
  assert_svg_has_no_element(f, "<b>");
  done(m);
}

static void odd_values_do_no_harm(void **state) {
  (void)state;
  const double odd[] = {nan(""), HUGE_VAL, -HUGE_VAL, -5, 15, 1e300, 0};
  for (int i = 0; i < 7; i++)
    for (int log = 0; log < 2; log++) {
      MadeEstimates *m = made(1);
      m->x[0] = odd[i], m->start[0] = odd[6 - i];
      if (log) m->unknowns[0].log = true, m->unknowns[0].min = 0.1;
      m->statistics->parameters[0].ci_low = odd[(i + 1) % 7];
      draw(m);
      done(m);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_are_those_between_the_bounds),
      cmocka_unit_test(a_parameter_at_its_bound_is_at_the_end_of_its_bar),
      cmocka_unit_test(what_is_not_determined_is_marked),
      cmocka_unit_test(without_limits_there_are_bars_too),
      cmocka_unit_test(any_number_of_parameters_stays_readable),
      cmocka_unit_test(names_stay_text_and_have_room),
      cmocka_unit_test(odd_values_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
