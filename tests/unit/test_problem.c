// With a problem file as argument, this program prints what is understood of it: tools/run-problem-test.
#include "problem/read_problem.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "print_problem.h"
#include "test.h"

static const char MODEL[] = "model Pendulum\n"
                            "  parameter Real p(min = 0, max = 300) = 10;\n"
                            "  parameter Real d = 0.1;\n"
                            "  parameter Real twice = 2*p;\n"
                            "  input Real u = 0;\n"
                            "  Real theta(start = 0.5, fixed = true);\n"
                            "  Real omega(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(theta) = omega;\n"
                            "  der(omega) = -p*sin(theta) - d*omega + u;\n"
                            "end Pendulum;\n";

static const char DATA[] = "t,angle,rate,gap\n0,0.5,0,1\n0.1,0.48,-0.47,\n0.2,0.41,-0.9,NaN\n"
                           "0.3,0.31,-1.2,4\n";

static const char PROBLEM[] =
    "model: model.mo\n"
    "experiments:\n"
    "  - data: data.csv\n"
    "    name: first\n"
    "    measure:\n"
    "      theta: {column: angle, sigma: 5%, offset: {start: 0, min: -1, max: 1}}\n"
    "      omega + d*theta: {column: rate, weight: 2, gain: 1.5}\n"
    "    window: [0, 0.3]\n"
    "  - data: data.csv\n"
    "    name: second\n"
    "    measure: {theta: {column: gap, delay: {start: 0.01}}}\n"
    "    inputs: {u: rate}\n"
    "    interpolation: spline\n"
    "    start: -1\n"
    "    set: {theta.start: 1/4, d: 0.3}\n"
    "estimate:\n"
    "  p: {start: 15, min: 0.1, max: 200, scale: log, prior: {mean: 10, sd: 5}}\n"
    "  omega.start: {start: 0, min: -10, max: 10, per_experiment: true}\n"
    "method: homotopy\n"
    "gains: {theta: {theta: 10, omega: 10}}\n"
    "criterion: integral\n"
    "options: {rel_tol: 1e-9, max_iterations: 50}\n";

typedef struct Folder {
  char path[40];
} Folder;

static const char *in_folder(const Folder *f, const char *name, char out[80]) {
  snprintf(out, 80, "%s/%s", f->path, name);
  return out;
}

static void write_text(const Folder *f, const char *name, const char *text) {
  char path[80];
  Err err = {0};
  assert_true(file_write(in_folder(f, name, path), text, strlen(text), false, &err));
}

static int setup(void **state) {
  Folder *f = malloc(sizeof *f);
  strcpy(f->path, "/tmp/entrain-problem-XXXXXX");
  if (!mkdtemp(f->path)) return -1;
  write_text(f, "model.mo", MODEL);
  write_text(f, "data.csv", DATA);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Folder *f = *state;
  char path[80];
  unlink(in_folder(f, "model.mo", path));
  unlink(in_folder(f, "data.csv", path));
  rmdir(f->path);
  free(f);
  return 0;
}

static Problem *parse_with(void **state, const char *text, const ProblemSetting *settings,
                           int count) {
  const Folder *f = *state;
  Err err = {0};
  Problem *p = problem_parse("p.yaml", f->path, text, strlen(text), settings, count, &err);
  if (!p) print_error("%d:%d: %s\n", err.line, err.column, err.text);
  assert_non_null(p);
  return p;
}

static Problem *parse(void **state, const char *text) {
  return parse_with(state, text, NULL, 0);
}

static void parts_are_as_written(void **state) {
  Problem *p = parse(state, PROBLEM);
  const Experiment *first = &p->experiments[0], *second = &p->experiments[1];
  assert_int_equal(p->experiment_count, 2);
  assert_string_equal(first->name, "first");
  assert_close(second->start, -1, 0);
  assert_close(second->stop, 0.3, 0);
  assert_int_equal(second->channels[0].count, 2);
  assert_int_equal(second->channels[0].missing, 2);
  assert_close(second->channels[0].t[1], 0.3, 0);
  assert_close(second->channels[0].y[1], 4, 0);
  assert_close(first->channels[1].weight, 2, 0);
  assert_int_equal(first->channels[1].sigma_kind, SIGMA_UNKNOWN);
  double rms = sqrt((0.25 + 0.48 * 0.48 + 0.41 * 0.41 + 0.31 * 0.31) / 4);
  assert_int_equal(first->channels[0].sigma_kind, SIGMA_RELATIVE);
  assert_close_relative(first->channels[0].sigma, 0.05 * rms, 1e-14);
  assert_int_equal(p->method, METHOD_HOMOTOPY);
  assert_int_equal(p->options.criterion, CRITERION_INTEGRAL);
  assert_int_equal(p->options.max_iterations, 50);
  assert_close(p->simulate.rel_tol, 1e-9, 0);
  assert_close(p->simulate.abs_tol, 1e-10, 0);
  problem_free(p);
}

static int parameter(const Problem *p, const char *name) {
  return names_find(p->model->flat->parameter_names, name);
}

static void each_experiment_has_its_own_values(void **state) {
  Problem *p = parse(state, PROBLEM);
  const double *first = p->experiments[0].p, *second = p->experiments[1].p;
  assert_close(first[parameter(p, "theta.start")], 0.5, 0);
  assert_close(second[parameter(p, "theta.start")], 0.25, 0);
  assert_close(first[parameter(p, "d")], 0.1, 0);
  assert_close(second[parameter(p, "d")], 0.3, 0);
  assert_close(second[parameter(p, "twice")], 30, 0); // follows from the start value of p
  problem_free(p);
}

static void free_numbers_are_named_after_their_experiment(void **state) {
  static const char *const NAMES[] = {"p", "omega.start[first]", "omega.start[second]",
                                      "theta.offset", "theta.delay"};
  static const int EXPERIMENT[] = {-1, 0, 1, -1, -1};
  Problem *p = parse(state, PROBLEM);
  assert_int_equal(p->unknown_count, 5);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(p->unknowns[i].name, NAMES[i]);
    assert_int_equal(p->unknowns[i].experiment, EXPERIMENT[i]);
    assert_true(p->unknowns[i].min <= p->unknowns[i].start &&
                p->unknowns[i].start <= p->unknowns[i].max);
  }
  assert_true(p->unknowns[0].log && p->unknowns[0].has_prior);
  assert_int_equal(p->unknowns[0].line, 17);
  int parameters[5];
  assert_int_equal(problem_unknown_parameters(p, parameters), 4); // omega.start once
  problem_free(p);
}

static void channels_without_gaps_share_their_times(void **state) {
  Problem *p = parse(state, PROBLEM);
  assert_ptr_equal(p->experiments[0].channels[0].t, p->experiments[0].channels[1].t);
  problem_free(p);
}

static void the_same_expression_has_the_same_number(void **state) {
  Problem *p = parse(state, "model: model.mo\n"
                            "experiments:\n"
                            "  - {data: data.csv, measure: {theta: angle, omega: rate}}\n"
                            "  - {data: data.csv, measure: {omega: rate}}\n"
                            "estimate: [p]\n");
  assert_int_equal(p->measured_count, 2);
  assert_int_equal(p->channel_measured[0][1], p->channel_measured[1][0]);
  assert_int_equal(p->measured[p->channel_measured[1][0]], p->experiments[1].channels[0].measured);
  problem_free(p);
}

static void what_follows_from_a_parameter_can_be_estimated_instead(void **state) {
  Problem *p = parse(state, "model: model.mo\n"
                            "experiments: {data: data.csv, measure: {theta: angle}, set: {p: 3}}\n"
                            "estimate: {twice: {max: 50}}\n");
  assert_false(p->model->flat->parameters.at[p->unknowns[0].parameter].dependent);
  assert_close(p->unknowns[0].start, 20, 0); // as the text has it
  assert_close(p->experiments[0].p[parameter(p, "p")], 3, 0);
  assert_close(p->experiments[0].p[parameter(p, "twice")], 20, 0);
  problem_free(p);
}

static void what_the_model_says_is_known_whatever_the_start(void **state) {
  Problem *p = parse(state, PROBLEM);
  assert_close(p->unknowns[0].start, 15, 0);
  assert_close(p->unknowns[0].in_model, 10, 0);
  assert_close(p->unknowns[1].in_model, 0, 0); // omega.start
  assert_close(p->unknowns[4].start, 0.01, 0); // theta.delay: the model has no sensors
  assert_close(p->unknowns[4].in_model, 0.01, 0);
  problem_free(p);
}

static double input_at(const Problem *p, int experiment, double t) {
  const Input *in = p->experiments[experiment].inputs[0];
  int piece = input_piece(in, t, 1);
  double value;
  input_eval(in, t, &piece, &value, NULL);
  return value;
}

static void an_input_with_gain_and_offset_is_the_column_converted(void **state) {
  Problem *p = parse(state, "model: model.mo\n"
                            "experiments:\n"
                            "  - {data: data.csv, measure: {theta: angle}, inputs: {u: rate}}\n"
                            "  - data: data.csv\n"
                            "    measure: {theta: angle, omega: rate}\n"
                            "    inputs: {u: {column: rate, gain: -1/4, offset: 3}}\n"
                            "estimate: [p]\n");
  for (double t = -0.1; t < 0.5; t += 0.013)
    assert_close(input_at(p, 1, t), 3 - 0.25 * input_at(p, 0, t), 1e-15);
  assert_close(p->experiments[1].channels[1].y[3], -1.2, 0); // what is measured stays
  problem_free(p);
}

static void numbers_may_be_expressions(void **state) {
  static const char *const REFUSED[] = {"",    "p",  "twice/2", "1/0", "nan",
                                        "inf", "3/", "theta",   "1 2", "abc"};
  Problem *p = parse(state, PROBLEM);
  int before = p->model->graph->count;
  double value = 0;
  Err err = {0};
  assert_true(problem_number(p, "8/3", &value, &err));
  assert_close(value, 8.0 / 3, 0);
  assert_true(problem_number(p, " 1e-3/2", &value, &err));
  assert_close(value, 5e-4, 0);
  assert_true(problem_number(p, "-2*sqrt(9)", &value, &err));
  assert_close(value, -6, 0);
  for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
    Err own = {0};
    assert_false(problem_number(p, REFUSED[i], &value, &own));
    assert_non_null(strstr(own.text, " is not a "));
  }
  assert_int_equal(p->model->graph->count, before); // the problem is constant
  problem_free(p);
}

// ---- settings

static char *understood(void **state, const char *text, const ProblemSetting *settings, int count) {
  Problem *p = parse_with(state, text, settings, count);
  Text t;
  text_init(&t);
  print_problem(&t, p);
  problem_free(p);
  return t.at;
}

static char *replaced(const char *text, const char *old, const char *by) {
  const char *at = strstr(text, old);
  assert_non_null(at);
  char *out = malloc(strlen(text) + strlen(by) + 1);
  sprintf(out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(old));
  return out;
}

static void a_setting_is_as_good_as_the_same_text_in_the_file(void **state) {
  static const struct {
    const char *path, *value, *old, *by;
    bool is_option;
  } CASES[] = {
      {"estimate.p.start", "40", "start: 15", "start: 40", false},
      {"estimate.p", "40", "start: 15", "start: 40", false},
      {"estimate.p.prior.sd", "1", "sd: 5", "sd: 1", false},
      {"estimate.p.scale", "linear", "scale: log", "scale: linear", false},
      {"estimate.omega.start", "3", "{start: 0, min: -10", "{start: 3, min: -10", false},
      {"estimate.omega.start.max", "3", "max: 10", "max: 3", false},
      {"estimate.theta.start", "1", "method:", "  theta.start: 1\nmethod:", false},
      {"experiments.0.window", "[0.1, 0.2]", "[0, 0.3]", "[0.1, 0.2]", false},
      {"experiments.0.window.1", "0.2", "[0, 0.3]", "[0, 0.2]", false},
      {"experiments.1.set.d", "7", "d: 0.3", "d: 7", false},
      {"experiments.1.set", "{d: 7}", "{theta.start: 1/4, d: 0.3}", "{d: 7}", false},
      {"experiments.1.inputs.u.interpolation", "hold", "{u: rate}",
       "{u: {column: rate, interpolation: hold}}", false},
      {"experiments.0.measure.theta", "rate", "column: angle", "column: rate", false},
      {"experiments.0.measure.theta.offset", "0.5", "{start: 0, min: -1, max: 1}",
       "{start: 0.5, min: -1, max: 1}", false},
      {"gains.theta.omega", "5", "omega: 10}", "omega: 5}", false},
      {"method", "lm", "homotopy", "lm", false},
      {"rel_tol", "1e-7", "rel_tol: 1e-9", "rel_tol: 1e-7", true},
      {"seed", "3", "rel_tol: 1e-9", "rel_tol: 1e-9, seed: 3", true},
      {"criterion", "sum", "integral", "sum", true},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    ProblemSetting s = {CASES[i].path, CASES[i].value, CASES[i].is_option};
    // theta.start is also set in the second experiment of the text: take that away
    char *base = replaced(
        PROBLEM, strcmp(CASES[i].path, "estimate.theta.start") ? "" : "theta.start: 1/4, ", "");
    char *text = replaced(base, CASES[i].old, CASES[i].by);
    char *by_setting = understood(state, base, &s, 1), *by_text = understood(state, text, NULL, 0);
    char *before = understood(state, base, NULL, 0);
    if (strcmp(by_setting, by_text) != 0) print_error("%s\n", CASES[i].path);
    assert_string_equal(by_setting, by_text);
    bool is_shown = strcmp(CASES[i].path, "experiments.1.inputs.u.interpolation") != 0;
    if (is_shown) assert_string_not_equal(by_setting, before);
    free(by_setting), free(by_text), free(before), free(text), free(base);
  }
}

static void numbers_come_back_exactly(void **state) {
  uint64_t seed = 99;
  for (int i = 0; i < 200; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    double value = ldexp((double)(seed >> 11), -53) * 199 + 0.5;
    char text[32];
    number_format(value, text);
    ProblemSetting s = {"estimate.p.start", text, false};
    Problem *p = parse_with(state, PROBLEM, &s, 1);
    assert_close(p->unknowns[0].start, value, 0);
    assert_close(p->experiments[1].p[p->unknowns[0].parameter], value, 0);
    problem_free(p);
  }
}

static void every_option_can_be_set_by_its_name(void **state) {
  const OptionTable *tables[] = {&FIT_OPTIONS, &SIMULATE_OPTIONS};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < tables[k]->count; i++) {
      const OptionRow *row = &tables[k]->rows[i];
      char value[OPTION_WORD_SIZE], now[OPTION_WORD_SIZE];
      snprintf(value, sizeof value, "%s", row->choices ? row->choices : "1");
      value[strcspn(value, " ")] = 0;
      if (!row->choices) number_format(fmin(row->most, fmax(row->least, 1)), value);
      ProblemSetting s = {row->name, value, true};
      Problem *p = parse_with(state, PROBLEM, &s, 1);
      const void *options = k ? (const void *)&p->simulate : (const void *)&p->options;
      option_value(row, options, now);
      if (strcmp(now, value) != 0) print_error("option %s\n", row->name);
      assert_string_equal(now, value);
      problem_free(p);
    }
}

static void the_last_setting_counts(void **state) {
  ProblemSetting s[] = {{"estimate.p.start", "20", false}, {"estimate.p.start", "30", false}};
  Problem *p = parse_with(state, PROBLEM, s, 2);
  assert_close(p->unknowns[0].start, 30, 0);
  problem_free(p);
}

static void paths_are_relative_to_the_problem_file(void **state) {
  const Folder *f = *state;
  char path[80];
  Err err = {0};
  write_text(f, "p.yaml", PROBLEM);
  Problem *p = problem_load(in_folder(f, "p.yaml", path), NULL, 0, &err);
  unlink(path);
  assert_non_null(p);
  assert_string_equal(p->experiments[0].file, in_folder(f, "data.csv", path));
  problem_free(p);
}

// ---- damage

static uint64_t next_random(uint64_t *seed) { // xorshift64*, Vigna 2016
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return (*seed * 2685821657736338717u) >> 16;
}

// Changes, removes, repeats or exchanges a few pieces of the text.
static size_t damage(char *text, size_t length, size_t room, uint64_t *seed) {
  static const char BYTES[] = " \n:{}[],-#&*!|>'\"%@`~.0159eaptx\t\\?=\r\xc3\xa4";
  int changes = 1 + (int)(next_random(seed) % 3);
  for (int i = 0; i < changes && length > 20; i++) {
    size_t at = next_random(seed) % (length - 10), n = 1 + next_random(seed) % 8;
    switch (next_random(seed) % 4) {
    case 0: text[at] = BYTES[next_random(seed) % (sizeof BYTES - 1)]; break;
    case 1:
      memmove(text + at, text + at + n, length - at - n);
      length -= n;
      break;
    case 2:
      if (length + n > room) break;
      memmove(text + at + n, text + at, length - at);
      length += n;
      break;
    default: {
      size_t other = next_random(seed) % (length - 10);
      char kept[8];
      memcpy(kept, text + at, n);
      memmove(text + at, text + other, n);
      memcpy(text + other, kept, n);
    }
    }
  }
  return length;
}

static void damaged_problems_are_refused_or_understood_but_never_crash(void **state) {
  const Folder *f = *state;
  enum { ROOM = sizeof PROBLEM + 100, TRIALS = 3000 };
  char text[ROOM];
  uint64_t seed = 2024;
  int refused = 0;
  for (int i = 0; i < TRIALS; i++) {
    memcpy(text, PROBLEM, sizeof PROBLEM - 1);
    size_t length = damage(text, sizeof PROBLEM - 1, ROOM, &seed);
    Err err = {0};
    Problem *p = problem_parse("p.yaml", f->path, text, length, NULL, 0, &err);
    assert_true((p != NULL) == (err.code == ERR_NONE));
    assert_true(p || err.text[0]);
    refused += !p;
    problem_free(p);
  }
  assert_true(refused > TRIALS / 2 && refused < TRIALS);
}

static void damaged_settings_are_refused_or_understood_but_never_crash(void **state) {
  const Folder *f = *state;
  static const char *const SEEDS[] = {
      "estimate.p.start=12", "experiments.0.measure.theta.offset.min=-1",
      "experiments.1.window=[0, 0.2, {a: b}]", "estimate.omega.start.prior={mean: 1, sd: 2}"};
  uint64_t seed = 7;
  for (int i = 0; i < 2000; i++) {
    char text[120];
    strcpy(text, SEEDS[i % 4]);
    size_t length = damage(text, strlen(text), sizeof text - 1, &seed);
    text[length] = 0;
    char *equals = strchr(text, '=');
    if (!equals) continue;
    *equals = 0;
    ProblemSetting s = {text, equals + 1, i % 16 == 0};
    Err err = {0};
    Problem *p = problem_parse("p.yaml", f->path, PROBLEM, strlen(PROBLEM), &s, 1, &err);
    assert_true((p != NULL) == (err.code == ERR_NONE));
    problem_free(p);
  }
}

static void many_experiments_share_a_file(void **state) {
  Text t;
  text_init(&t);
  text_add(&t, "model: model.mo\nestimate: {p: {per_experiment: true}}\nexperiments:\n");
  for (int i = 0; i < 500; i++)
    text_add(&t, "  - {data: data.csv, measure: {theta: {column: angle, offset: estimate}}}\n");
  Problem *p = parse(state, t.at);
  text_done(&t);
  assert_int_equal(p->unknown_count, 501);
  assert_string_equal(p->unknowns[499].name, "p[data-500]");
  assert_ptr_equal(p->experiments[0].channels[0].y, p->experiments[499].channels[0].y);
  problem_free(p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv) {
  if (argc > 1) return print_problem_file(argc - 1, argv + 1);
  const struct CMUnitTest tests[] = {
      TEST(parts_are_as_written),
      TEST(each_experiment_has_its_own_values),
      TEST(free_numbers_are_named_after_their_experiment),
      TEST(channels_without_gaps_share_their_times),
      TEST(the_same_expression_has_the_same_number),
      TEST(what_follows_from_a_parameter_can_be_estimated_instead),
      TEST(what_the_model_says_is_known_whatever_the_start),
      TEST(an_input_with_gain_and_offset_is_the_column_converted),
      TEST(numbers_may_be_expressions),
      TEST(a_setting_is_as_good_as_the_same_text_in_the_file),
      TEST(numbers_come_back_exactly),
      TEST(every_option_can_be_set_by_its_name),
      TEST(the_last_setting_counts),
      TEST(paths_are_relative_to_the_problem_file),
      TEST(damaged_problems_are_refused_or_understood_but_never_crash),
      TEST(damaged_settings_are_refused_or_understood_but_never_crash),
      TEST(many_experiments_share_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
