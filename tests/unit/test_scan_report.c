// Scans as text, CSV, pictures and on terminals: numbers come through, failures are gaps, nothing is wider than the page.
#include "report/scan_report.h"

#include "draw/figure_cairo.h"
#include "draw/figure_svg.h"
#include "made_problem.h"
#include "pictures.h"
#include "report/scan_figure.h"
#include "report/scan_picture.h"
#include "report/scan_screen.h"

static const char DECAY[] = "model Decay\n"
                            "  parameter Real k(unit = \"1/s\") = 1; parameter Real c = 0.1;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "equation\n"
                            "  der(x) = -k*x + c + (if k > 4 then 1e4*x^2 else 0);\n"
                            "end Decay;\n";

static int begin(void **state) {
  static Made m;
  made_open(&m);
  made_file(&m, "decay.mo", DECAY);
  made_waves(&m, "a.csv", 0.3, 60);
  made_load(&m, "model: decay.mo\nexperiments: {data: a.csv, measure: {x: x}}\n"
                "estimate: {k: {start: 1.3, min: 0.5, max: 6}, c: 0.2}\n");
  *state = &m;
  return 0;
}

static int end(void **state) {
  made_close(*state);
  return 0;
}

static ObjectiveScan *scan_of(const Problem *p, int across, int up, int lambdas,
                              bool log_objective) {
  ScanAxis axes[] = {{.name = "k", .from = 0.2, .to = 5, .count = across, .log = true},
                     {.name = "c", .from = -1, .to = 1, .count = up}};
  const double lambda[] = {0, 1, 0.5};
  Err err = {0};
  ObjectiveScan *s = scan_run(
      p, &(ScanRequest){axes, up ? 2 : 1, lambda, lambdas, NULL, log_objective}, NULL, NULL, &err);
  if (!s) fail_msg("%s", err.text);
  return s;
}

static void csv_has_every_number(void **state) {
  ObjectiveScan *s = scan_of(((Made *)*state)->problem, 7, 3, 2, false);
  Text t;
  text_init(&t);
  scan_csv(&t, s);
  char *at = strchr(t.at, '\n') + 1;
  assert_memory_equal(t.at, "k,c,lambda,objective\n", 21);
  for (int i = 0; i < 42; i++, at += strlen(at) + 1) {
    double k, c, lambda, V = nan("");
    *strchr(at, '\n') = 0; // an empty cell ends the row
    int got = sscanf(at, "%lf,%lf,%lf,%lf", &k, &c, &lambda, &V);
    assert_true(got >= 3);
    assert_close(k, scan_value(&s->axes[0], i % 7), 0);
    assert_close(c, scan_value(&s->axes[1], i / 7 % 3), 0);
    assert_close(lambda, s->lambda[i / 21], 0);
    assert_true(isnan(s->objective[i]) ? got == 3 : V == s->objective[i]);
  }
  assert_true(*at == 0 && s->failed > 0);
  text_done(&t);
  scan_free(s);
}

static bool has_gap(const Figure *f) {
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].kind == SHAPE_BOX && f->shapes.at[i].fill == INK_WHITE &&
        f->shapes.at[i].frame.width < 300)
      return true;
  return false;
}

// All kinds of pictures: curves, curves by the second number, maps; one point, few points, failures everywhere.
static void pictures_are_drawn(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  static const int SIZES[][3] = {{1, 0, 1},   {2, 0, 1},  {50, 0, 3},  {20, 4, 1}, {20, 4, 2},
                                 {20, 20, 1}, {1, 20, 1}, {450, 9, 1}, {9, 9, 3}};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
    ObjectiveScan *s = scan_of(p, SIZES[i][0], SIZES[i][1], SIZES[i][2], i % 2);
    Arena *a = arena_new();
    Figure *f = scan_figure(a, s);
    Text t;
    text_init(&t);
    assert_non_null(f);
    figure_svg(f, &t);
    assert_non_null(strstr(t.at, "</svg>"));
    assert_null(strstr(t.at, "nan"));
    text_clear(&t);
    assert_true(figure_png(f, 1, &t, NULL));
    if (i == 5) assert_true(has_gap(f));
    assert_numbers_are_sound(f);
    assert_int_equal(f->plots.count, scan_is_curves(s) ? scan_panel_count(s) : 0);
    text_done(&t);
    arena_free(a);
    scan_free(s);
  }
}

static void terminals_are_not_too_narrow(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  static const int SIZES[][3] = {{1, 0, 1},   {50, 0, 3},    {20, 4, 2},
                                 {20, 20, 1}, {300, 200, 1}, {9, 9, 2}};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
    for (int colour = 0; colour < 2; colour++) {
      ObjectiveScan *s = scan_of(p, SIZES[i][0], SIZES[i][1], SIZES[i][2], false);
      Text t;
      text_init(&t);
      scan_screen(&t, s, 20, (PageStyle){80, colour});
      scan_text(&t, s, (PageStyle){80, colour});
      for (char *line = t.at, *stop; (stop = strchr(line, '\n')); line = stop + 1) {
        *stop = 0;
        if (page_width_of(line) > 80) fail_msg("too wide: %s", line);
      }
      assert_true(t.length > 100);
      text_done(&t);
      scan_free(s);
    }
}

static void bands_rise_with_the_objective(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  for (int is_log = 0; is_log < 2; is_log++) {
    ObjectiveScan *s = scan_of(p, 30, 10, 1, is_log);
    ScanScale scale = scan_scale(s, 0);
    assert_int_equal(scan_band(&scale, nan("")), SCAN_GAP);
    assert_int_equal(scan_band(&scale, s->objective[s->best[0]]), 0);
    assert_int_equal(scan_band(&scale, scale.axis.most), SCAN_BANDS - 1);
    int last = 0;
    for (double v = scale.axis.least; v < scale.axis.most; v *= 1.01) {
      int band = scan_band(&scale, v);
      assert_true(band >= last && band < SCAN_BANDS);
      last = band;
    }
    scan_free(s);
  }
}

static void the_report_names_what_is_odd(void **state) {
  ObjectiveScan *s = scan_of(((Made *)*state)->problem, 30, 0, 1, false);
  Text t;
  text_init(&t);
  scan_text(&t, s, (PageStyle){80, false});
  assert_non_null(strstr(t.at, "leaves its bounds"));
  assert_non_null(strstr(t.at, "could not be simulated"));
  assert_non_null(strstr(t.at, "Held: c = 0.2"));
  text_done(&t);
  scan_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(csv_has_every_number, begin, end),
      cmocka_unit_test_setup_teardown(pictures_are_drawn, begin, end),
      cmocka_unit_test_setup_teardown(terminals_are_not_too_narrow, begin, end),
      cmocka_unit_test_setup_teardown(bands_rise_with_the_objective, begin, end),
      cmocka_unit_test_setup_teardown(the_report_names_what_is_odd, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
