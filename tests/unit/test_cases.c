// The cases that the product must solve, against reference values and against each other.
#include <unistd.h>

#include "simulation.h"

static const char *const DATA = "../shared/data/ivp-testset";

// ---------------------------------------------------------------- pendulum

static void energy_of_the_pendulum_is_kept(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"rk5", "rk8", "rosenbrock", "auto", "bdf", "adams"};
  for (int k = 0; k < 6; k++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-10 abs_tol=1e-12", SOLVERS[k]);
    Run r =
        simulate_fully(.file = "models/pendulum.mo", .options = options, .stop = 50, .step = 0.5);
    const double *theta = column(&r, "theta"), *omega = column(&r, "omega");
    double energy = -10 * cos(theta[0]), most = 0;
    for (int i = 0; i < rows(&r); i++)
      most = fmax(most, fabs(omega[i] * omega[i] / 2 - 10 * cos(theta[i]) - energy));
    if (!(most < 1e-6)) print_error("%s: energy drifts by %g\n", SOLVERS[k], most);
    assert_true(most < 1e-6);
    run_free(&r);
  }
}

static void squared_sensitivity_of_the_pendulum_has_the_known_integral(void **state) {
  (void)state;
  Run r = simulate_fully(.file = "models/pendulum.mo", .options = "rel_tol=1e-9 abs_tol=1e-11",
                         .stop = 50, .step = 0.01, .sens = "p");
  const double *s = column(&r, "dtheta/dp");
  double sum = 0;
  assert_int_equal(rows(&r), 5001);
  for (int i = 1; i < rows(&r); i++) sum += 0.005 * (s[i] * s[i] + s[i - 1] * s[i - 1]);
  assert_close(sum, 138.085, 5e-4);
  run_free(&r);
}

// ---------------------------------------------------------------- van der Pol-Duffing

typedef struct Duffing {
  const char *set;
  double times[3], x1[3];
} Duffing;

static const Duffing DUFFING[] = {
    {"alpha=0.5 beta=0.5 mu=0.1", {1, 5, 20}, {.7735223928, -1.0718799398, -1.1289584418}},
    {"alpha=-0.5 beta=0.5 mu=0.1", {1, 5, 20}, {1.2137781431, -1.1691407126, -1.4835381696}},
    {"alpha=1.5 beta=-0.5 mu=0.1", {1, 2.5, 10}, {.7391487828, -.4953065884, 2.7124029552}},
};

static void duffing_matches_the_reference_with(const char *solver) {
  char options[100];
  snprintf(options, sizeof options, "solver=%s rel_tol=1e-10 abs_tol=1e-12", solver);
  for (int k = 0; k < 3; k++) {
    const Duffing *d = &DUFFING[k];
    Run r = simulate_fully(.file = "models/vanderpol_duffing.mo", .set = d->set, .options = options,
                           .times = d->times, .count = 3);
    for (int i = 0; i < 3; i++) assert_close(value_at(&r, "x1", i), d->x1[i], 1e-7);
    run_free(&r);
  }
}

static void duffing_matches_the_reference(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
  for (int k = 0; k < 6; k++) duffing_matches_the_reference_with(SOLVERS[k]);
}

static void duffing_sensitivities_match_differences(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    Spec s = {.file = "models/vanderpol_duffing.mo",
              .set = DUFFING[k].set,
              .options = "rel_tol=1e-9 abs_tol=1e-11",
              .times = DUFFING[k].times,
              .count = 3,
              .sens = "alpha beta mu x1.start x2.start"};
    assert_sensitivities(&s, .step = 1e-5, .tolerance = 1e-6,
                         .options = "rel_tol=1e-12 abs_tol=1e-14");
  }
}

// ---------------------------------------------------------------- engine mount

static const double MOUNT_TIMES[] = {.1, .5, 1, 2, 5};
static const struct {
  const char *file;
  double x1[5];
} MOUNTS[] = {
    {"models/mount_published.mo", {.058096026, 1.140318154, 2.802129578, .507245769, .459976553}},
    {"models/mount_consistent.mo",
     {2.820180352, -1.438948982, -1.265254206, -1.498625183, -.439934177}},
};

static void mount_matches_the_reference_with(const char *solver, double rel_tol, int count) {
  char options[120];
  snprintf(options, sizeof options, "solver=%s rel_tol=%g abs_tol=%g max_steps=1000000", solver,
           rel_tol, rel_tol / 100);
  for (int k = 0; k < 2; k++) {
    Run r = simulate_fully(.file = MOUNTS[k].file, .options = options, .times = MOUNT_TIMES,
                           .count = count, .select = "x1");
    for (int i = 0; i < count; i++) assert_close(value_at(&r, "x1", i), MOUNTS[k].x1[i], 1e-6);
    run_free(&r);
  }
}

static void mount_matches_the_reference(void **state) {
  (void)state;
  mount_matches_the_reference_with("auto", 1e-8, 5);
  mount_matches_the_reference_with("rk5", 1e-8, 5);
  mount_matches_the_reference_with("rosenbrock", 1e-8, 5);
}

static void mount_matches_the_reference_with_cvodes(void **state) {
  (void)state;
  mount_matches_the_reference_with("bdf", 1e-10, 3);
}

// The damping then is so strong that an explicit method would need 1e11 steps. x1 by bdf at rel_tol 1e-10.
static void stiff_mount_is_managed_automatically(void **state) {
  (void)state;
  static const double X1[] = {0.9794367154, 1.9333987742, 1.0358157570, 1.5232759666, 1.5232803931};
  Run r = simulate_fully(.file = "models/mount_consistent.mo", .set = "dH2=5", .times = MOUNT_TIMES,
                         .count = 5, .select = "x1");
  for (int i = 0; i < 5; i++) assert_close(value_at(&r, "x1", i), X1[i], 1e-6);
  assert_string_equal(r.work.solver, "rk8, rosenbrock");
  run_free(&r);
}

static void stiff_mount_is_the_same_with_bdf(void **state) {
  (void)state;
  static const double STOP[] = {5, 0.2};
  for (int k = 0; k < 2; k++) {
    Spec s = {.file = MOUNTS[k].file,
              .set = "dH2=5",
              .stop = STOP[k],
              .step = STOP[k] / 10,
              .select = "x1"};
    s.options = "rel_tol=1e-8 abs_tol=1e-10";
    Run own = simulate_spec_fully(&s);
    s.options = "solver=bdf rel_tol=1e-10 abs_tol=1e-12 max_steps=1000000";
    Run other = simulate_spec_fully(&s);
    assert_close(largest_difference(&own, &other, "x1"), 0, 1e-6);
    run_free(&own);
    run_free(&other);
  }
}

static void mount_sensitivities_match_differences(void **state) {
  (void)state;
  static const double TIMES[] = {.05, .1, .2};
  for (int k = 0; k < 2; k++) {
    Spec s = {.file = MOUNTS[k].file,
              .options = "rel_tol=1e-9 abs_tol=1e-12",
              .times = TIMES,
              .count = 3,
              .select = "x1 x4",
              .sens = "cE1 cE2 dE mL cH"};
    assert_sensitivities(&s, .step = 2e-5, .tolerance = 1e-5,
                         .options = "rel_tol=1e-12 abs_tol=1e-15");
  }
}

// ---------------------------------------------------------------- magnetorheological damper

static const double MR_TIMES[] = {.02, .1, .105, .11, .25, 1};
static const double MR_FORCE[] = {1813.67027, 719.14507,   138.30269,
                                  -796.70665, -1541.20212, -1859.74231};

static void damper_force_matches_the_reference(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
  for (int k = 0; k < 6; k++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-8 abs_tol=1e-10", SOLVERS[k]);
    Run r = simulate_fully(.file = "models/mr_damper.mo", .options = options, .times = MR_TIMES,
                           .count = 6);
    for (int i = 0; i < 6; i++) assert_close(value_at(&r, "F", i), MR_FORCE[i], 1e-3);
    run_free(&r);
  }
}

static void damper_is_symmetric_along_its_orbit(void **state) {
  (void)state;
  Spec a = {.file = "models/mr_damper.mo",
            .options = "rel_tol=1e-11 abs_tol=1e-13",
            .stop = 1,
            .step = 0.001,
            .select = "F"};
  Spec b = a;
  b.set = "alpha=532.6 beta=100*532.6/880 gamma=100*532.6/880 A=120*880/532.6";
  Run one = simulate_spec_fully(&a), other = simulate_spec_fully(&b);
  double apart = largest_difference(&one, &other, "F");
  if (!(apart < 1e-6)) print_error("forces apart by %g N\n", apart);
  assert_true(apart < 1e-6);
  run_free(&one);
  run_free(&other);
}

static void damper_sensitivities_match_differences(void **state) {
  (void)state;
  static const char *const SETS[] = {"n=2", "n=1.5"};
  for (int k = 0; k < 2; k++) {
    Spec s = {.file = "models/mr_damper.mo",
              .set = SETS[k],
              .options = "rel_tol=1e-9 abs_tol=1e-12",
              .times = MR_TIMES,
              .count = 6,
              .sens = "c0 k0 alpha beta gamma A n"};
    assert_sensitivities(&s, .step = 1e-4, .tolerance = 1e-5,
                         .options = "rel_tol=1e-12 abs_tol=1e-15");
  }
}

// z = 0 at the start and after every reversal: 0^n and its derivative by n must be finite there.
static void damper_sensitivity_by_the_exponent_is_finite_at_zero(void **state) {
  (void)state;
  static const char *const SETS[] = {"n=1.01", "n=1.5", "n=1.999", "n=2", "n=2.5"};
  static const char *const SOLVERS[] = {"rk8", "rosenbrock", "bdf"};
  static const double TIMES[] = {0, 1e-9, 0.01, 0.1, 0.3};
  for (int k = 0; k < 5; k++)
    for (int m = 0; m < 3; m++) {
      char options[100];
      snprintf(options, sizeof options, "solver=%s", SOLVERS[m]);
      Run r = simulate_fully(.file = "models/mr_damper.mo", .set = SETS[k], .options = options,
                             .times = TIMES, .count = 5, .sens = "n gamma");
      run_free(&r);
    }
}

// ---------------------------------------------------------------- pendulum of Frewin

typedef struct Frewin {
  const char *set;
  double alpha[4], y[2];
} Frewin;

static const Frewin FREWIN[] = {
    {"c=6 d=2", {-.721222, .184005, -.118766, -.029222}, {.249000, .016881}},
    {"c=0 d=0", {-.499188, -1.311246, .565901, -1.233452}, {.122028, .743354}},
    {"c=2 d=1", {-.575965, -.456874, -.544393, .217511}, {.161333, .102564}},
    {"c=1 d=2", {-.311709, -.402578, -.155898, .011179}, {.048189, .079946}},
    {"c=1 d=3", {-.184389, -.293397, -.043953, -.000660}, {.016952, .042733}},
    {"c=100 d=100", {.334156, .106649, .011255, .000126}, {.055313, .005682}},
};

// The reduced equation, and the equations of index 3 as they are published.
static const char *const FREWIN_FORMS[] = {"models/frewin_pendulum.mo",
                                           "examples/frewin/frewin.mo"};

static void frewin_pendulum_matches_the_reference(void **state) {
  (void)state;
  static const double TIMES[] = {1, 2, 4, 8};
  for (int j = 0; j < 12; j++) {
    int k = j % 6;
    Run r = simulate_fully(.file = FREWIN_FORMS[j / 6], .set = FREWIN[k].set,
                           .options = "rel_tol=1e-9 abs_tol=1e-11", .times = TIMES, .count = 4);
    for (int i = 0; i < 4; i++) assert_close(value_at(&r, "alpha", i), FREWIN[k].alpha[i], 1e-5);
    for (int i = 0; i < 2; i++) assert_close(value_at(&r, "y", i), FREWIN[k].y[i], 1e-5);
    run_free(&r);
  }
}

static void frewin_sensitivities_match_the_reference(void **state) {
  (void)state;
  static const double TIMES[] = {.5, 1, 2, 4, 8};
  static const struct {
    const char *set, *name;
    double value[5];
  } REFERENCE[] = {
      {"c=6 d=2", "dalpha/dc", {-.052220, -.060873, .105836, .073356, -.010107}},
      {"c=6 d=2", "dy/dc", {-.031811, .040195, .019365, -.008692, .000295}},
      {"c=6 d=2", "dalpha/dd", {.019747, .186767, -.093188, .109454, .060146}},
      {"c=100 d=100", "dalpha/dc", {-.003697, -.003625, -.002237, -.000471, -.000011}},
  };
  for (int j = 0; j < 8; j++) {
    int k = j % 4;
    Run r = simulate_fully(.file = FREWIN_FORMS[j / 4], .set = REFERENCE[k].set,
                           .options = "rel_tol=1e-9 abs_tol=1e-11", .times = TIMES, .count = 5,
                           .sens = "c d");
    for (int i = 0; i < 5; i++)
      assert_close(value_at(&r, REFERENCE[k].name, i), REFERENCE[k].value[i], 1e-5);
    run_free(&r);
  }
}

// ---------------------------------------------------------------- test set for initial value problems

typedef struct Ivp {
  const char *model, *reference;
  const char *own, *cvodes; // solvers
  double rel_tol, abs_tol;  // of our own
  double tighter;           // CVODES gets this part of it: its global error is larger
  double stop;
  const char *sens; // by a few parameters
  double step;      // of the differences
} Ivp;

static const Ivp IVP[] = {
    {"robertson", "rober", "auto rosenbrock", "bdf", 1e-8, 1e-16, 0.01, 1e11, "k1 k2 k3", 1e-3},
    {"hires", "hires", "auto rosenbrock rk8", "bdf", 1e-8, 1e-12, 0.01, 321.8122,
     "k1 k2 k6 kplus oks", 1e-4},
    {"orego", "orego", "auto rosenbrock", "bdf", 1e-8, 1e-10, 0.01, 360, "s q w", 1e-5},
    {"vanderpol_stiff", "vdpol", "auto rosenbrock", "bdf", 1e-8, 1e-10, 0.01, 2000, "mu", 1e-6},
    {"pollution", "pollution", "auto rosenbrock", "bdf", 1e-8, 1e-20, 0.01, 60, "k1 k2 k12 k19 k25",
     1e-3},
    // close encounters amplify errors; not for rosenbrock, whose sixth digit needs 1e-9
    {"pleiades", "pleiades", "auto rk5 rk8", "bdf adams", 1e-8, 1e-11, 0.001, 3, "G m1 m7", 1e-5},
};

static int read_reference(const char *name, double *out, int most) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s.ref.txt", DATA, name);
  FILE *f = fopen(path, "r");
  int count = 0, index;
  assert_non_null(f);
  while (count < most && fscanf(f, "%d %lf", &index, &out[count]) == 2) count++;
  fclose(f);
  return count;
}

static void skip_without_data(void) {
  if (access(DATA, R_OK) == 0) return;
  print_message("%s is absent: nothing to compare with\n", DATA);
  skip();
}

static void compare_with_reference(const Ivp *p, const char *solver, double tighter) {
  double reference[64];
  char file[100], options[200];
  snprintf(file, sizeof file, "models/%s.mo", p->model);
  snprintf(options, sizeof options, "solver=%s rel_tol=%g abs_tol=%g max_steps=1000000", solver,
           p->rel_tol * tighter, p->abs_tol * tighter);
  int n = read_reference(p->reference, reference, 64);
  Run r = simulate_fully(.file = file, .options = options, .times = &p->stop, .count = 1);
  assert_true(n > 0 && entrain_model_count(r.model, ENTRAIN_STATE) == n);
  bool all = true;
  for (int i = 0; i < n; i++) {
    EntrainVariable v = {.size = sizeof v};
    entrain_model_variable(r.model, ENTRAIN_STATE, i, &v);
    double x = last_value(&r, v.name), error = fabs(x - reference[i]) / fabs(reference[i]);
    if (error <= 1e-6) continue;
    print_error("%s with %s: %s = %.12g, reference %.12g, relative error %.2g\n", p->model, solver,
                v.name, x, reference[i], error);
    all = false;
  }
  run_free(&r);
  assert_true(all);
}

static void ivp_matches_the_reference(void **state) {
  const Ivp *p = *state;
  skip_without_data();
  Words *w = malloc(sizeof *w);
  split_words(p->own, w);
  for (int k = 0; k < w->count; k++) compare_with_reference(p, w->at[k], 1);
  split_words(p->cvodes, w);
  for (int k = 0; k < w->count; k++) compare_with_reference(p, w->at[k], p->tighter);
  free(w);
}

static void ivp_sensitivities_match_differences(void **state) {
  const Ivp *p = *state;
  char file[100], tight[200], options[200];
  snprintf(file, sizeof file, "models/%s.mo", p->model);
  snprintf(options, sizeof options, "rel_tol=%g abs_tol=%g max_steps=1000000", p->rel_tol / 100,
           p->abs_tol);
  snprintf(tight, sizeof tight, "rel_tol=1e-12 abs_tol=%g max_steps=10000000", p->abs_tol / 1000);
  Spec s = {.file = file, .options = options, .times = &p->stop, .count = 1, .sens = p->sens};
  assert_sensitivities(&s, .step = p->step, .tolerance = 1e-5, .options = tight);
}

#define IVP_TEST(function, i)                                                                      \
  { #function "_" #i, function, NULL, NULL, (void *)(uintptr_t)&IVP[i] }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_of_the_pendulum_is_kept),
      cmocka_unit_test(squared_sensitivity_of_the_pendulum_has_the_known_integral),
      cmocka_unit_test(duffing_matches_the_reference),
      cmocka_unit_test(duffing_sensitivities_match_differences),
      cmocka_unit_test(mount_matches_the_reference),
      cmocka_unit_test(mount_matches_the_reference_with_cvodes),
      cmocka_unit_test(stiff_mount_is_managed_automatically),
      cmocka_unit_test(stiff_mount_is_the_same_with_bdf),
      cmocka_unit_test(mount_sensitivities_match_differences),
      cmocka_unit_test(damper_force_matches_the_reference),
      cmocka_unit_test(damper_is_symmetric_along_its_orbit),
      cmocka_unit_test(damper_sensitivities_match_differences),
      cmocka_unit_test(damper_sensitivity_by_the_exponent_is_finite_at_zero),
      cmocka_unit_test(frewin_pendulum_matches_the_reference),
      cmocka_unit_test(frewin_sensitivities_match_the_reference),
      IVP_TEST(ivp_matches_the_reference, 0),
      IVP_TEST(ivp_matches_the_reference, 1),
      IVP_TEST(ivp_matches_the_reference, 2),
      IVP_TEST(ivp_matches_the_reference, 3),
      IVP_TEST(ivp_matches_the_reference, 4),
      IVP_TEST(ivp_matches_the_reference, 5),
      IVP_TEST(ivp_sensitivities_match_differences, 0),
      IVP_TEST(ivp_sensitivities_match_differences, 1),
      IVP_TEST(ivp_sensitivities_match_differences, 2),
      IVP_TEST(ivp_sensitivities_match_differences, 3),
      IVP_TEST(ivp_sensitivities_match_differences, 4),
      IVP_TEST(ivp_sensitivities_match_differences, 5),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
