// The text and the picture of weights (weights_figure.c).
#include "report/weights_report.h"

#include "made_problem.h"
#include "pictures.h"
#include "report/weights_figure.h"

static const char MODEL[] = "model M\n"
                            "  parameter Real p = 1;\n"
                            "  input Real u, v, w;\n"
                            "  Real x(start = 1, fixed = true), y;\n"
                            "equation\n"
                            "  der(x) = -p*x + u + v + w;\n"
                            "  y = 2*x;\n"
                            "end M;\n";

enum { ROWS = 2000 };

static Problem *open_case(Made *m, const char *more, int experiments) {
  Text data, yaml;
  text_init(&data), text_init(&yaml);
  text_add(&data, "t,x,y,u,v,w\n");
  for (int i = 0; i < ROWS; i++) {
    double t = 0.01 * i, rest = i > 200;
    text_print(&data, "%.6g,%.8g,%.8g,%.8g,%.8g,%.8g\n", t, rest ? 0.5 : sin(t), rest ? 1 : cos(t),
               rest ? 0 : t, 0.1 * cos(9 * t), 0.0);
  }
  text_add(&yaml, "model: m.mo\nestimate: {p: 1}\nexperiments:\n");
  for (int e = 0; e < experiments; e++)
    text_print(&yaml, "  - {name: run%d, data: d.csv, measure: [x, y], windows: {early: [0, 2]}}\n",
               e);
  text_add(&yaml, more);
  made_open(m);
  made_file(m, "m.mo", MODEL);
  made_file(m, "d.csv", data.at);
  made_load(m, yaml.at);
  text_done(&data), text_done(&yaml);
  return m->problem;
}

static int circles(const Figure *f) {
  int count = 0;
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind != SHAPE_CIRCLE) continue;
    assert_true(s->spots[0].x > 0 && s->spots[0].x < f->width && s->spots[0].y < f->height);
    count++;
  }
  return count;
}

static bool has_text(const Figure *f, const char *text) {
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].kind == SHAPE_LETTERS && strstr(f->shapes.at[i].text, text)) return true;
  return false;
}

// Two variables have one plane, four have six, and each experiment has its times; dots that cover one another are one.
static void pictures_show_the_space(void **state) {
  (void)state;
  static const struct {
    const char *more;
    int experiments, dots_least;
    const char *text;
  } CASES[] = {
      {"weights: {kind: grid, over: [x, y]}\n", 1, 100, "weight"},
      {"weights: {kind: ellipses, over: [x]}\n", 1, 100, "weight"},
      {"weights: distances\n", 2, 500, "time of run1"}, // w does not change
      {"weights: {kind: grid, one_per_cell: true}\n", 1, 100, "does not count"},
      {"weights: {regions: {where: time < 1, weight: 2}}\n", 1, 100, "time"},
      {"", 1, 10, "time"},
  };
  for (int k = 0; k < 6; k++) {
    Made m;
    Arena *a = arena_new();
    const Problem *p = open_case(&m, CASES[k].more, CASES[k].experiments);
    const Figure *f = weights_figure(a, p, weights_of_problem(p, a));
    assert_non_null(f);
    int dots = circles(f);
    assert_true(dots >= CASES[k].dots_least && dots < 10 * ROWS);
    assert_true(has_text(f, CASES[k].text));
    assert_numbers_are_sound(f);
    assert_int_equal(f->plots.count, CASES[k].experiments); // over time, not the planes
    arena_free(a);
    made_close(&m);
  }
}

static void nothing_to_draw_is_no_picture(void **state) {
  (void)state;
  Made m;
  Arena *a = arena_new();
  const Problem *p = open_case(&m, "", 5); // too many experiments for their times, and no space
  assert_null(weights_figure(a, p, weights_of_problem(p, a)));
  arena_free(a);
  made_close(&m);
}

// Every sample has a row, and the shares of the windows are those of the rows.
static void texts_tell_the_shares(void **state) {
  (void)state;
  Made m;
  const Problem *p = open_case(&m, "weights: {kind: grid, over: [x, y, u]}\n", 1);
  Text csv, text;
  text_init(&csv), text_init(&text);
  weights_csv(&csv, p, p->weights);
  weights_text(&text, p, p->weights, (PageStyle){80, false});
  double sum = 0, early = 0, t, w;
  int rows = 0;
  const char *line = strchr(csv.at, '\n') + 1;
  for (; *line; line = strchr(line, '\n') + 1, rows++) {
    assert_int_equal(sscanf(line, "run0,%lf,%lf", &t, &w), 2);
    sum += w, early += t <= 2 ? w : 0;
  }
  assert_int_equal(rows, ROWS);
  assert_close(sum, ROWS, 1e-8);
  char share[64];
  snprintf(share, sizeof share, "%.3g %%\n", 100 * early / sum);
  assert_non_null(strstr(text.at, "\n  early"));
  assert_non_null(strstr(text.at, share));
  text_done(&csv), text_done(&text);
  made_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_show_the_space),
      cmocka_unit_test(nothing_to_draw_is_no_picture),
      cmocka_unit_test(texts_tell_the_shares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
