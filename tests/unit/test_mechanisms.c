// The mechanisms of examples/: invariants and their sensitivities, differences, energy, and the same motion in minimal
// coordinates.
#include "base/file.h"
#include "base/text.h"
#include "model/system.h"

#include "loaded.h"
#include "simulation.h"

typedef struct Mechanism {
  const char *file;
  const char *velocities; // states whose derivatives are accelerations
  const char *sens;       // parameters, some of which move the constraints
  const char *select;     // columns to compare with differences; NULL: all
  double stop, step;
  int invariants, redundant;
  const char *energy, *power; // expressions: d(energy)/dt = power
  const char *lossless;       // settings that make the power 0
  const char *minimal;        // file of the same motion in minimal coordinates, or
  const char *minimal_body;   // its text behind the parameters, which are those of the file
  const char *same;           // columns that both have
  double tolerance;           // of their difference, relative to the size of the column
} Mechanism;

// ---------------------------------------------------------------- minimal forms

static const char FREWIN_CORRECT[] =
    "Real alpha(start = 1.5707963267948966, fixed = true), w(start = 0, fixed = true), y, lam;\n"
    "equation der(alpha) = w; y = l - l*cos(alpha);\n"
    "(IA + m*l^2)*der(w) = -m*g*l*sin(alpha) - c*l^2*sin(alpha)*cos(alpha)\n"
    "  - d*l^2*cos(alpha)^2*w;\n"
    "lam = m*(g + l*sin(alpha)*der(w) + l*cos(alpha)*w^2);\n";

// The principle of virtual power: every velocity is w1 times a coefficient h.
static const char SLIDER_CRANK[] =
    "Real phi1(start = 2.2, fixed = true), w1(start = 0, fixed = true), a1, phi2, w2, a2, h2;\n"
    "Real x3, v3, a3, h3, hx, hy, ax, ay;\n"
    "equation der(phi1) = w1; der(w1) = a1; phi2 = asin(-l1/l2*sin(phi1));\n"
    "h2 = -l1*cos(phi1)/(l2*cos(phi2)); w2 = h2*w1; v3 = h3*w1;\n"
    "hx = -l1*sin(phi1) - l2/2*sin(phi2)*h2; hy = l1*cos(phi1) + l2/2*cos(phi2)*h2;\n"
    "x3 = l1*cos(phi1) + l2*cos(phi2); h3 = -l1*sin(phi1) - l2*sin(phi2)*h2;\n"
    "l2*(cos(phi2)*a2 - sin(phi2)*w2^2) = -l1*(cos(phi1)*a1 - sin(phi1)*w1^2);\n"
    "ax = -l1*(sin(phi1)*a1 + cos(phi1)*w1^2) - l2/2*(sin(phi2)*a2 + cos(phi2)*w2^2);\n"
    "ay = l1*(cos(phi1)*a1 - sin(phi1)*w1^2) + l2/2*(cos(phi2)*a2 - sin(phi2)*w2^2);\n"
    "a3 = -l1*(sin(phi1)*a1 + cos(phi1)*w1^2) - l2*(sin(phi2)*a2 + cos(phi2)*w2^2);\n"
    "J1*a1 + m2*(hx*ax + hy*ay) + J2*h2*a2 + h3*(m3*a3 + k*(x3 - x0) + d*v3) = T0*sin(w0*time);\n";

static const char FOUR_BAR[] =
    "Real phi1(start = 1, fixed = true), w1(start = 0, fixed = true), a1, r2, phi2, phi3;\n"
    "Real h2, h3, w2, w3, a2, a3, hx, hy, ax, ay;\n"
    "equation der(phi1) = w1; der(w1) = a1; r2 = (l0 - l1*cos(phi1))^2 + (l1*sin(phi1))^2;\n"
    "phi2 = atan2(-l1*sin(phi1), l0 - l1*cos(phi1)) + acos((l2^2 + r2 - l3^2)/(2*l2*sqrt(r2)));\n"
    "phi3 = atan2(l1*sin(phi1) + l2*sin(phi2), l1*cos(phi1) + l2*cos(phi2) - l0);\n"
    "-l1*sin(phi1) - l2*sin(phi2)*h2 = -l3*sin(phi3)*h3; w2 = h2*w1;\n"
    "l1*cos(phi1) + l2*cos(phi2)*h2 = l3*cos(phi3)*h3; w3 = h3*w1;\n"
    "-l1*(sin(phi1)*a1 + cos(phi1)*w1^2) - l2*(sin(phi2)*a2 + cos(phi2)*w2^2)\n"
    "  = -l3*(sin(phi3)*a3 + cos(phi3)*w3^2);\n"
    "l1*(cos(phi1)*a1 - sin(phi1)*w1^2) + l2*(cos(phi2)*a2 - sin(phi2)*w2^2)\n"
    "  = l3*(cos(phi3)*a3 - sin(phi3)*w3^2);\n"
    "hx = -l1*sin(phi1) - l2/2*sin(phi2)*h2; hy = l1*cos(phi1) + l2/2*cos(phi2)*h2;\n"
    "ax = -l1*(sin(phi1)*a1 + cos(phi1)*w1^2) - l2/2*(sin(phi2)*a2 + cos(phi2)*w2^2);\n"
    "ay = l1*(cos(phi1)*a1 - sin(phi1)*w1^2) + l2/2*(cos(phi2)*a2 - sin(phi2)*w2^2);\n"
    "(J1 + m1*l1^2/4)*a1 + m2*(hx*ax + hy*ay) + J2*h2*a2 + (J3 + m3*l3^2/4)*h3*a3\n"
    "  = T0 - b*w1 - h3*(k*(phi3 - phi0) + d*w3)\n"
    "  - g*(m1*l1/2*cos(phi1) + m2*hy + m3*l3/2*cos(phi3)*h3);\n";

static const char PARALLELOGRAM[] =
    "Real q1(start = 0.9, fixed = true), w1(start = 0, fixed = true), q3, x, y;\n"
    "equation der(q1) = w1; q3 = q1; x = b + l*sin(q1); y = -l*cos(q1);\n"
    "(m + mc)*l^2*der(w1) = F0*sin(w0*time)*l*cos(q1) - (m + 3/2*mc)*g*l*sin(q1) - 3*d*w1 - "
    "k*q1;\n";

// ---------------------------------------------------------------- the mechanisms

#define PENDULUM_ENERGY "1/2*IA*w^2 + 1/2*m*(l^2*cos(alpha)^2*w^2 + vy^2) + m*g*y"

static const Mechanism MECHANISMS[] = {
    {.file = "examples/frewin/frewin.mo",
     .velocities = "w vy",
     .sens = "c d m IA", // not l: all start values are fixed
     .stop = 8,
     .step = 0.1,
     .invariants = 2,
     .energy = PENDULUM_ENERGY,
     .power = "-(c*l*sin(alpha) + d*l*cos(alpha)*w)*w",
     .lossless = "c=0 d=0",
     .minimal = "models/frewin_pendulum.mo",
     .same = "alpha w y lam",
     .tolerance = 1e-8},
    {.file = "examples/frewin_correct/frewin_correct.mo",
     .velocities = "w vy",
     .sens = "c d l alpha.start",
     .stop = 8,
     .step = 0.1,
     .invariants = 2,
     .energy = PENDULUM_ENERGY " + 1/2*c*(l*sin(alpha))^2",
     .power = "-d*(l*cos(alpha)*w)^2",
     .lossless = "d=0",
     .minimal_body = FREWIN_CORRECT,
     .same = "alpha w y lam",
     .tolerance = 1e-8},
    {.file = "examples/slider_crank/slider_crank.mo",
     .velocities = "w1 vx2 vy2 w2 v3",
     .sens = "m3 k d l2 phi1.start",
     .stop = 3,
     .step = 0.1,
     .invariants = 8,
     .energy =
         "1/2*J1*w1^2 + 1/2*m2*(vx2^2 + vy2^2) + 1/2*J2*w2^2 + 1/2*m3*v3^2 + 1/2*k*(x3 - x0)^2",
     .power = "T*w1 - d*v3^2",
     .lossless = "d=0 T0=0",
     .minimal_body = SLIDER_CRANK,
     .same = "phi1 w1 phi2 w2 x3 v3 a3",
     .tolerance = 1e-8},
    {.file = "examples/four_bar/four_bar.mo",
     .velocities = "vx1 vy1 w1 vx2 vy2 w2 vx3 vy3 w3",
     .sens = "m2 k d l1 phi1.start",
     .stop = 3,
     .step = 0.1,
     .invariants = 16,
     .energy = "1/2*m1*(vx1^2 + vy1^2) + 1/2*J1*w1^2 + 1/2*m2*(vx2^2 + vy2^2) + 1/2*J2*w2^2"
               " + 1/2*m3*(vx3^2 + vy3^2) + 1/2*J3*w3^2 + g*(m1*y1 + m2*y2 + m3*y3)"
               " + 1/2*k*(phi3 - phi0)^2",
     .power = "(T0 - b*w1)*w1 - d*w3^2",
     .lossless = "T0=0 b=0 d=0",
     .minimal_body = FOUR_BAR,
     .same = "phi1 w1 phi2 w2 phi3 w3",
     .tolerance = 1e-8},
    {.file = "examples/double_pendulum_cartesian/double_pendulum_cartesian.mo",
     .velocities = "vx1 vy1 w1 vx2 vy2 w2",
     .sens = "L1 L2 m2 d",
     .stop = 10,
     .step = 0.1,
     .invariants = 8,
     .energy = "1/2*m1*(vx1^2 + vy1^2) + 1/2*J1*w1^2 + 1/2*m2*(vx2^2 + vy2^2) + 1/2*J2*w2^2"
               " + g*(m1*y1 + m2*y2)",
     .power = "-d*w1^2 - d*(w2 - w1)^2",
     .lossless = "d=0",
     .minimal = "examples/double_pendulum_cartesian/minimal.mo",
     .same = "phi1 w1 phi2 w2",
     .tolerance = 1e-7},
    {.file = "examples/parallelogram/parallelogram.mo",
     .velocities = "w1 w2 w3 vx vy",
     .sens = "m k d l q1.start",
     .select = "q1 q2 q3 w1 w2 w3 x y vx vy Ax Ay Bx By Cx Cy", // phi and its rate are 0
     .stop = 5,
     .step = 0.1,
     .invariants = 11, // the redundant one as typed only
     .redundant = 1,
     .energy = "1/2*mc*l^2/3*(w1^2 + w2^2 + w3^2) + 1/2*m*(vx^2 + vy^2) + 1/2*J*w^2 + 1/2*k*q1^2"
               " + g*(m*y - mc*l/2*(cos(q1) + cos(q2) + cos(q3)))",
     .power = "F0*sin(w0*time)*vx - d*(w1^2 + w2^2 + w3^2)",
     .lossless = "F0=0 d=0",
     .minimal_body = PARALLELOGRAM,
     .same = "q1 w1 q3 x y",
     .tolerance = 1e-8},
};

// ---------------------------------------------------------------- text of models

static char *text_of(Arena *a, const char *file) {
  Err err = {0};
  char *text = file_read(a, file, 1 << 20, NULL, &err);
  if (!text) fail_msg("%s", err.text);
  return text;
}

// The model with more declarations and equations.
static char *extended(Arena *a, const char *file, const char *declarations, const char *equations) {
  static const char EQUATION[] = "\nequation\n";
  char *text = text_of(a, file), *at = strstr(text, EQUATION);
  assert_non_null(at);
  return arena_print(a, "%.*s\n%s%s%s%s", (int)(at - text), text, declarations, EQUATION, equations,
                     at + strlen(EQUATION));
}

static char *with_accelerations(Arena *a, const Mechanism *k) {
  Words *w = malloc(sizeof *w);
  Text t;
  text_init(&t);
  split_words(k->velocities, w);
  for (int i = 0; i < w->count; i++)
    text_print(&t, "Real rate_of_%s = der(%s);\n", w->at[i], w->at[i]);
  char *text = extended(a, k->file, t.at, "");
  text_done(&t);
  free(w);
  return text;
}

static char *with_energy(Arena *a, const Mechanism *k) {
  return extended(
      a, k->file,
      arena_print(a, "Real energy = %s; Real work(start = 0, fixed = true);\n", k->energy),
      arena_print(a, "der(work) = %s;\n", k->power));
}

// The parameters of the file and a body of its own.
static char *minimal_text(Arena *a, const Mechanism *k) {
  static const char PARAMETER[] = "  parameter ";
  if (k->minimal) return text_of(a, k->minimal);
  char *save, *line = strtok_r(text_of(a, k->file), "\n", &save), *text = "";
  for (; line; line = strtok_r(NULL, "\n", &save))
    if (strncmp(line, PARAMETER, strlen(PARAMETER)) == 0)
      text = arena_print(a, "%s%s\n", text, line);
  return arena_print(a, "model Minimal\n%s%send Minimal;\n", text, k->minimal_body);
}

// ---------------------------------------------------------------- invariants along a run

typedef struct Watched { // the invariants of a model at the rows of a run
  Loaded l;
  System *system;
  SystemWork *work;
  Words *sens;
} Watched;

static Watched watched_new(const Mechanism *k) {
  Watched w = {.l = {.arena = arena_new()}, .sens = malloc(sizeof *w.sens)};
  int parameter[8];
  load_source(&w.l, source_load(w.l.arena, k->file, &w.l.err));
  if (!w.l.m) fail_msg("%s", w.l.err.text);
  const Flat *f = w.l.m->flat;
  split_words(k->sens, w.sens);
  assert_true(w.sens->count <= 8);
  for (int i = 0; i < w.sens->count; i++) {
    parameter[i] = names_find(f->parameter_names, w.sens->at[i]);
    assert_true(parameter[i] >= 0);
  }
  SystemSpec spec = {.parameters = parameter, .parameter_count = w.sens->count, .lanes = 1};
  w.system = system_new(w.l.m, &spec);
  w.work = system_work_new(w.system);
  double *p = ARENA_ARRAY(w.l.arena, double, f->parameters.count);
  for (int i = 0; i < w.l.m->np; i++) p[i] = f->parameters.at[i].value;
  system_set_parameters(w.work, p);
  return w;
}

static void watched_free(Watched *w) {
  system_work_free(w->work);
  system_free(w->system);
  free(w->sens);
  unload(&w->l);
}

static const char *state_name(const Watched *w, int i) {
  return w->l.m->flat->variables.at[w->l.m->state[i]].name;
}

static void evaluate_row(Watched *w, const Run *r, int row) {
  double x[32];
  assert_true(w->system->nx <= 32);
  for (int i = 0; i < w->system->nx; i++) x[i] = value_at(r, state_name(w, i), row);
  system_invariant_sens(w->work, value_at(r, "time", row), x);
}

// (g_x s + g_p) p of invariant i and parameter k; *size: of its terms.
static double total_slope(const Watched *w, const Run *r, int row, int i, int k, double *size) {
  const SparsePart *cx = &w->system->sparse.g_x, *cp = &w->system->sparse.g_p;
  const double *out = w->work->invariant_out;
  double sum = 0, p = parameter_value(r, w->sens->at[k]);
  for (int e = cx->pattern.start[i]; e < cx->pattern.start[i + 1]; e++) {
    char name[200];
    snprintf(name, sizeof name, "d%s/d%s", state_name(w, cx->pattern.column[e]), w->sens->at[k]);
    double term = p * out[cx->at + e] * value_at(r, name, row);
    sum += term;
    *size = fmax(*size, fabs(term));
  }
  for (int e = cp->pattern.start[i]; e < cp->pattern.start[i + 1]; e++)
    if (w->system->columns.active[cp->pattern.column[e]] == k) sum += p * out[cp->at + e];
  return sum;
}

// The largest violation of the invariants along a run, and of their sensitivities by relative changes of parameters,
// which may grow to hundreds: relative to their terms then.
static void largest_violation(Watched *w, const Run *r, double *drift, double *slope) {
  double size = 1;
  *drift = *slope = 0;
  for (int row = 0; row < rows(r); row++) {
    evaluate_row(w, r, row);
    for (int i = 0; i < w->system->ni; i++) {
      *drift = fmax(*drift, fabs(w->work->invariant_out[i]));
      for (int j = 0; j < w->sens->count; j++)
        *slope = fmax(*slope, fabs(total_slope(w, r, row, i, j, &size)));
    }
  }
  *slope /= size;
}

static void invariants_and_their_sensitivities_are_kept(void **state) {
  const Mechanism *k = *state;
  static const char *const WAYS[] = {"index=stabilise rel_tol=1e-9 abs_tol=1e-11",
                                     "index=project rel_tol=1e-9 abs_tol=1e-11"};
  Watched w = watched_new(k);
  assert_int_equal(w.system->ni, k->invariants);
  for (int m = 0; m < 2; m++) {
    Run r = simulate_fully(.file = k->file, .options = WAYS[m], .stop = k->stop, .step = k->step,
                           .sens = k->sens);
    double drift, slope;
    largest_violation(&w, &r, &drift, &slope);
    if (!(drift < 1e-8 && slope < 1e-8))
      print_error("%s, %s: drift %.2g, of its sensitivities %.2g\n", k->file, WAYS[m], drift,
                  slope);
    assert_true(drift < 1e-8);
    assert_true(slope < 1e-8);
    run_free(&r);
  }
  watched_free(&w);
}

static void index_is_three_and_redundancy_is_found(void **state) {
  const Mechanism *k = *state;
  Watched w = watched_new(k);
  int redundant = 0;
  for (int i = 0; i < w.l.m->invariant_count; i++) redundant += w.l.m->invariants[i].redundant;
  assert_int_equal(w.l.m->index, 3);
  assert_int_equal(redundant, k->redundant);
  watched_free(&w);
}

// ---------------------------------------------------------------- other laws

static void sensitivities_match_differences(void **state) {
  const Mechanism *k = *state;
  Arena *a = arena_new();
  char *select = NULL;
  if (k->select) {
    Words *w = malloc(sizeof *w);
    split_words(k->velocities, w);
    select = (char *)k->select;
    for (int i = 0; i < w->count; i++) select = arena_print(a, "%s rate_of_%s", select, w->at[i]);
    free(w);
  }
  Spec s = {.text = with_accelerations(a, k),
            .options = "rel_tol=1e-9 abs_tol=1e-11",
            .stop = k->stop,
            .step = k->stop / 7,
            .select = select,
            .sens = k->sens};
  assert_sensitivities(&s, .step = 1e-4, .tolerance = 1e-5,
                       .options = "rel_tol=1e-12 abs_tol=1e-14");
  arena_free(a);
}

static void energy_changes_by_the_work_done(void **state) {
  const Mechanism *k = *state;
  Arena *a = arena_new();
  const char *settings[] = {NULL, k->lossless};
  char *text = with_energy(a, k);
  for (int m = 0; m < 2; m++) {
    Run r = simulate_fully(.text = text, .set = settings[m], .stop = k->stop, .step = k->step,
                           .options = "rel_tol=1e-10 abs_tol=1e-12");
    const double *energy = column(&r, "energy"), *work = column(&r, "work");
    for (int i = 0; i < rows(&r); i++) {
      assert_close(energy[i] - energy[0] - work[i], 0, 1e-8);
      if (settings[m]) assert_close(work[i], 0, 0);
    }
    run_free(&r);
  }
  arena_free(a);
}

static void compare_columns(const Run *a, const Run *b, const char *name, double tolerance) {
  double size = largest(column(b, name), rows(b)), apart = largest_difference(a, b, name);
  if (!(apart <= tolerance * size)) print_error("%s differs by %.2g of %.2g\n", name, apart, size);
  assert_true(apart <= tolerance * size);
}

static void compare_runs(const Mechanism *k, const Run *a, const Run *b, double tolerance) {
  Words *same = malloc(sizeof *same), *sens = malloc(sizeof *sens);
  split_words(k->same, same);
  split_words(k->sens, sens);
  for (int i = 0; i < same->count; i++) {
    compare_columns(a, b, same->at[i], tolerance);
    for (int j = 0; j < sens->count; j++) {
      char name[200];
      snprintf(name, sizeof name, "d%s/d%s", same->at[i], sens->at[j]);
      compare_columns(a, b, name, tolerance);
    }
  }
  free(same);
  free(sens);
}

// Trajectories and sensitivities.
static void minimal_coordinates_give_the_same(void **state) {
  const Mechanism *k = *state;
  Arena *a = arena_new();
  Spec s = {.file = k->file,
            .options = "rel_tol=1e-11 abs_tol=1e-13",
            .stop = k->stop,
            .step = k->step,
            .sens = k->sens};
  Run dae = simulate_spec_fully(&s);
  s.file = NULL;
  s.text = minimal_text(a, k);
  Run minimal = simulate_spec_fully(&s);
  compare_runs(k, &dae, &minimal, k->tolerance);
  run_free(&dae);
  run_free(&minimal);
  arena_free(a);
}

// Another integrator on other equations.
static void direct_integration_gives_the_same(void **state) {
  const Mechanism *k = *state;
  Spec s = {.file = k->file,
            .options = "rel_tol=1e-9 abs_tol=1e-11",
            .stop = k->stop / 5,
            .step = k->step / 5,
            .sens = k->sens};
  Run reduced = simulate_spec_fully(&s);
  s.options = "index=direct rel_tol=1e-8 abs_tol=1e-10";
  Run direct = simulate_spec_fully(&s);
  compare_runs(k, &reduced, &direct, 1e-6);
  run_free(&reduced);
  run_free(&direct);
}

// ---------------------------------------------------------------- pendulum of Frewin: published model, computed references

static void multiplier_begins_where_the_forces_balance(void **state) {
  (void)state;
  static const double BEGIN = 0;
  Run r = simulate_fully(.file = "examples/frewin/frewin.mo", .times = &BEGIN, .count = 1);
  assert_close(value_at(&r, "lam", 0), (9.81 - 6) / 2, 1e-12);
  run_free(&r);
  r = simulate_fully(.file = "examples/frewin_correct/frewin_correct.mo", .times = &BEGIN,
                     .count = 1);
  assert_close(value_at(&r, "lam", 0), 4.905, 1e-12);
  run_free(&r);
}

static void correct_pendulum_is_another_system(void **state) {
  (void)state;
  static const double ONE = 1;
  Run r = simulate_fully(.file = "examples/frewin_correct/frewin_correct.mo",
                         .options = "rel_tol=1e-9 abs_tol=1e-11", .times = &ONE, .count = 1);
  assert_close(value_at(&r, "alpha", 0), -.457203, 1e-5);
  run_free(&r);
}

static void start_values_that_violate_the_constraint_are_refused(void **state) {
  (void)state;
  Run r = simulate_try(
      &(Spec){.file = "examples/frewin/frewin.mo", .set = "y.start=0.9", .stop = 1, .step = 1});
  assert_non_null(r.result);
  assert_string_equal(entrain_result_outcome_name(r.result), "no-start");
  assert_non_null(strstr(entrain_result_message(r.result), "differ by 0.1"));
  run_free(&r);
}

// ---------------------------------------------------------------- redundant parallelogram

// Forces in the pins that balance each other, whatever moves: ny = (1, -2, 1), nx = -ny*tan(q). The least ones contain
// nothing of it.
static void forces_of_a_redundant_loop_are_the_smallest(void **state) {
  (void)state;
  Run r = simulate_fully(.file = "examples/parallelogram/parallelogram.mo", .stop = 5, .step = 0.25,
                         .options = "rel_tol=1e-9 abs_tol=1e-11");
  for (int i = 0; i < rows(&r); i++) {
    double x = value_at(&r, "Ax", i) - 2 * value_at(&r, "Bx", i) + value_at(&r, "Cx", i);
    double y = value_at(&r, "Ay", i) - 2 * value_at(&r, "By", i) + value_at(&r, "Cy", i);
    assert_close(y - tan(value_at(&r, "q1", i)) * x, 0, 1e-7);
  }
  run_free(&r);
}

// ---------------------------------------------------------------- hydraulic mount

static void mount_is_the_same_with_and_without_its_algebraic_variables(void **state) {
  (void)state;
  static const char *const FILES[2][2] = {
      {"examples/mount_dae/mount_dae.mo", "examples/mount_consistent/mount_consistent.mo"},
      {"examples/mount_dae/mount_dae_published.mo", "examples/mount_published/mount_published.mo"}};
  static const char *const SAME[] = {"x1", "v1", "x3", "v3", "x4", "v4"};
  for (int k = 0; k < 2; k++) {
    Spec s = {.file = FILES[k][0],
              .options = "rel_tol=1e-12 abs_tol=1e-14",
              .stop = 0.2,
              .step = 0.01,
              .sens = "dH2 cE1 cE2 dE"};
    Run dae = simulate_spec_fully(&s);
    s.file = FILES[k][1];
    Run ode = simulate_spec_fully(&s);
    for (int i = 0; i < 6; i++) compare_columns(&dae, &ode, SAME[i], 1e-8);
    compare_columns(&dae, &ode, "dx1/dcE1", 1e-8);
    compare_columns(&dae, &ode, "dx1/ddE", 1e-8);
    run_free(&dae);
    run_free(&ode);
  }
}

#define EACH(function, i)                                                                          \
  { #function "_" #i, function, NULL, NULL, (void *)(uintptr_t)&MECHANISMS[i] }
#define ALL(function)                                                                              \
  EACH(function, 0), EACH(function, 1), EACH(function, 2), EACH(function, 3), EACH(function, 4),   \
      EACH(function, 5)

int main(void) {
  const struct CMUnitTest tests[] = {
      ALL(index_is_three_and_redundancy_is_found),
      ALL(invariants_and_their_sensitivities_are_kept),
      ALL(sensitivities_match_differences),
      ALL(energy_changes_by_the_work_done),
      ALL(minimal_coordinates_give_the_same),
      ALL(direct_integration_gives_the_same),
      cmocka_unit_test(multiplier_begins_where_the_forces_balance),
      cmocka_unit_test(correct_pendulum_is_another_system),
      cmocka_unit_test(start_values_that_violate_the_constraint_are_refused),
      cmocka_unit_test(forces_of_a_redundant_loop_are_the_smallest),
      cmocka_unit_test(mount_is_the_same_with_and_without_its_algebraic_variables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
