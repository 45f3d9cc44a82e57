#include "program/run_output.h"

#include "base/text.h"
#include "run_trial.h"

static const char *const VARIABLES[] = {"x", "speed", "y"};

typedef struct Reading {
  bool done;
  SimulatorAnswer *answer;
} Reading;

// Variables x and y at these times.
static SimulatorCall call_at(const double *times, int count, double origin) {
  static const int RECORDED[] = {0, 2};
  return (SimulatorCall){.origin = origin,
                         .start = count ? times[0] : 0,
                         .times = times,
                         .count = count,
                         .variables = RECORDED,
                         .variable_count = 2};
}

static Reading parse(const Trial *t, const char *text, const char *time,
                     const SimulatorCall *call) {
  RunOutput o = {.file = "r.csv", .time = time, .variables = VARIABLES};
  Reading r = {.answer = simulator_answer_new(t->arena, call)};
  r.done = run_output_parse(t->arena, &o, text, strlen(text), call, r.answer);
  assert_true(r.done == (r.answer->outcome == OUTCOME_REACHED_END));
  return r;
}

static void assert_outcome(Reading r, Outcome outcome, const char *message) {
  assert_false(r.done);
  assert_string_equal(r.answer->message, message);
  assert_string_equal(outcome_word(r.answer->outcome), outcome_word(outcome));
}

static void assert_bad(const Trial *t, const char *text, const char *message) {
  double times[] = {0, 1};
  SimulatorCall call = call_at(times, 2, 0);
  Reading r = parse(t, text, NULL, &call);
  assert_outcome(r, OUTCOME_BAD_OUTPUT, message);
  assert_int_equal(r.answer->rows, 0);
}

static void values_are_those_of_the_columns(void **state) {
  const Trial *t = *state;
  double times[] = {0, 0.25, 1, 2};
  SimulatorCall call = call_at(times, 4, 0);
  Reading r = parse(t, "t,y,other,x\n0,1,,5\n1,3,,6\n2,-1,,8\n", NULL, &call);
  assert_true(r.done);
  assert_int_equal(r.answer->rows, 4);
  double wanted[] = {5, 1, 5.25, 1.5, 6, 3, 8, -1};
  for (int i = 0; i < 8; i++) assert_close(r.answer->values[i], wanted[i], 0);
  assert_close(r.answer->t_end, 2, 0);
}

static void the_time_column_may_be_named(void **state) {
  const Trial *t = *state;
  double times[] = {1};
  SimulatorCall call = call_at(times, 1, 10);
  Reading r = parse(t, "x,y,clock\n5,1,10\n7,2,12\n", "clock", &call);
  assert_true(r.done);
  assert_close(r.answer->values[0], 6, 0);
  r = parse(t, "x,y,clock\n5,1,10\n7,2,12\n", "clok", &call);
  assert_outcome(
      r, OUTCOME_BAD_OUTPUT,
      "r.csv has no column 'clok'; did you mean 'clock'?; its columns are 'x', 'y', 'clock'");
}

static uint64_t random_bits(uint64_t *seed) { // xorshift64*, Vigna 2016
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return *seed * 2685821657736338717u;
}

static double uniform(uint64_t *seed) {
  return (double)(random_bits(seed) >> 11) * 0x1p-53;
}

static void a_straight_line_is_exact_at_random_times(void **state) {
  const Trial *t = *state;
  uint64_t seed = 11;
  for (int trial = 0; trial < 200; trial++) {
    double origin = trial % 2 ? 1000 * uniform(&seed) : 0, times[20], at = 0;
    Text text;
    text_init(&text);
    text_add(&text, "t,x,y\n");
    while (at < 30) {
      text_print(&text, "%.17g,%.17g,%.17g\n", origin + at, 3 - 2 * (origin + at), 7.0);
      at += uniform(&seed);
    }
    for (int k = 0; k < 20; k++) times[k] = (k ? times[k - 1] : 0) + 1.4 * uniform(&seed);
    SimulatorCall call = call_at(times, 20, origin);
    Reading r = parse(t, text.at, NULL, &call);
    assert_true(r.done);
    for (int k = 0; k < 20; k++) {
      double now = origin + times[k];
      assert_close(r.answer->values[2 * k], 3 - 2 * now, 1e-14 * (3 + 2 * now) * 4);
      assert_close(r.answer->values[2 * k + 1], 7, 0);
    }
    text_done(&text);
  }
}

static void of_two_rows_at_one_time_the_later_counts(void **state) {
  const Trial *t = *state;
  double times[] = {0, 0.5, 1, 1.5, 2};
  SimulatorCall call = call_at(times, 5, 0);
  Reading r = parse(t, "t,x,y\n0,0,0\n1,1,0\n1,9,0\n1,5,0\n2,7,0\n2,8,0\n", NULL, &call);
  assert_true(r.done);
  double wanted[] = {0, 0.5, 5, 6, 8};
  for (int k = 0; k < 5; k++) assert_close(r.answer->values[2 * k], wanted[k], 0);
  // 3 * 0.1 is the next number above 0.3: the event is at 0.3
  double near[] = {0.1 + 0.2, 0.3 * (1 - 2e-16)};
  for (int i = 0; i < 2; i++) {
    call = call_at(&near[i], 1, 0);
    r = parse(t, "t,x,y\n0,0,0\n0.3,1,0\n0.3,9,0\n1,9,0\n", NULL, &call);
    assert_close(r.answer->values[0], 9, 1e-12);
  }
}

static void what_cannot_be_used_is_named_with_its_place(void **state) {
  const Trial *t = *state;
  assert_bad(t, "", "r.csv: the file contains no table; it must begin with a row of column names");
  assert_bad(t, "t,x,y\n", "r.csv has no rows of numbers");
  assert_bad(t, "t,x,y\n0,1,2\n1,2x,3\n", "r.csv:3:3: '2x' is not a number (column 'x')");
  assert_bad(t, "t,x,y\n0,1,2\n1,inf,3\n", "r.csv:3:3: 'inf' is not a number (column 'x')");
  assert_bad(t, "t,x,y\n0,1,2\n1,2\n", "r.csv:3:4: this row has 2 cells, but the header has 3");
  assert_bad(t, "t,xx,z\n0,1,2\n", "r.csv has no column 'x'; its columns are 't', 'xx', 'z'");
}

static void times_must_not_decrease(void **state) {
  const Trial *t = *state;
  assert_bad(t, "t,x,y\n0,1,2\n\n1,1,2\n0.5,1,2\n",
             "r.csv:5: times must not decrease, but 0.5 follows 1 (column 't')");
  assert_bad(t, "t,x,y\n0,1,2\n,1,2\n", "r.csv:3: the time is missing (column 't')");
}

static void missing_numbers_matter_only_where_samples_need_them(void **state) {
  const Trial *t = *state;
  double times[] = {0, 2};
  SimulatorCall call = call_at(times, 2, 0);
  Reading r = parse(t, "t,x,y\n0,1,2\n1,,nan\n2,3,4\n3,,\n", NULL, &call);
  assert_true(r.done);
  double between[] = {0, 1.5};
  call = call_at(between, 2, 0);
  r = parse(t, "t,x,y\n0,1,2\n1,2,nan\n2,3,4\n", NULL, &call);
  assert_outcome(r, OUTCOME_BAD_OUTPUT, "r.csv:3: column 'y' has no finite value at time 1");
  assert_int_equal(r.answer->rows, 0);
}

static void short_outputs_name_both_times(void **state) {
  const Trial *t = *state;
  double times[] = {0, 1, 2};
  SimulatorCall call = call_at(times, 3, 10);
  Reading r = parse(t, "t,x,y\n10,1,2\n11.5,1,2\n", NULL, &call);
  assert_outcome(r, OUTCOME_TOO_SHORT, "r.csv ends at 11.5, before the last sample at 12");
  assert_int_equal(r.answer->rows, 2);
  assert_close(r.answer->t_end, 11.5, 0);
  r = parse(t, "t,x,y\n10.5,1,2\n20,1,2\n", NULL, &call);
  assert_outcome(r, OUTCOME_TOO_SHORT, "r.csv begins at 10.5, after the first sample at 10");
  assert_int_equal(r.answer->rows, 0);
}

// So much as six digits and sums of steps lose; the value is then that of the nearest row.
static void rounding_of_times_is_forgiven(void **state) {
  const Trial *t = *state;
  double times[] = {0, 10};
  SimulatorCall call = call_at(times, 2, 0);
  Reading r = parse(t, "t,x,y\n9e-6,1,2\n9.999991,5,2\n", NULL, &call);
  assert_true(r.done);
  assert_close(r.answer->values[0], 1, 0);
  assert_close(r.answer->values[2], 5, 0);
  assert_false(parse(t, "t,x,y\n2e-5,1,2\n10,5,2\n", NULL, &call).done);
  assert_false(parse(t, "t,x,y\n0,1,2\n9.99998,5,2\n", NULL, &call).done);
}

// ---- files

static Reading read_file(const Trial *t, const RunFolder *f, const char *allowed) {
  static const double TIMES[] = {0, 1};
  SimulatorCall call = call_at(TIMES, 2, 0);
  RunOutput o = {.file = "out/r.csv", .variables = VARIABLES, .allowed = &allowed};
  o.allowed_count = allowed != NULL;
  Reading r = {.answer = simulator_answer_new(t->arena, &call)};
  int before = trial_descriptors();
  r.done = run_output_read(t->arena, f, &o, &call, r.answer);
  assert_int_equal(trial_descriptors(), before);
  return r;
}

// In a new folder, after this command, with out/ in it; removed afterwards.
static Reading after(const Trial *t, const char *command, const char *allowed) {
  RunFolder f;
  assert_true(run_folder_make(&f, t->arena, t->scratch, NULL));
  assert_true(run_folder_write(&f, "out/other", "t,x,y\n0,1,2\n1,1,2\n", 18, NULL));
  assert_int_equal(system(arena_print(t->arena, "cd %s && %s", f.path, command)), 0); // NOLINT
  Reading r = read_file(t, &f, allowed);
  assert_true(run_folder_remove(&f));
  assert_nothing_is_left(t);
  return r;
}

static void files_are_read_inside_of_the_run_folder(void **state) {
  const Trial *t = *state;
  trial_write(t, "secret", "t,x,y\n0,1,2\n1,1,2\n", 0644);
  const char *secret = arena_print(t->arena, "%s/secret", t->problem);
  assert_true(after(t, "cp out/other out/r.csv", NULL).done);
  assert_true(after(t, "ln -s other out/r.csv", NULL).done);
  assert_true(after(t, "mv out in && ln -s in out && ln in/other in/r.csv", NULL).done);
  const char *out = arena_print(
      t->arena, "the output file 'out/r.csv' is a link that leads out of the run folder, to '%s'",
      secret);
  const char *link = arena_print(t->arena, "ln -s %s out/r.csv", secret);
  assert_outcome(after(t, link, NULL), OUTCOME_BAD_OUTPUT, out);
  assert_true(after(t, link, secret).done);
  assert_true(after(t, link, t->problem).done);
  assert_outcome(after(t, link, arena_print(t->arena, "%s/sec", t->problem)), OUTCOME_BAD_OUTPUT,
                 out);
  const char *folder = arena_print(t->arena, "cp %s %s/r.csv && rm -r out && ln -s %s out", secret,
                                   t->problem, t->problem);
  assert_outcome(after(t, folder, NULL), OUTCOME_BAD_OUTPUT,
                 arena_print(t->arena,
                             "the output file 'out/r.csv' is a link that leads out of the run "
                             "folder, to '%s/r.csv'",
                             t->problem));
}

static void only_files_of_a_sensible_size_are_read(void **state) {
  const Trial *t = *state;
  static const struct {
    const char *command, *message;
  } CASES[] = {
      {"true", "there is no output file 'out/r.csv'"},
      {"rm -r out", "there is no output file 'out/r.csv'"},
      {"ln -s nowhere out/r.csv", "there is no output file 'out/r.csv'"},
      {"rm -r out; touch out", "cannot read the output file 'out/r.csv': Not a directory"},
      {"ln -s r.csv out/r.csv",
       "cannot read the output file 'out/r.csv': Too many levels of symbolic links"},
      {"mkfifo out/r.csv", "the output file 'out/r.csv' is a pipe"},
      {"mkdir out/r.csv", "the output file 'out/r.csv' is a folder"},
      {"ln -s /dev/zero out/r.csv",
       "the output file 'out/r.csv' is a link that leads out of the run folder, to '/dev/zero'"},
      {"truncate -s 3G out/r.csv",
       "the output file 'out/r.csv' has 3221225472 bytes; 1073741824 are allowed"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    assert_outcome(after(t, CASES[i].command, NULL), OUTCOME_BAD_OUTPUT, CASES[i].message);
  assert_outcome(after(t, "ln -s /dev/zero out/r.csv", "/dev"), OUTCOME_BAD_OUTPUT,
                 "the output file 'out/r.csv' is a device");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trial_new, trial_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(values_are_those_of_the_columns),
      TEST(the_time_column_may_be_named),
      TEST(a_straight_line_is_exact_at_random_times),
      TEST(of_two_rows_at_one_time_the_later_counts),
      TEST(what_cannot_be_used_is_named_with_its_place),
      TEST(times_must_not_decrease),
      TEST(missing_numbers_matter_only_where_samples_need_them),
      TEST(short_outputs_name_both_times),
      TEST(rounding_of_times_is_forgiven),
      TEST(files_are_read_inside_of_the_run_folder),
      TEST(only_files_of_a_sensible_size_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
