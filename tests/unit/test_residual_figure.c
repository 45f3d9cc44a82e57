// Pictures of residuals: laws of what is drawn, and residuals of all kinds.
#include "report/residual_figure.h"

#include <stdlib.h>
#include <time.h>

#include "draw/figure_axes.h"
#include "num/random.h"
#include "num/residual_shape.h"
#include "num/residual_tests.h"
#include "pictures.h"

enum { CHANNELS_MOST = 6 };

typedef struct MadeResiduals {
  Arena *arena;
  Channel channels[CHANNELS_MOST];
  Experiment experiment;
  Problem problem;
  double *r[CHANNELS_MOST], **by_channel;
  int count[CHANNELS_MOST], *counts;
  SampleResiduals residuals;
  double sigma[CHANNELS_MOST];
  ResidualView view;
} MadeResiduals;

static MadeResiduals *made(int channels, int n) {
  Arena *a = arena_new();
  MadeResiduals *m = ARENA_NEW(a, MadeResiduals);
  m->arena = a;
  Random random;
  random_seed(&random, 3);
  for (int k = 0; k < channels; k++) {
    double *t = ARENA_ARRAY(a, double, n + 1), *y = ARENA_ARRAY(a, double, n + 1);
    m->r[k] = ARENA_ARRAY(a, double, n + 1);
    for (int i = 0; i < n; i++) {
      t[i] = 0.1 * i, y[i] = sin(t[i]);
      m->r[k][i] = 0.02 * random_normal(&random) + (i ? 0.5 * m->r[k][i - 1] : 0);
    }
    m->channels[k] = (Channel){.name = arena_print(a, "channel %d", k),
                               .unit = "m",
                               .weight = 1,
                               .count = n,
                               .t = t,
                               .y = y};
    m->count[k] = n;
    m->sigma[k] = 1;
  }
  m->experiment = (Experiment){.name = "swing", .channels = m->channels, .channel_count = channels};
  m->problem = (Problem){.path = "p.yaml", .experiments = &m->experiment, .experiment_count = 1};
  m->by_channel = m->r, m->counts = m->count;
  m->residuals = (SampleResiduals){.residual = &m->by_channel, .count = &m->counts};
  m->view = (ResidualView){&m->problem, &m->residuals, m->sigma};
  return m;
}

static const Figure *draw(MadeResiduals *m) {
  const Figure *f = residual_figure(m->arena, &m->view, 0, 0);
  if (f) assert_picture_is_sound(f), assert_numbers_are_sound(f);
  return f;
}

static bool is_bar(const Shape *s) {
  return s->kind == SHAPE_BOX && s->fill == ink_mix(ink_series(2), INK_WHITE, 0.35);
}

// The heights of the bars are in the ratio of their numbers: together they stand for all residuals.
static void bars_stand_for_all_residuals(void **state) {
  (void)state;
  static const int COUNTS[] = {1, 2, 7, 300, 20000};
  for (int k = 0; k < 5; k++) {
    MadeResiduals *m = made(1, COUNTS[k]);
    const Figure *f = draw(m);
    ResidualShape shape = residual_shape(m->arena, m->r[0], COUNTS[k]);
    Histogram h = residual_histogram(m->arena, &shape);
    double sum = 0, highest = 0;
    int most = 0;
    for (int i = 0; i < f->shapes.count; i++)
      if (is_bar(&f->shapes.at[i])) {
        sum += f->shapes.at[i].frame.height;
        highest = fmax(highest, f->shapes.at[i].frame.height);
      }
    for (int i = 0; i < h.bars; i++) most = h.count[i] > most ? h.count[i] : most;
    assert_close(sum / highest * most, COUNTS[k], 1e-6 * COUNTS[k]);
    arena_free(m->arena);
  }
}

static void numbers_of_the_lags_are_the_correlations(void **state) {
  (void)state;
  MadeResiduals *m = made(2, 150);
  const Figure *f = draw(m);
  assert_int_equal(f->plots.count, 2);
  for (int k = 0; k < 2; k++) {
    const FigureSeries *s = numbers_of(&f->plots.at[k], "autocorrelation");
    const FigureSeries *band = numbers_of(&f->plots.at[k], "95 % of white noise");
    assert_int_equal(s->count, 150 / 4);
    for (int i = 0; i < s->count; i++) {
      assert_true(s->x[i] == i + 1);
      assert_close(s->y[i], autocorrelation(m->r[k], 150, i + 1), 1e-13);
    }
    assert_close(band->y[0], 1.959964 / sqrt(150), 1e-6);
  }
  arena_free(m->arena);
}

// In the third panel, at the lower left.
static void quantiles_rise_in_the_picture(void **state) {
  (void)state;
  static const int COUNTS[] = {9, 5000};
  for (int k = 0; k < 2; k++) {
    MadeResiduals *m = made(1, COUNTS[k]);
    const Figure *f = draw(m);
    Spot last = {-HUGE_VAL, HUGE_VAL};
    int dots = 0;
    for (int i = 0; i < f->shapes.count; i++) {
      const Shape *s = &f->shapes.at[i];
      if (s->kind != SHAPE_CIRCLE || s->spots[0].x > f->width / 2 ||
          s->spots[0].y > f->height - 40) // the legend
        continue;
      assert_true(s->spots[0].x > last.x && s->spots[0].y <= last.y);
      last = s->spots[0];
      dots++;
    }
    assert_true(COUNTS[k] == 9 ? dots == 9 : dots > 200 && dots <= 300);
    arena_free(m->arena);
  }
}

static void residuals_of_all_kinds_are_drawn(void **state) {
  (void)state;
  const double odd[] = {0, 0.3, -1e300, 1e300, 1e-320, nan(""), HUGE_VAL};
  static const int COUNTS[] = {1, 2, 3, 4, 8, 100};
  for (int k = 0; k < 7; k++)
    for (int c = 0; c < 6; c++) {
      MadeResiduals *m = made(1, COUNTS[c]);
      for (int i = 0; i < COUNTS[c]; i++) m->r[0][i] = odd[k];
      for (int different = 0; different < 2 && different < COUNTS[c]; different++) {
        if (different) m->r[0][1] = 0.5;
        const Figure *f = residual_figure(m->arena, &m->view, 0, 0);
        assert_true((f == NULL) == (!isfinite(odd[k]) && !different));
        if (f) assert_shapes_have_places(f), assert_numbers_are_sound(f);
        if (f && fabs(odd[k]) != 1e300) assert_letters_stand_well(f); // no room for such numbers
      }
      arena_free(m->arena);
    }
  MadeResiduals *m = made(1, 20);
  for (int i = 0; i < 20; i++) m->r[0][i] = 0;
  assert_non_null(letters_beginning_with(draw(m), "all residuals are 0"));
  m->count[0] = 3;
  assert_non_null(letters_beginning_with(draw(m), "too few residuals"));
  m->count[0] = 0;
  assert_null(draw(m));
  arena_free(m->arena);
}

static void known_sigma_makes_residuals_comparable(void **state) {
  (void)state;
  MadeResiduals *m = made(3, 50);
  m->channels[0].sigma_kind = SIGMA_NUMBER, m->channels[0].sigma = 0.02;
  m->channels[1].sigma_kind = SIGMA_ESTIMATED, m->sigma[1] = 0.04;
  const Figure *f = draw(m);
  assert_non_null(letters_beginning_with(f, "residual / sigma"));
  assert_non_null(letters_beginning_with(f, "residual [m]"));
  assert_non_null(letters_beginning_with(f, "normal law with the given sigma"));
  char expected[80];
  double scale[3] = {0.02, 0.04, 1};
  for (int k = 0; k < 3; k++) {
    ResidualShape s = residual_shape(m->arena, m->r[k], 50);
    snprintf(expected, sizeof expected, "channel %d: 50 residuals, mean ", k);
    const Shape *heading = letters_beginning_with(f, expected);
    assert_non_null(heading);
    double mean = atof(heading->text + strlen(expected));
    assert_close(mean, s.mean / scale[k], 0.01 * fabs(s.mean / scale[k]));
  }
  m->channels[0].sigma_kind = SIGMA_UNKNOWN;
  m->sigma[1] = nan(""); // of a point that was not fitted
  assert_null(letters_beginning_with(draw(m), "residual / sigma"));
  arena_free(m->arena);
}

static void samples_without_weight_are_left_out(void **state) {
  (void)state;
  MadeResiduals *m = made(1, 40);
  double weight[40];
  for (int i = 0; i < 40; i++) weight[i] = i % 4 != 0;
  for (int i = 0; i < 40; i += 4) m->r[0][i] = 1e6;
  m->channels[0].sample_weight = weight;
  assert_non_null(letters_beginning_with(draw(m), "channel 0: 30 residuals"));
  assert_null(letters_beginning_with(draw(m), "1e6"));
  arena_free(m->arena);
}

static void labels_tell_how_lags_are_counted(void **state) {
  (void)state;
  MadeResiduals *m = made(1, 60);
  double t[60];
  assert_non_null(letters_beginning_with(draw(m), "lag [samples]"));
  for (int i = 0; i < 60; i++) t[i] = i * i;
  m->channels[0].t = t;
  assert_non_null(letters_beginning_with(draw(m), "lag [samples, unequal in time]"));
  m->experiment.without_times = true;
  assert_non_null(letters_beginning_with(draw(m), "lag [rows, as they stand]"));
  arena_free(m->arena);
}

static void names_stay_text(void **state) {
  (void)state;
  MadeResiduals *m = made(2, 60);
  m->channels[0].name = "<script>alert('x')</script> & \"y\" %s%n";
  m->channels[1].name =
      "a_name.as[12].long_as.some.that_tools[3].write.into.their_files.and_no_page_has_room_for";
  m->channels[1].unit = "<b>";
  m->problem.path = "<script>.yaml";
  const Figure *f = draw(m);
  assert_non_null(letters_beginning_with(f, "<script>alert('x')</script> & \"y\" %s%n: 60"));
  assert_svg_has_no_element(f, "<script");
  assert_svg_has_no_element(f, "<b>");
  arena_free(m->arena);
}

static void channels_come_four_at_a_time(void **state) {
  (void)state;
  MadeResiduals *m = made(6, 30);
  const Figure *first = draw(m), *second = residual_figure(m->arena, &m->view, 0, 4);
  assert_picture_is_sound(second);
  assert_non_null(letters_beginning_with(first, "channel 3"));
  assert_null(letters_beginning_with(first, "channel 4"));
  assert_non_null(letters_beginning_with(second, "channel 4"));
  assert_int_equal(first->plots.count, 4);
  assert_int_equal(second->plots.count, 2);
  m->count[1] = 0; // without samples
  assert_int_equal(draw(m)->plots.count, 3);
  arena_free(m->arena);
}

// A file stays small, and the extremes are in it.
static void a_million_samples_are_thinned_for_drawing_only(void **state) {
  (void)state;
  int n = 1000000;
  MadeResiduals *m = made(1, n);
  m->r[0][n / 2] = 7;
  clock_t begin = clock();
  const Figure *f = residual_figure(m->arena, &m->view, 0, 0);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  print_message("a million samples: %.3f s, %d shapes\n", seconds, f->shapes.count);
  assert_true(seconds < 3); // with sanitizers
  assert_true(f->shapes.count < 2500);
  assert_close(numbers_of(&f->plots.at[0], "autocorrelation")->y[0], autocorrelation(m->r[0], n, 1),
               1e-10);
  double top = HUGE_VAL; // of the last panel
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].kind == SHAPE_CIRCLE && f->shapes.at[i].spots[0].x > f->width / 2 + 60)
      top = fmin(top, f->shapes.at[i].spots[0].y);
  double others = 0;
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].kind == SHAPE_CIRCLE && f->shapes.at[i].spots[0].x > f->width / 2 + 60)
      others += f->shapes.at[i].spots[0].y < top + 100;
  assert_true(others == 1);
  arena_free(m->arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bars_stand_for_all_residuals),
      cmocka_unit_test(numbers_of_the_lags_are_the_correlations),
      cmocka_unit_test(quantiles_rise_in_the_picture),
      cmocka_unit_test(residuals_of_all_kinds_are_drawn),
      cmocka_unit_test(known_sigma_makes_residuals_comparable),
      cmocka_unit_test(samples_without_weight_are_left_out),
      cmocka_unit_test(labels_tell_how_lags_are_counted),
      cmocka_unit_test(names_stay_text),
      cmocka_unit_test(channels_come_four_at_a_time),
      cmocka_unit_test(a_million_samples_are_thinned_for_drawing_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
