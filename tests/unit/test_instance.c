#include "fmu/instance.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "fmu/instance_parts.h"
#include "test.h"

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

// ---- the FMUs of tests/fmu, beside this program

static const char *build_folder(Arena *a) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  assert_true(length > 0);
  path[length] = 0;
  *strstr(path, "/tests/test_instance") = 0;
  return arena_print(a, "%s", path);
}

static FmuDescription *description(Arena *a, const char *name) {
  Err err = {0};
  FmuDescription *d = fmu_describe(a, arena_print(a, "%s/fmu/%s.fmu", build_folder(a), name), &err);
  if (!d) print_error("%s: %s\n", name, err.text);
  assert_non_null(d);
  return d;
}

static FmuLibrary *library(Arena *a, const char *name, FmuInterface interface) {
  Err err = {0};
  const char *folder = arena_print(a, "%s/fmu/%s", build_folder(a), name);
  FmuLibrary *l = fmu_library_open(a, description(a, name), folder, interface, &err);
  if (!l) print_error("%s\n", err.text);
  assert_non_null(l);
  return l;
}

static FmuInstance *instance(FmuLibrary *l) {
  Err err = {0};
  FmuInstance *i = fmu_instance_new(l, "i", &err);
  if (!i) print_error("%s\n", err.text);
  assert_non_null(i);
  assert_int_equal(fmu_set_experiment(i, 0, 10, 1e-6), FMU_OK);
  return i;
}

static void assert_status(FmuInstance *i, FmuStatus got, FmuStatus wanted, int line) {
  if (got == wanted) return;
  print_error("status %d instead of %d: %s: %s\n", got, wanted, fmu_instance_failed(i),
              fmu_instance_log(i));
  _fail(__FILE__, line);
}

#define OK(call) assert_status(i, call, FMU_OK, __LINE__)
#define IS(call, wanted) assert_status(i, call, wanted, __LINE__)

static int number_of(const FmuLibrary *l, const char *name) {
  int n = names_find(fmu_library_description(l)->names, name);
  if (n < 0) print_error("there is no variable %s\n", name);
  assert_true(n >= 0);
  return n;
}

static FmuGroup *group1(Arena *a, const FmuLibrary *l, const char *name) {
  int n = number_of(l, name);
  return fmu_group_new(a, l, &n, 1);
}

static void put(FmuInstance *i, const char *name, double value) {
  Arena *a = arena_new();
  OK(fmu_set(i, group1(a, i->library, name), &value));
  arena_free(a);
}

static double value_of(FmuInstance *i, const char *name) {
  Arena *a = arena_new();
  double value;
  OK(fmu_get(i, group1(a, i->library, name), &value));
  arena_free(a);
  return value;
}

static void begin(FmuInstance *i) {
  OK(fmu_enter_initialization(i));
  OK(fmu_exit_initialization(i));
}

static void begin_continuous(FmuInstance *i) {
  FmuDiscrete discrete;
  begin(i);
  OK(fmu_new_discrete_states(i, &discrete));
  assert_false(discrete.again || discrete.terminate);
  OK(fmu_enter_continuous_mode(i));
}

static void step(FmuInstance *i, double t, double h) {
  double reached;
  bool ended;
  OK(fmu_step(i, t, h, &reached, &ended));
  assert_close(reached, t + h, 0);
  assert_false(ended);
}

static void close_all(FmuInstance *i) {
  FmuLibrary *l = i->library;
  fmu_instance_free(i);
  fmu_library_close(l);
}

static double random_number(unsigned *seed) { // -2 .. 2
  *seed = *seed * 1664525u + 1013904223u;
  return 4 * ((double)(*seed >> 8) / (1 << 24)) - 2;
}

// Runs the test for FMI 2 and for FMI 3.
#define BOTH(test)                                                                                 \
  static void test(void **state) {                                                                 \
    test##_of(*state, "2");                                                                        \
    test##_of(*state, "3");                                                                        \
  }

static const char *both(Arena *a, const char *name, const char *fmi) {
  return arena_print(a, "%s%s", name, fmi);
}

// ---- model exchange

static void derivatives_are_those_of_the_formula_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "oscillator", fmi), FMU_ME));
  put(i, "m", 2);
  put(i, "k3", 0.7);
  assert_int_equal(fmu_state_count(i), 2);
  assert_int_equal(fmu_indicator_count(i), 0);
  begin_continuous(i);
  FmuGroup *force = group1(a, i->library, "F");
  unsigned seed = 1;
  for (int k = 0; k < 100; k++) {
    double x[2] = {random_number(&seed), random_number(&seed)}, u = random_number(&seed), dx[2];
    OK(fmu_set_time(i, k));
    OK(fmu_set_states(i, x, 2));
    OK(fmu_set(i, force, &u));
    OK(fmu_get_derivatives(i, dx, 2));
    assert_close(dx[0], x[1], 0);
    assert_close(dx[1], (-4 * x[0] - 0.2 * x[1] - 0.7 * x[0] * x[0] * x[0] + u) / 2, 1e-14);
    assert_close(value_of(i, "y"), x[0], 0);
    assert_close(value_of(i, "a"), dx[1], 0);
    double back[2], nominal[2];
    OK(fmu_get_states(i, back, 2));
    assert_memory_equal(back, x, sizeof x);
    OK(fmu_get_nominals(i, nominal, 2));
    assert_close(nominal[1], 1, 0);
  }
  close_all(i);
}
BOTH(derivatives_are_those_of_the_formula)

static void directional_derivatives_are_difference_quotients_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "vanderpol", fmi), FMU_ME));
  begin_continuous(i);
  int unknowns[] = {number_of(i->library, "der(x1)"), number_of(i->library, "der(x0)")};
  int knowns[] = {number_of(i->library, "x0"), number_of(i->library, "x1")};
  double x[2] = {0.7, -1.3}, seed[2] = {0.4, 0.9}, h = 1e-6, got[2], low[2], high[2];
  OK(fmu_set_states(i, x, 2));
  OK(fmu_directional(i, unknowns, 2, knowns, 2, seed, got));
  for (int side = 0; side < 2; side++) {
    double s = side ? h : -h, moved[2] = {x[0] + s * seed[0], x[1] + s * seed[1]};
    OK(fmu_set_states(i, moved, 2));
    OK(fmu_get_derivatives(i, side ? high : low, 2));
  }
  assert_close(got[0], (high[1] - low[1]) / (2 * h), 1e-8);
  assert_close(got[1], (high[0] - low[0]) / (2 * h), 1e-8);
  close_all(i);
}
BOTH(directional_derivatives_are_difference_quotients)

static void state_events_change_states_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "ball", fmi), FMU_ME));
  begin_continuous(i);
  assert_int_equal(fmu_indicator_count(i), 1);
  double x[2] = {-1e-12, -3}, z;
  OK(fmu_set_time(i, 0.5));
  OK(fmu_set_states(i, x, 2));
  OK(fmu_get_indicators(i, &z, 1));
  assert_true(z < 0);
  FmuDiscrete discrete;
  bool event, terminate;
  OK(fmu_completed_step(i, &event, &terminate));
  OK(fmu_enter_event_mode(i));
  OK(fmu_new_discrete_states(i, &discrete));
  assert_true(discrete.states_changed && !discrete.has_next && !discrete.nominals_changed);
  OK(fmu_enter_continuous_mode(i));
  OK(fmu_get_states(i, x, 2));
  assert_close(x[1], 0.7 * 3, 1e-15);
  OK(fmu_get_indicators(i, &z, 1));
  assert_true(z > 0);
  close_all(i);
}
BOTH(state_events_change_states)

static void time_events_are_announced_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "stairs", fmi), FMU_ME));
  put(i, "period", 0.25);
  begin(i);
  FmuDiscrete discrete;
  for (int k = 0; k < 5; k++) {
    OK(fmu_new_discrete_states(i, &discrete));
    assert_true(discrete.has_next);
    assert_close(discrete.next, 0.25 * (k + 1), 0);
    OK(fmu_enter_continuous_mode(i));
    assert_close(value_of(i, "counter"), k, 0);
    bool event, terminate;
    OK(fmu_set_time(i, discrete.next));
    OK(fmu_completed_step(i, &event, &terminate));
    OK(fmu_enter_event_mode(i));
  }
  close_all(i);
}
BOTH(time_events_are_announced)

static void the_fmu_hears_of_steps_only_where_it_wants_to_of(Arena *a, const char *fmi) {
  bool event, terminate;
  FmuInstance *i = instance(library(a, both(a, "oscillator", fmi), FMU_ME));
  OK(fmu_completed_step(i, &event, &terminate)); // the FMU would refuse it here
  assert_false(event || terminate);
  close_all(i);
  i = instance(library(a, both(a, "bad", fmi), FMU_ME));
  put(i, "mode", 9);
  begin_continuous(i);
  OK(fmu_set_time(i, 0.4));
  OK(fmu_completed_step(i, &event, &terminate));
  assert_false(event || terminate);
  OK(fmu_set_time(i, 0.5));
  OK(fmu_completed_step(i, &event, &terminate));
  assert_true(terminate);
  close_all(i);
}
BOTH(the_fmu_hears_of_steps_only_where_it_wants_to)

// ---- co-simulation

static void slope(const double *x, double *dx) { // of the oscillator with c = 0.5
  dx[0] = x[1];
  dx[1] = -4 * x[0] - 0.5 * x[1];
}

static void runge_kutta(double *x, double h) {
  double k[4][2], y[2];
  slope(x, k[0]);
  for (int stage = 1; stage < 4; stage++) {
    double share = stage == 3 ? h : h / 2;
    for (int n = 0; n < 2; n++) y[n] = x[n] + share * k[stage - 1][n];
    slope(y, k[stage]);
  }
  for (int n = 0; n < 2; n++) x[n] += h / 6 * (k[0][n] + 2 * k[1][n] + 2 * k[2][n] + k[3][n]);
}

static void steps_are_those_of_the_method_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "oscillator", fmi), FMU_CS));
  put(i, "c", 0.5);
  put(i, "x", 0.8);
  begin(i);
  double x[2] = {0.8, 0};
  for (int k = 0; k < 100; k++) {
    step(i, 0.1 * k, 0.1 * (k + 1) - 0.1 * k);
    for (int n = 0; n < 100; n++) runge_kutta(x, 1e-3);
    assert_close(value_of(i, "x"), x[0], 1e-12);
    assert_close(value_of(i, "v"), x[1], 1e-12);
  }
  close_all(i);
}
BOTH(steps_are_those_of_the_method)

static void a_coarse_method_is_coarse_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "vanderpol", fmi), FMU_CS));
  begin(i);
  step(i, 0, 1);
  double x = 2, v = 0;
  for (int n = 0; n < 100; n++) {
    double dx = v, dv = (1 - x * x) * v - x;
    x += 0.01 * dx;
    v += 0.01 * dv;
  }
  assert_close(value_of(i, "x0"), x, 1e-12);
  close_all(i);
}
BOTH(a_coarse_method_is_coarse)

static void events_inside_steps_are_located_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "ball", fmi), FMU_CS));
  begin(i);
  step(i, 0, 0.7);
  double fall = sqrt(2 / 9.81), rise = 0.7 * 9.81 * fall, t = 0.7 - fall;
  assert_close(value_of(i, "h"), rise * t - 9.81 * t * t / 2, 1e-9);
  step(i, 0.7, 10);
  assert_close(value_of(i, "h"), 0, 0); // it lies
  assert_close(value_of(i, "v"), 0, 0);
  close_all(i);
  i = instance(library(a, both(a, "stairs", fmi), FMU_CS));
  begin(i);
  step(i, 0, 3.5); // 0 + 1 + 2 + 3/2
  assert_close(value_of(i, "x"), 4.5, 1e-12);
  assert_close(value_of(i, "counter"), 3, 0);
  close_all(i);
}
BOTH(events_inside_steps_are_located)

static void a_thermostat_keeps_its_limits_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "thermo", fmi), FMU_CS));
  begin(i);
  step(i, 0, 600);
  int switched = 0;
  double on = value_of(i, "on");
  for (int k = 0; k < 100; k++) {
    step(i, 600 + 10 * k, 10);
    assert_true(value_of(i, "T") > 19 - 1e-9 && value_of(i, "T") < 21 + 1e-9);
    switched += value_of(i, "on") != on;
    on = value_of(i, "on");
  }
  assert_true(switched > 5);
  close_all(i);
}
BOTH(a_thermostat_keeps_its_limits)

// Without damping the energy stays, with the part that the stop stores.
static void a_stop_stores_energy_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "switch", fmi), FMU_CS));
  put(i, "c", 0);
  begin(i);
  int touched = 0;
  for (int k = 0; k < 100; k++) {
    step(i, 0.05 * k, 0.05 * (k + 1) - 0.05 * k);
    double x = value_of(i, "x"), v = value_of(i, "v"), in = fmax(0, x - 0.5);
    assert_close(v * v / 2 + 2 * x * x + 50 * in * in, 2, 1e-9);
    assert_close(value_of(i, "touches"), in > 0, 0);
    touched += in > 0;
  }
  assert_true(touched > 5 && touched < 95);
  close_all(i);
}
BOTH(a_stop_stores_energy)

// ---- values

static void values_that_are_set_are_read_back_of(Arena *a, const char *fmi) {
  FmuLibrary *l = library(a, both(a, "table", fmi), FMU_ME);
  FmuInstance *i = instance(l);
  // several types and one variable twice
  int variables[] = {number_of(l, "u"),     number_of(l, "order"), number_of(l, "invert"),
                     number_of(l, "speed"), number_of(l, "x"),     number_of(l, "order")};
  double in[] = {3.25, 2, 1, 2, -0.5, 2}, out[6];
  FmuGroup *g = fmu_group_new(a, l, variables, 6);
  OK(fmu_set(i, g, in));
  begin_continuous(i);
  OK(fmu_get(i, g, out));
  assert_memory_equal(out, in, sizeof in);
  double dx;
  OK(fmu_get_derivatives(i, &dx, 1));
  assert_close(dx, -10 * 2.5 * 2.5 * 3.75, 1e-12);
  close_all(i);
}
BOTH(values_that_are_set_are_read_back)

static const struct {
  const char *type;
  double least, most;
} NUMBERS[] = {
    {"Float64", -0.1, 1e300},
    {"Float32", -0.5, 0x1p100},
    {"Int8", -128, 127},
    {"UInt8", 0, 255},
    {"Int16", -32768, 32767},
    {"UInt16", 0, 65535},
    {"Int32", -0x1p31, 0x1p31 - 1},
    {"UInt32", 0, 0x1p32 - 1},
    {"Int64", -0x1p63, 0x1p62},
    {"UInt64", 0, 0x1p63},
    {"Boolean", 0, 1},
};

enum { NUMBER_COUNT = sizeof NUMBERS / sizeof *NUMBERS };

static void every_type_of_fmi_3_is_set_and_read(void **state) {
  Arena *a = *state;
  FmuLibrary *l = library(a, "types3", FMU_ME);
  int in[NUMBER_COUNT], out[NUMBER_COUNT];
  for (int k = 0; k < NUMBER_COUNT; k++) {
    in[k] = number_of(l, arena_print(a, "p%s", NUMBERS[k].type));
    out[k] = number_of(l, arena_print(a, "y%s", NUMBERS[k].type));
  }
  for (int side = 0; side < 2; side++) {
    double values[NUMBER_COUNT], got[NUMBER_COUNT];
    for (int k = 0; k < NUMBER_COUNT; k++) values[k] = side ? NUMBERS[k].most : NUMBERS[k].least;
    FmuInstance *i = instance(l);
    OK(fmu_set(i, fmu_group_new(a, l, in, NUMBER_COUNT), values));
    begin(i);
    OK(fmu_get(i, fmu_group_new(a, l, out, NUMBER_COUNT), got));
    for (int k = 0; k < NUMBER_COUNT; k++) assert_close(got[k], values[k], 0);
    fmu_instance_free(i);
  }
  fmu_library_close(l);
}

static void a_value_that_is_none_of_its_type_is_refused_by_name(void **state) {
  Arena *a = *state;
  FmuLibrary *l = library(a, "types3", FMU_ME);
  static const struct {
    const char *name;
    double value;
  } CASES[] = {{"pUInt8", 256},     {"pUInt8", -1},          {"pInt16", 0.5},
               {"pBoolean", 2},     {"pInt32", (double)NAN}, {"pInt64", 0x1p63},
               {"pUInt64", 0x1p64}, {"pInt8", HUGE_VAL}};
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    FmuInstance *i = instance(l);
    IS(fmu_set(i, group1(a, l, CASES[k].name), &CASES[k].value), FMU_ERROR);
    assert_non_null(strstr(fmu_instance_log(i), CASES[k].name));
    assert_string_equal(fmu_instance_failed(i), "fmu_set");
    fmu_instance_free(i);
  }
  fmu_library_close(l);
}

static void texts_are_set_of(Arena *a, const char *fmi) {
  FmuLibrary *l = library(a, both(a, "table", fmi), FMU_ME);
  FmuInstance *i = instance(l);
  OK(fmu_set_text(i, number_of(l, "file"), "other.txt"));
  begin(i);
  assert_close(value_of(i, "gain"), 0.5, 0);
  fmu_instance_free(i);
  i = instance(l);
  OK(fmu_set_text(i, number_of(l, "file"), "third.txt"));
  OK(fmu_enter_initialization(i));
  IS(fmu_exit_initialization(i), FMU_ERROR);
  assert_string_equal(fmu_instance_failed(i), arena_print(a, "fmi%sExitInitializationMode", fmi));
  assert_string_equal(fmu_instance_log(i),
                      "cannot read third.txt: No such file or directory (time 0)");
  fmu_instance_free(i);
  fmu_library_close(l);
}
BOTH(texts_are_set)

static void a_variable_of_another_type_is_refused_by_name_of(Arena *a, const char *fmi) {
  FmuLibrary *l = library(a, both(a, "table", fmi), FMU_ME);
  FmuInstance *i = instance(l);
  IS(fmu_set_text(i, number_of(l, "order"), "2"), FMU_ERROR);
  assert_string_equal(fmu_instance_log(i),
                      "variable 'order' is of type Integer, which fmu_set_text cannot have");
  fmu_instance_free(i);
  i = instance(l);
  double value = 1;
  IS(fmu_set(i, group1(a, l, "file"), &value), FMU_ERROR);
  assert_string_equal(fmu_instance_log(i),
                      "variable 'file' is of type String, which fmu_set cannot have");
  close_all(i);
}
BOTH(a_variable_of_another_type_is_refused_by_name)

// ---- arrays

static void an_element_is_set_without_the_others(void **state) {
  Arena *a = *state;
  FmuLibrary *l = library(a, "arrays3", FMU_ME);
  FmuInstance *i = instance(l);
  put(i, "A[2,1]", -9);
  put(i, "A[1,1]", 0.5);
  put(i, "x[2]", 3);
  int variables[] = {number_of(l, "A[2,2]"), number_of(l, "A[2,1]"), number_of(l, "A[1,2]"),
                     number_of(l, "A[1,1]"), number_of(l, "x[2]"),   number_of(l, "x[1]")};
  double wanted[] = {-0.2, -9, 1, 0.5, 3, 1}, values[6];
  begin_continuous(i);
  OK(fmu_get(i, fmu_group_new(a, l, variables, 6), values));
  assert_memory_equal(values, wanted, sizeof values);
  assert_int_equal(fmu_state_count(i), 2);
  double dx[2], u = 2;
  OK(fmu_set(i, group1(a, l, "u"), &u));
  OK(fmu_get_derivatives(i, dx, 2));
  assert_close(dx[0], 0.5 + 3, 1e-15);
  assert_close(dx[1], -9 - 0.6 + 2, 1e-15);
  assert_close(value_of(i, "y[2]"), 30, 0);
  close_all(i);
}

static void directions_have_elements(void **state) {
  Arena *a = *state;
  FmuLibrary *l = library(a, "arrays3", FMU_ME);
  FmuInstance *i = instance(l);
  begin_continuous(i);
  int unknowns[] = {number_of(l, "y[2]"), number_of(l, "der(x)[2]")};
  int knowns[] = {number_of(l, "u"), number_of(l, "x[2]")};
  double seed[] = {2, 3}, got[2];
  for (int k = 0; k < 2; k++) { // the second time without new groups
    OK(fmu_directional(i, unknowns, 2, knowns, 2, seed, got));
    assert_close(got[0], 30, 0);
    assert_close(got[1], 2 - 0.6, 1e-15);
  }
  OK(fmu_directional(i, unknowns, 1, knowns, 1, seed, got));
  assert_close(got[0], 0, 0);
  close_all(i);
}

// ---- what goes wrong

static FmuInstance *bad(Arena *a, const char *fmi, FmuInterface interface, int mode) {
  FmuInstance *i = instance(library(a, both(a, "bad", fmi), interface));
  put(i, "mode", mode);
  if (interface == FMU_ME)
    begin_continuous(i);
  else
    begin(i);
  return i;
}

static void an_error_ends_all_calls_of(Arena *a, const char *fmi) {
  FmuInstance *i = bad(a, fmi, FMU_CS, 7);
  double reached;
  bool ended;
  step(i, 0, 0.4);
  IS(fmu_step(i, 0.4, 0.2, &reached, &ended), FMU_ERROR);
  IS(fmu_instance_status(i), FMU_ERROR);
  assert_string_equal(fmu_instance_failed(i), arena_print(a, "fmi%sDoStep", fmi));
  const char *said = "the spring \\x1b[31mbroke\\x1b[0m at x = ";
  assert_memory_equal(fmu_instance_log(i), said, strlen(said));
  IS(fmu_step(i, 0.4, 0.2, &reached, &ended), FMU_ERROR);
  double value;
  IS(fmu_get(i, group1(a, i->library, "x"), &value), FMU_ERROR);
  close_all(i); // the FMU would abort when it is terminated
}
BOTH(an_error_ends_all_calls)

static void after_a_fatal_error_nothing_is_called_of(Arena *a, const char *fmi) {
  for (int interface = FMU_ME; interface <= FMU_CS; interface++) {
    FmuInstance *i = bad(a, fmi, interface, 11);
    double dx[2], reached;
    bool ended;
    if (interface == FMU_ME) {
      OK(fmu_set_time(i, 1));
      IS(fmu_get_derivatives(i, dx, 2), FMU_FATAL);
    } else
      IS(fmu_step(i, 0, 1, &reached, &ended), FMU_FATAL);
    IS(fmu_instance_status(i), FMU_FATAL);
    void *lost = i->component;
    close_all(i); // the FMU would abort
    free(lost);
  }
}
BOTH(after_a_fatal_error_nothing_is_called)

static void a_discarded_step_says_how_far_it_went_of(Arena *a, const char *fmi) {
  FmuInstance *i = bad(a, fmi, FMU_CS, 10);
  double reached;
  bool ended;
  IS(fmu_step(i, 0, 0.8, &reached, &ended), FMU_DISCARD);
  assert_false(ended);
  assert_close(reached, 0.5, 0.0101);
  close_all(i);
  i = bad(a, fmi, FMU_ME, 10);
  double dx[2];
  OK(fmu_set_time(i, 0.6));
  IS(fmu_get_derivatives(i, dx, 2), FMU_DISCARD);
  OK(fmu_set_time(i, 0.4)); // it goes on
  OK(fmu_get_derivatives(i, dx, 2));
  close_all(i);
}
BOTH(a_discarded_step_says_how_far_it_went)

static void an_fmu_may_end_the_simulation_of(Arena *a, const char *fmi) {
  FmuInstance *i = bad(a, fmi, FMU_CS, 9);
  double reached;
  bool ended;
  OK(fmu_step(i, 0, 0.8, &reached, &ended));
  assert_true(ended);
  assert_close(reached, 0.5, 0.0101);
  assert_string_equal(fmu_instance_failed(i), "");
  close_all(i);
}
BOTH(an_fmu_may_end_the_simulation)

static void what_is_no_number_comes_through_of(Arena *a, const char *fmi) {
  FmuInstance *i = bad(a, fmi, FMU_CS, 8);
  step(i, 0, 1);
  assert_true(isnan(value_of(i, "x")));
  close_all(i);
}
BOTH(what_is_no_number_comes_through)

static void a_call_that_the_fmu_refuses_is_in_the_log_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "oscillator", fmi), FMU_CS));
  begin(i);
  put(i, "k", 5); // tunable
  double value = 1e-2;
  IS(fmu_set(i, group1(a, i->library, "h"), &value), FMU_ERROR);
  assert_string_equal(fmu_instance_log(i), "variable h cannot be set now (time 0)");
  close_all(i);
}
BOTH(a_call_that_the_fmu_refuses_is_in_the_log)

static void the_log_keeps_the_last_lines(void **state) {
  FmuInstance *i = instance(library(*state, "oscillator2", FMU_CS));
  assert_string_equal(fmu_instance_log(i), "");
  for (int k = 0; k < 1000; k++) {
    i->callbacks.logger(i, "i", fmi2Warning, "c", "line %d of \x1b %s\n", k, "many");
    assert_true(strlen(fmu_instance_log(i)) <= INSTANCE_LOG_MOST);
  }
  const char *log = fmu_instance_log(i);
  assert_string_equal(log + strlen(log) - 21, "line 999 of \\x1b many");
  assert_memory_equal(log, "line ", 5); // no half lines
  assert_true(strlen(log) > INSTANCE_LOG_MOST - 50);
  char *long_line = arena_alloc(*state, 1, 5001);
  memset(long_line, 'x', 5000);
  i->callbacks.logger(i, "i", fmi2Warning, "c", "%s", long_line);
  assert_int_equal(strlen(fmu_instance_log(i)), INSTANCE_LOG_MOST);
  close_all(i);
}

static void a_log_cannot_write_into_memory(void **state) {
  FmuInstance *i = instance(library(*state, "oscillator2", FMU_CS));
  int written = 77;
  i->callbacks.logger(i, "i", fmi2Error, "c", "%d%% evil %-5hn", 1, &written);
  assert_int_equal(written, 77);
  assert_string_equal(fmu_instance_log(i), "%d%% evil %-5hn");
  i->callbacks.logger(i, "i", fmi2Error, "c", "%d%% good, #r1#", 99);
  assert_string_equal(fmu_instance_log(i), "%d%% evil %-5hn\n99% good, #r1#");
  i->callbacks.logger(NULL, "i", fmi2Error, "c", "nobody");
  i->callbacks.logger(i, NULL, fmi2Error, NULL, NULL);
  close_all(i);
}

static void assert_open_fails(Arena *a, const FmuDescription *d, const char *name,
                              FmuInterface interface, const char *why) {
  Err err = {0};
  const char *folder = arena_print(a, "%s/fmu/%s", build_folder(a), name);
  assert_null(fmu_library_open(a, d, folder, interface, &err));
  if (!strstr(err.text, why)) print_error("%s\n", err.text);
  assert_non_null(strstr(err.text, why));
}

static void what_cannot_be_loaded_is_said(void **state) {
  Arena *a = *state;
  assert_open_fails(a, description(a, "needy2"), "needy2", FMU_ME,
                    "needy2.fmu': libabsent.so: cannot open shared object file");
  assert_open_fails(a, description(a, "needy3"), "needy3", FMU_CS, "libabsent.so");
  FmuDescription other = *description(a, "ball2");
  other.fmi = 3;
  assert_open_fails(a, &other, "ball2", FMU_ME, "lacks functions of FMI 3: fmi3InstantiateModel");
  other = *description(a, "ball2");
  other.co_simulation.offered = false;
  assert_open_fails(a, &other, "ball2", FMU_CS, "does not offer co-simulation");
  other.model_exchange.identifier = "../../other";
  assert_open_fails(a, &other, "ball2", FMU_ME, "no usable modelIdentifier");
}

static void a_second_instance_may_be_refused_of(Arena *a, const char *fmi) {
  FmuLibrary *l = library(a, both(a, "once", fmi), FMU_ME);
  assert_true(l->info->once_per_process);
  FmuInstance *i = instance(l);
  Err err = {0};
  assert_null(fmu_instance_new(l, "second", &err));
  assert_non_null(strstr(err.text, "cannot be instantiated: there is an instance in this process"));
  fmu_instance_free(i);
  close_all(instance(l));
}
BOTH(a_second_instance_may_be_refused)

static void a_wrong_token_is_refused_of(Arena *a, const char *fmi) {
  FmuDescription d = *description(a, both(a, "ball", fmi));
  d.token = "other";
  Err err = {0};
  const char *folder = arena_print(a, "%s/fmu/ball%s", build_folder(a), fmi);
  FmuLibrary *l = fmu_library_open(a, &d, folder, FMU_ME, &err);
  assert_null(fmu_instance_new(l, "i", &err));
  assert_non_null(strstr(err.text, "is other instead of ball"));
  fmu_library_close(l);
}
BOTH(a_wrong_token_is_refused)

static void resources_are_found_in_folders_of_any_name_of(Arena *a, const char *fmi) {
  char folder[] = "/tmp/entrain-fmu-XXXXXX";
  assert_non_null(mkdtemp(folder));
  const char *path = arena_print(a, "%s/a b%%41\xc3\xa4", folder); // %41 would be an A
  assert_int_equal(symlink(arena_print(a, "%s/fmu/table%s", build_folder(a), fmi), path), 0);
  Err err = {0};
  FmuInstance *i =
      instance(fmu_library_open(a, description(a, both(a, "table", fmi)), path, FMU_CS, &err));
  begin(i);
  assert_close(value_of(i, "gain"), 2.5, 0);
  close_all(i);
  unlink(path);
  rmdir(folder);
}
BOTH(resources_are_found_in_folders_of_any_name)

// ---- several instances

enum { RUN_STEPS = 50 };

// All Real outputs after each step.
static int run(Arena *a, FmuInstance *i, double scale, double **rows) {
  const FmuDescription *d = fmu_library_description(i->library);
  FmuGroup *g = fmu_group_new(a, i->library, d->outputs.at, d->outputs.count);
  double h = scale / RUN_STEPS;
  *rows = ARENA_ARRAY(a, double, RUN_STEPS * d->outputs.count);
  begin(i);
  for (int k = 0; k < RUN_STEPS; k++) {
    step(i, h * k, h * (k + 1) - h * k);
    OK(fmu_get(i, g, *rows + k * d->outputs.count));
  }
  return RUN_STEPS * d->outputs.count;
}

static const char *const MODELS[] = {"oscillator", "vanderpol", "ball", "stairs", "switch",
                                     "thermo",     "table",     "once", "bad"};

static void both_versions_give_equal_numbers(void **state) {
  Arena *a = *state;
  for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
    double *rows[2];
    int count[2];
    for (int fmi = 0; fmi < 2; fmi++) {
      FmuInstance *i = instance(library(a, both(a, MODELS[k], fmi ? "3" : "2"), FMU_CS));
      double stop = fmu_library_description(i->library)->stop_time;
      count[fmi] = run(a, i, stop, &rows[fmi]);
      close_all(i);
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(rows[0], rows[1], (size_t)count[0] * sizeof(double));
  }
}

static void one_instance_after_another_gives_equal_bits(void **state) {
  Arena *a = *state;
  for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
    FmuLibrary *l = library(a, both(a, MODELS[k], "2"), FMU_CS);
    double *rows[2];
    int count = 0;
    for (int turn = 0; turn < 2; turn++) {
      FmuInstance *i = instance(l);
      count = run(a, i, fmu_library_description(l)->stop_time, &rows[turn]);
      fmu_instance_free(i);
    }
    assert_memory_equal(rows[0], rows[1], (size_t)count * sizeof(double));
    fmu_library_close(l);
  }
}

static void two_instances_are_independent_of(Arena *a, const char *fmi) {
  FmuLibrary *l = library(a, both(a, "oscillator", fmi), FMU_CS);
  FmuInstance *alone = instance(l), *pair[2] = {instance(l), instance(l)};
  double *rows;
  run(a, alone, 10, &rows);
  put(pair[1], "k", 9);
  begin(pair[0]);
  begin(pair[1]);
  double h = 10.0 / RUN_STEPS;
  for (int k = 0; k < RUN_STEPS; k++)
    for (int n = 0; n < 2; n++) step(pair[n], h * k, h * (k + 1) - h * k);
  assert_close(value_of(pair[0], "x"), value_of(alone, "x"), 0);
  assert_true(fabs(value_of(pair[1], "x") - value_of(alone, "x")) > 0.01);
  fmu_instance_free(pair[0]);
  fmu_instance_free(pair[1]);
  close_all(alone);
}
BOTH(two_instances_are_independent)

// ---- memory

static void calls_of_a_step_take_no_memory_of(Arena *a, const char *fmi) {
  FmuInstance *i = instance(library(a, both(a, "vanderpol", fmi), FMU_ME));
  begin_continuous(i);
  const FmuDescription *d = fmu_library_description(i->library);
  int count = d->variables.count, by[] = {d->states.at[0], d->states.at[1]};
  int *all = ARENA_ARRAY(a, int, count);
  for (int k = 0; k < count; k++) all[k] = k;
  FmuGroup *g = fmu_group_new(a, i->library, all, count);
  double *values = ARENA_ARRAY(a, double, count), x[2] = {1, 2}, dx[2], seed[2] = {1, 0};
  bool event, terminate;
  OK(fmu_directional(i, d->derivatives.at, 2, by, 2, seed, dx));
  size_t before = mallinfo2().uordblks;
  for (int k = 0; k < 100; k++) {
    OK(fmu_set_time(i, 0.01 * k));
    OK(fmu_set_states(i, x, 2));
    OK(fmu_get_derivatives(i, dx, 2));
    OK(fmu_get(i, g, values));
    OK(fmu_get_indicators(i, NULL, 0));
    OK(fmu_directional(i, d->derivatives.at, 2, by, 2, seed, dx));
    OK(fmu_completed_step(i, &event, &terminate));
  }
  assert_int_equal(mallinfo2().uordblks, before);
  close_all(i);
}
BOTH(calls_of_a_step_take_no_memory)

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(derivatives_are_those_of_the_formula),
      TEST(directional_derivatives_are_difference_quotients),
      TEST(state_events_change_states),
      TEST(time_events_are_announced),
      TEST(the_fmu_hears_of_steps_only_where_it_wants_to),
      TEST(steps_are_those_of_the_method),
      TEST(a_coarse_method_is_coarse),
      TEST(events_inside_steps_are_located),
      TEST(a_thermostat_keeps_its_limits),
      TEST(a_stop_stores_energy),
      TEST(values_that_are_set_are_read_back),
      TEST(every_type_of_fmi_3_is_set_and_read),
      TEST(a_value_that_is_none_of_its_type_is_refused_by_name),
      TEST(texts_are_set),
      TEST(a_variable_of_another_type_is_refused_by_name),
      TEST(an_element_is_set_without_the_others),
      TEST(directions_have_elements),
      TEST(an_error_ends_all_calls),
      TEST(after_a_fatal_error_nothing_is_called),
      TEST(a_discarded_step_says_how_far_it_went),
      TEST(an_fmu_may_end_the_simulation),
      TEST(what_is_no_number_comes_through),
      TEST(a_call_that_the_fmu_refuses_is_in_the_log),
      TEST(the_log_keeps_the_last_lines),
      TEST(a_log_cannot_write_into_memory),
      TEST(what_cannot_be_loaded_is_said),
      TEST(a_second_instance_may_be_refused),
      TEST(a_wrong_token_is_refused),
      TEST(resources_are_found_in_folders_of_any_name),
      TEST(both_versions_give_equal_numbers),
      TEST(one_instance_after_another_gives_equal_bits),
      TEST(two_instances_are_independent),
      TEST(calls_of_a_step_take_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
