// Why lm is the default: solved problems and evaluations (with and without slopes) of local methods that need slopes.
// Problems: the collection of Moré, Garbow and Hillstrom from 1, 10 and 100 times the standard start;
// NIST's regression sets from both starts; motions from random starts inside their bounds, with and without coupling to the data.
// An argument selects a part by its name; -v prints every run.
#include <stdio.h>
#include <string.h>

#include "../tests/unit/nist.h"
#include "num/random.h"

static const struct {
  const char *name;
  LocalMethod *run;
  int lm_damping;
} methods[] = {{"lm", local_lm, LM_DAMPING_RADIUS},
               {"lm, Marquardt's damping", local_lm, LM_DAMPING_MARQUARDT},
               {"gauss-newton", local_gauss_newton, 0},
               {"sqp", local_sqp, 0}};
enum { METHODS = sizeof methods / sizeof *methods, STATES = 8, STARTS = 20 };

typedef struct Score {
  int runs, solved;
  long evaluations;
} Score;

typedef struct Bench {
  Score score[METHODS], total[METHODS]; // of a part, of all parts
  bool verbose;
} Bench;

static void note(Bench *b, int method, const char *name, const LocalResult *r, bool solved) {
  Score *s = &b->score[method];
  s->runs++;
  s->solved += solved;
  s->evaluations += r->evaluations;
  if (b->verbose)
    printf("  %-20s %-24s %4d evaluations, objective %-10.4g %-16s%s\n", name, methods[method].name,
           r->evaluations, r->best->objective, local_end_word(r->end), solved ? "" : " not solved");
}

static void solve(int method, const Lsq *lsq, int max_iterations, LocalResult *r) {
  LocalOptions options;
  local_options_init(&options);
  options.max_iterations = max_iterations;
  options.lm_damping = methods[method].lm_damping;
  methods[method].run(lsq, &options, r);
}

static void print_head(void) {
  printf("Solved runs, and evaluations in all runs:\n\n| problems |");
  for (int k = 0; k < METHODS; k++) printf(" %s |", methods[k].name);
  printf("\n| --- |");
  for (int k = 0; k < METHODS; k++) printf(" --- |");
  printf("\n");
}

static void print_part(Bench *b, const char *title) {
  printf("| %s |", title);
  for (int k = 0; k < METHODS; k++) {
    Score *s = &b->score[k], *total = &b->total[k];
    printf(" %d of %d, %ld |", s->solved, s->runs, s->evaluations);
    total->runs += s->runs;
    total->solved += s->solved;
    total->evaluations += s->evaluations;
  }
  printf("\n");
  fflush(stdout);
  memset(b->score, 0, sizeof b->score);
}

// ---------------------------------------------------------------- algebraic problems

static void run_case(Bench *b, int method, const LsqCase *c, double factor) {
  LsqTest *t = lsq_test_new(c->residuals, c->m, c->n);
  LocalResult r = {.best = lsq_point_new(t->arena, c->n)};
  for (int i = 0; i < c->n; i++) r.best->x[i] = c->start[i] * factor;
  solve(method, &t->lsq, 1000, &r);
  note(b, method, c->name, &r, lsq_case_is_solved(c, r.best->objective));
  arena_free(t->arena);
}

static void run_literature(Bench *b) {
  for (int k = 0; k < LSQ_CASES; k++)
    for (double factor = 1; factor <= 100; factor *= 10)
      for (int method = 0; method < METHODS; method++) run_case(b, method, &lsq_cases[k], factor);
  print_part(b, "Moré, Garbow, Hillstrom: 1, 10, 100 times the start");
}

static void run_set(Bench *b, int method, const NistSet *s, const char *name, int from) {
  LsqTest *t = lsq_test_new(nist_residuals, s->m, s->n);
  LocalResult r = {.best = lsq_point_new(t->arena, s->n)};
  t->shape.data = s;
  for (int i = 0; i < s->n; i++) {
    r.best->x[i] = s->start[from][i];
    t->typical[i] = fabs(r.best->x[i]);
  }
  solve(method, &t->lsq, 1000, &r);
  note(b, method, name, &r, nist_is_solved(s, r.best));
  arena_free(t->arena);
}

static void run_nist(Bench *b) {
  static NistSet s;
  for (int k = 0; k < NIST_SETS; k++) {
    if (!nist_load(k, &s)) {
      printf("no %s.dat in %s (ENTRAIN_NIST): left out\n", nist_sets[k].name, NIST_FOLDER);
      continue;
    }
    for (int from = 0; from < 2; from++)
      for (int method = 0; method < METHODS; method++)
        run_set(b, method, &s, nist_sets[k].name, from);
  }
  print_part(b, "NIST, both starts");
}

// ---------------------------------------------------------------- motions

typedef void Field(double t, const Cplx *x, const Cplx *p, Cplx *dx);
typedef void Output(double t, const Cplx *x, const Cplx *p, Cplx *y);

typedef struct Motion {
  const char *name;
  Field *field;
  Output *output;
  int nx, np, ny;
  double stop;
  int samples, steps; // Runge-Kutta steps in an interval between samples
  double gain;        // > 0: coupled to the true motion by its first output
  double start[STATES], truth[STATES], low[STATES], high[STATES];
} Motion;

static void pendulum(double t, const Cplx *x, const Cplx *p, Cplx *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -p[0] * csin(x[0]);
}

static void arctan_oscillator(double t, const Cplx *x, const Cplx *p, Cplx *dx) {
  dx[0] = x[1];
  dx[1] = csin(t / 2 + M_PI * p[1]) - 0.1 * x[1] - catan(p[0] * x[0]);
}

static void two_dof(double t, const Cplx *x, const Cplx *p, Cplx *dx) {
  dx[0] = x[1];
  dx[1] = -0.3 * x[1] - x[0] - p[0] * x[0] * x[0] * x[0] - p[1] * x[2];
  dx[2] = x[3];
  dx[3] = -0.3 * x[3] - x[2] - p[2] * x[2] * x[2] * x[2] - cos(t);
}

static void vanderpol_duffing(double t, const Cplx *x, const Cplx *p, Cplx *dx) {
  Cplx square = x[0] * x[0];
  dx[0] = x[1];
  dx[1] = p[2] * (1 - square) * x[1] - p[0] * x[0] - p[1] * square * x[0] + 0.5 * cos(0.79 * t);
}

static void mr_damper(double t, const Cplx *x, const Cplx *p, Cplx *dx) {
  double v = 7.5 * M_PI * cos(5 * M_PI * t);
  Cplx size = creal(x[0]) < 0 ? -x[0] : x[0];
  Cplx power = creal(size) > 1e-300 ? cexp((p[6] - 1) * clog(size)) : 0; // |z|^(n-1)
  dx[0] = p[5] * v - p[4] * fabs(v) * x[0] * power - p[3] * v * size * power;
}

static void damper_force(double t, const Cplx *x, const Cplx *p, Cplx *y) {
  y[0] = p[0] * 7.5 * M_PI * cos(5 * M_PI * t) + p[1] * 1.5 * sin(5 * M_PI * t) + p[2] * x[0];
}

static void first_state(double t, const Cplx *x, const Cplx *p, Cplx *y) {
  (void)t, (void)p;
  y[0] = x[0];
}

static void both_positions(double t, const Cplx *x, const Cplx *p, Cplx *y) {
  (void)t, (void)p;
  y[0] = x[0];
  y[1] = x[2];
}

// Cases: single well, double well, double hump, ...; only minima that explain the data count as solved.
static const Motion motions[] = {
    {"pendulum, near",
     pendulum,
     first_state,
     2,
     1,
     1,
     50,
     500,
     4,
     0,
     {M_PI / 6},
     {10},
     {9.5},
     {10.5}},
    {"pendulum, tied",
     pendulum,
     first_state,
     2,
     1,
     1,
     50,
     500,
     4,
     10,
     {M_PI / 6},
     {10},
     {.1},
     {200}},
    {"arctan, tied",
     arctan_oscillator,
     first_state,
     2,
     2,
     1,
     50,
     500,
     4,
     10,
     {1},
     {1, .5},
     {.1, 0},
     {20, 2}},
    {"two-DOF",
     two_dof,
     both_positions,
     4,
     3,
     2,
     30,
     300,
     4,
     0,
     {1},
     {1, .5, .5},
     {0, 0, 0},
     {3, 3, 3}},
    {"two-DOF, tied",
     two_dof,
     both_positions,
     4,
     3,
     2,
     30,
     300,
     4,
     10,
     {1},
     {1, .5, .5},
     {0, 0, 0},
     {20, 20, 20}},
    {"single well, tied",
     vanderpol_duffing,
     first_state,
     2,
     3,
     1,
     20,
     400,
     3,
     10,
     {1},
     {.5, .5, .1},
     {.1, .1, .01},
     {10, 10, 2}},
    {"double well, tied",
     vanderpol_duffing,
     first_state,
     2,
     3,
     1,
     20,
     400,
     3,
     10,
     {1},
     {-.5, .5, .1},
     {-5, .1, .01},
     {5, 10, 2}},
    {"double hump",
     vanderpol_duffing,
     first_state,
     2,
     3,
     1,
     2.5,
     50,
     3,
     0,
     {1},
     {1.5, -.5, .1},
     {1, -.9, .01},
     {5, -.1, 1}},
    {"double hump, tied",
     vanderpol_duffing,
     first_state,
     2,
     3,
     1,
     10,
     200,
     3,
     10,
     {1},
     {1.5, -.5, .1},
     {1, -.9, .01},
     {5, -.1, 1}},
    {"MR damper",
     mr_damper,
     damper_force,
     1,
     7,
     1,
     1,
     500,
     20,
     0,
     {0},
     {50, 25, 880, 100, 100, 120, 2},
     {1, 1, 1, 1, 1, 1, 1},
     {400, 400, 1000, 400, 400, 400, 2.5}},
};
enum { MOTIONS = sizeof motions / sizeof *motions };

typedef struct Measured {
  const Motion *motion;
  double *y;
} Measured;

// The states of the true motion follow those of the coupled one in x.
static void slope(const Motion *m, double t, const Cplx *x, const Cplx *p, Cplx *dx) {
  m->field(t, x, p, dx);
  if (m->gain == 0) return;
  Cplx truth[STATES];
  for (int i = 0; i < m->np; i++) truth[i] = m->truth[i];
  m->field(t, x + m->nx, truth, dx + m->nx);
  for (int k = 0; k < m->ny; k++) {
    Cplx error = x[m->nx + 2 * k] - x[2 * k];
    dx[2 * k] += m->gain * error;
    dx[2 * k + 1] += m->gain * error;
  }
}

static void rk4_step(const Motion *m, double t, double h, const Cplx *p, Cplx *x) {
  static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  int n = m->gain > 0 ? 2 * m->nx : m->nx;
  Cplx k[2 * STATES] = {0}, at[2 * STATES], sum[2 * STATES] = {0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < n; i++) at[i] = x[i] + h * part[s] * k[i];
    slope(m, t + part[s] * h, at, p, k);
    for (int i = 0; i < n; i++) sum[i] += h / 6 * weight[s] * k[i];
  }
  for (int i = 0; i < n; i++) x[i] += sum[i];
}

static void simulate(const Motion *m, const Cplx *p, Cplx *y) {
  Cplx x[2 * STATES] = {0};
  double h = m->stop / m->samples / m->steps;
  for (int i = 0; i < m->nx; i++) x[i] = x[m->nx + i] = m->start[i];
  for (int s = 0; s <= m->samples; s++) {
    m->output(s * m->steps * h, x, p, y + (size_t)s * m->ny);
    for (int q = 0; q < m->steps; q++) rk4_step(m, (s * m->steps + q) * h, h, p, x);
  }
}

static void motion_residuals(const LsqShape *s, const Cplx *x, Cplx *r) {
  const Measured *d = s->data;
  simulate(d->motion, x, r);
  for (int i = 0; i < s->m; i++) r[i] -= d->y[i];
}

static void run_motion(Bench *b, int method, const Measured *d, Random *random) {
  const Motion *m = d->motion;
  LsqTest *t = lsq_test_new(motion_residuals, (m->samples + 1) * m->ny, m->np);
  LocalResult r = {.best = lsq_point_new(t->arena, m->np)};
  t->shape.data = d;
  for (int i = 0; i < m->np; i++) {
    r.best->x[i] = m->low[i] + (m->high[i] - m->low[i]) * random_uniform(random);
    t->typical[i] = fabs(r.best->x[i]);
    t->lower[i] = m->low[i];
    t->upper[i] = m->high[i];
  }
  solve(method, &t->lsq, 200, &r);
  double size = 0;
  for (int i = 0; i < t->shape.m; i++) size += d->y[i] * d->y[i] / 2;
  note(b, method, m->name, &r, r.best->objective < 1e-10 * size);
  arena_free(t->arena);
}

static void run_motions(Bench *b) {
  for (int k = 0; k < MOTIONS; k++) {
    const Motion *m = &motions[k];
    Arena *a = arena_new();
    int count = (m->samples + 1) * m->ny;
    Cplx truth[STATES], *y = ARENA_ARRAY(a, Cplx, count);
    Measured d = {m, ARENA_ARRAY(a, double, count)};
    for (int i = 0; i < m->np; i++) truth[i] = m->truth[i];
    simulate(m, truth, y);
    for (int i = 0; i < count; i++) d.y[i] = creal(y[i]);
    for (int method = 0; method < METHODS; method++) {
      Random random;
      random_seed(&random, (uint64_t)k + 1);
      for (int s = 0; s < STARTS; s++) run_motion(b, method, &d, &random);
    }
    arena_free(a);
    char title[100];
    snprintf(title, sizeof title, "%s: random starts", m->name);
    print_part(b, title);
  }
}

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*run)(Bench *b);
  } parts[] = {{"literature", run_literature}, {"nist", run_nist}, {"motions", run_motions}};
  Bench b = {0};
  const char *only = "";
  for (int i = 1; i < count; i++) {
    if (strcmp(words[i], "-v") == 0)
      b.verbose = true;
    else
      only = words[i];
  }
  print_head();
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(parts[i].name, only)) parts[i].run(&b);
  memcpy(b.score, b.total, sizeof b.score);
  print_part(&b, "all");
  return 0;
}
