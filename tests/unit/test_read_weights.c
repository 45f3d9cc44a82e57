#include "made_problem.h"
#include "num/density.h"
#include "num/distance_sums.h"

static const char MODEL[] = "model M\n"
                            "  parameter Real p = 1;\n"
                            "  input Real u = 0;\n"
                            "  Real x(start = 1, fixed = true), y;\n"
                            "equation\n"
                            "  der(x) = -p*x + u;\n"
                            "  y = 2*x;\n"
                            "end M;\n";

enum { ROWS = 50 };

// Two experiments of ROWS rows; the second has its times and its column in other units, and gaps.
static void put_data(const Made *m, double origin, double gain, double offset) {
  Text a, b;
  text_init(&a), text_init(&b);
  text_add(&a, "t,x,u\n"), text_add(&b, "t,x,u\n");
  for (int i = 0; i < ROWS; i++) {
    double t = 0.5 * i, x = sin(0.3 * i), u = i % 7;
    text_print(&a, "%.17g,%.17g,%g\n", t, x, u);
    text_print(&b, "%.17g,%.17g,%g\n", origin + t, gain * (x + 1) + offset, 2 * u);
  }
  made_file(m, "a.csv", a.at);
  made_file(m, "b.csv", b.at);
  text_done(&a), text_done(&b);
}

static Cloud both(Arena *arena) {
  double **at = ARENA_ARRAY(arena, double *, 2);
  for (int k = 0; k < 2; k++) at[k] = ARENA_ARRAY(arena, double, 2 * ROWS);
  for (int i = 0; i < 2 * ROWS; i++) {
    int row = i % ROWS, second = i >= ROWS;
    at[0][i] = sin(0.3 * row) + second;
    at[1][i] = (1 + second) * (row % 7);
  }
  return (Cloud){2 * ROWS, 2, (const double *const *)at};
}

// All experiments share one space, whatever the unit of a sensor and the origin of time; the mean is 1.
static void experiments_share_a_space(void **state) {
  (void)state;
  static const char *const KINDS[] = {"{kind: grid, cells: 5}", "{kind: ellipses, ratio: 0.3}",
                                      "{kind: distances}"};
  Arena *a = arena_new();
  Cloud c = both(a);
  double w[3][2 * ROWS];
  const int cells[2] = {5, 5};
  int used = grid_weights(&c, &(GridRule){cells, 1, false}, w[0]);
  ellipse_weights(&c, 0.3, w[1]);
  distance_sums(&c, w[2]);
  for (int kind = 0; kind < 3; kind++) {
    char text[400];
    snprintf(text, sizeof text,
             "model: m.mo\nestimate: {p: 1}\nweights: %s\nexperiments:\n"
             "  - {data: a.csv, measure: {x: x}}\n"
             "  - {data: b.csv, measure: {x: {column: x, gain: 32, offset: 5}}}\n",
             KINDS[kind]);
    Made m;
    made_open(&m);
    made_file(&m, "m.mo", MODEL);
    put_data(&m, 1.6e9, 32, 5);
    Problem *p = made_load(&m, text);
    double sum = 0;
    normalise_weights(w[kind], 2 * ROWS);
    assert_int_equal(p->weights->count, 2 * ROWS);
    assert_int_equal(p->weights->counted, 2 * ROWS);
    if (kind == 0) assert_int_equal(p->weights->occupied, used);
    for (int i = 0; i < 2 * ROWS; i++) {
      double got = p->experiments[i / ROWS].channels[0].sample_weight[i % ROWS];
      assert_close_relative(got, w[kind][i], 1e-9);
      sum += got;
    }
    assert_close(sum, 2 * ROWS, 1e-9);
    made_close(&m);
  }
  arena_free(a);
}

// Channels with other missing values have the weights of their own instants.
static void missing_values_keep_the_order(void **state) {
  (void)state;
  Made m;
  made_open(&m);
  made_file(&m, "m.mo", MODEL);
  made_file(&m, "gaps.csv", "t,x,y,w\n0,1,,1\n1,,2,2\n2,,,3\n3,3,6,4\n4,,8,0\n");
  Problem *p = made_load(&m, "model: m.mo\nestimate: {p: 1}\nweights: {column: w}\n"
                             "experiments: {data: gaps.csv, measure: [x, y], inputs: {u: 0}}\n");
  const Experiment *e = &p->experiments[0];
  const double mean = (1 + 2 + 4) / 3.0; // the row in which nothing is measured does not count
  assert_int_equal(p->weights->count, 4);
  assert_int_equal(p->weights->counted, 3);
  assert_close(e->channels[0].sample_weight[0], 1 / mean, 1e-15);
  assert_close(e->channels[0].sample_weight[1], 4 / mean, 1e-15);
  assert_close(e->channels[1].sample_weight[0], 2 / mean, 1e-15);
  assert_true(e->channels[1].sample_weight[2] == 0);
  assert_int_equal(samples_that_count(&e->channels[1], 3), 2);
  assert_true(sample_counts(&e->channels[1], 1) && !sample_counts(&e->channels[1], 2));
  made_close(&m);
}

// time in a condition is that of the data; inputs have the value of their interpolation.
static void conditions_see_the_time_of_the_data(void **state) {
  (void)state;
  Made m;
  made_open(&m);
  made_file(&m, "m.mo", MODEL);
  put_data(&m, 1.6e9, 1, 0);
  Problem *p = made_load(
      &m, "model: m.mo\nestimate: {p: 1}\nweights: {regions: [{where: time < 1600000002 and "
          "time > 1000 and u >= 2, weight: 5}]}\n"
          "experiments:\n  - {data: a.csv, measure: [x]}\n  - {data: b.csv, measure: [x]}\n");
  assert_int_equal(p->weights->regions[0].samples, 3); // rows 1 to 3 of the second
  const double *w = p->experiments[1].channels[0].sample_weight;
  for (int i = 0; i < 6; i++) assert_close(w[i] / w[9], i >= 1 && i <= 3 ? 5 : 1, 1e-12);
  made_close(&m);
}

// Samples for validation have no weights and do not change those of others.
static void validation_does_not_count(void **state) {
  (void)state;
  double weight[2][ROWS];
  for (int with = 0; with < 2; with++) {
    Made m;
    char text[400];
    made_open(&m);
    made_file(&m, "m.mo", MODEL);
    put_data(&m, 0, 9, 5);
    snprintf(text, sizeof text,
             "model: m.mo\nestimate: {p: 1}\nweights: {kind: grid, cells: 5}\nexperiments:\n%s"
             "  - {data: a.csv, measure: [x]}\n",
             with ? "  - {data: b.csv, measure: {x: x}, role: validation}\n" : "");
    const Problem *p = made_load(&m, text);
    assert_int_equal(p->weights->count, ROWS);
    memcpy(weight[with], p->experiments[0].channels[0].sample_weight, sizeof weight[with]);
    if (with) {
      assert_null(p->validation->weights);
      assert_null(p->validation->experiments[0].channels[0].sample_weight);
    }
    made_close(&m);
  }
  assert_memory_equal(weight[0], weight[1], sizeof weight[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(experiments_share_a_space),
      cmocka_unit_test(missing_values_keep_the_order),
      cmocka_unit_test(conditions_see_the_time_of_the_data),
      cmocka_unit_test(validation_does_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
