// Windows of a file: each way to split gives what separate files give, whatever 'window' cuts.
#include "problem/read_split.h"

#include <math.h>

#include "made_problem.h"

enum { PIECES = 4, ROWS = 10 };
static const double PERIOD = 2, STEP = 0.1; // a piece begins every 2 s and lasts 0.9 s

static const char MODEL[] = "model M\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\n"
                            "equation\n  der(x) = -k*x;\nend M;\n";
static const char HEAD[] = "model: m.mo\nestimate: {k: {start: 1}}\n";

static double time_of(int piece, int row) {
  return PERIOD * piece + STEP * row;
}

static void write_rows(const Made *m, const char *name, double from, double to, int only) {
  char text[4000] = "t,x,w\n", row[80];
  for (int p = 0; p < PIECES; p++)
    for (int i = 0; i < ROWS; i++) {
      double t = time_of(p, i);
      if (t < from - 1e-9 || t > to + 1e-9 || (only >= 0 && p != only)) continue;
      snprintf(row, sizeof row, "%.1f,%.3f,p%d\n", t, 1 + p + 0.01 * i * i, p);
      strcat(text, row);
    }
  made_file(m, name, text);
}

// One entry for each piece of which the window leaves something, in a file of its own.
static void load_separate(Made *m, double from, double to) {
  char text[2000], entry[200], name[20];
  snprintf(text, sizeof text, "%sexperiments:\n", HEAD);
  for (int p = 0; p < PIECES; p++) {
    bool any = false;
    for (int i = 0; i < ROWS; i++) any |= time_of(p, i) > from - 1e-9 && time_of(p, i) < to + 1e-9;
    if (!any) continue;
    snprintf(name, sizeof name, "p%d.csv", p);
    write_rows(m, name, from, to, p);
    snprintf(entry, sizeof entry, "  - {data: %s, measure: [x], set: {x.start: data}}\n", name);
    strcat(text, entry);
  }
  made_load(m, text);
}

static void assert_same(const Problem *a, const Problem *b) {
  assert_int_equal(a->experiment_count, b->experiment_count);
  for (int i = 0; i < a->experiment_count; i++) {
    const Experiment *x = &a->experiments[i], *y = &b->experiments[i];
    assert_close(x->origin + x->start, y->origin + y->start, 1e-12);
    assert_close(x->origin + x->stop, y->origin + y->stop, 1e-12);
    assert_int_equal(x->data_start_count, 1);
    assert_close(x->data_starts[0].value, y->data_starts[0].value, 0);
    assert_int_equal(x->channels[0].count, y->channels[0].count);
    for (int k = 0; k < x->channels[0].count; k++) {
      assert_close(x->channels[0].y[k], y->channels[0].y[k], 0);
      assert_close(x->channels[0].t[k], y->channels[0].t[k], 1e-12);
    }
  }
}

static void print_end(char *text, double t, const char *open) {
  if (isfinite(t))
    snprintf(text, 30, "%.2f", t);
  else
    snprintf(text, 30, "%s", open);
}

static void check_window(double from, double to) {
  static const char *const SPLITS[] = {"column: w", "gaps: 0.5", "every: 2"};
  char a[30], b[30], text[400];
  Made separate, split;
  made_open(&separate);
  made_file(&separate, "m.mo", MODEL);
  load_separate(&separate, from, to);
  print_end(a, from, "~"), print_end(b, to, "~");
  // 'every' counts from the first sample that is left: the same only if that begins a piece
  int kinds = !isfinite(from) || fmod(from, PERIOD) == 0 ? 3 : 2;
  for (int i = 0; i < kinds; i++) {
    made_open(&split);
    made_file(&split, "m.mo", MODEL);
    write_rows(&split, "all.csv", -HUGE_VAL, HUGE_VAL, -1);
    snprintf(text, sizeof text,
             "%sexperiments: {data: all.csv, measure: [x], set: {x.start: data}, window: [%s, %s], "
             "split: {%s}, windows: {late: [5, ~], early: [~, 2.5]}}\n",
             HEAD, a, b, SPLITS[i]);
    assert_same(made_load(&split, text), separate.problem);
    made_close(&split);
  }
  made_close(&separate);
}

static void each_way_to_split_gives_what_separate_files_give(void **state) {
  (void)state;
  static const double FROM[] = {-HUGE_VAL, -1, 0, 0.3, 1.5, 2, 2.3, 4},
                      TO[] = {4.3, 5.5, 6.3, HUGE_VAL};
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 4; k++) check_window(FROM[i], TO[k]);
}

// 3*0.1 is above 0.3.
static void a_sample_at_the_end_counts_also_if_the_other_end_is_open(void **state) {
  (void)state;
  static const char *const WINDOWS[] = {"[0, 0.3]", "[~, 0.3]", "[-1, 0.3]"};
  Made m;
  char text[300];
  for (int i = 0; i < 3; i++) {
    made_open(&m);
    made_file(&m, "m.mo", MODEL);
    made_file(&m, "d.csv", "x\n1\n2\n3\n4\n5\n6\n");
    snprintf(text, sizeof text,
             "%sexperiments: {data: d.csv, time: {period: 0.1}, measure: [x], window: %s}\n", HEAD,
             WINDOWS[i]);
    assert_int_equal(made_load(&m, text)->experiments[0].channels[0].count, 4);
    made_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_way_to_split_gives_what_separate_files_give),
      cmocka_unit_test(a_sample_at_the_end_counts_also_if_the_other_end_is_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
