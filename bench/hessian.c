// The cost of one Hessian of the objective, by second-order sensitivities and by the adjoint, in units of one gradient. Prints
// a table, writes bench/hessian.md.
#include "residual/hessian.h"
#include "problem/read_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE = 0.3; // s of CPU time for each figure
enum { NUMBERS_MOST = 32 };

typedef struct Case {
  const char *name, *path;
} Case;

static const Case CASES[] = {
    {"pendulum", "examples/pendulum/problem.yaml"},
    {"two degrees of freedom", "examples/two_dof/problem.yaml"},
    {"Frewin's pendulum, index 3", "examples/frewin/problem.yaml"},
    {"slider-crank, index 3", "examples/slider_crank/problem.yaml"},
    {"four-bar linkage, index 3", "examples/four_bar/problem.yaml"},
    {"Cartesian double pendulum, index 3", "examples/double_pendulum_cartesian/problem.yaml"},
    {"signalling cascade, stiff", NULL},
};

// The cascade is not one of the examples.
static const char *const CASCADE[] = {
    "kon",        "rec_intern",   "rec_recycle",    "rec_phos",      "jak_phos",     "jak_inhibit",
    "jak_dephos", "stat_phos",    "stat_dephos",    "decoy_bind",    "prec_intern",  "prec_degrade",
    "socs_mrna",  "mrna_degrade", "socs_translate", "socs_saturate", "socs_degrade", "cd_mrna",
};
static const double CASCADE_START[] = {0.0041, 0.12,  0.0016, 1200,   0.19,  0.02,
                                       7.2e-4, 0.048, 4.1e-4, 1.4e-4, 0.18,  0.2,
                                       2.6,    0.012, 14,     4.4,    0.052, 9.6e-5};

static Problem *load_cascade(Err *err) {
  char data[] = "/tmp/entrain-bench-XXXXXX", yaml[8000];
  int file = mkstemp(data);
  FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
  if (!f) return NULL;
  fprintf(f, "t,pstat,mcd,socs\n");
  for (int i = 0; i <= 60; i++)
    fprintf(f, "%d,%g,%g,%g\n", 2 * i, 100 * (1 - exp(-i / 20.)), 0.01 * i,
            50 * (1 - exp(-i / 15.)));
  fclose(f);
  int n = snprintf(yaml, sizeof yaml,
                   "model: network14.mo\nexperiments: [{data: %s, measure: {pstat: pstat, mcd: "
                   "mcd, socs: socs}}]\nestimate:\n",
                   data);
  for (int k = 0; k < 18; k++)
    n += snprintf(yaml + n, sizeof yaml - (size_t)n, "  %s: {start: %g, min: 1e-9, max: 1e9}\n",
                  CASCADE[k], CASCADE_START[k]);
  Problem *p = problem_parse("cascade", "bench/models", yaml, (size_t)n, NULL, 0, err);
  unlink(data);
  return p;
}

typedef struct Bench {
  Fitting *fitting;
  EvalWork *work;
  EvalSpec spec;
  Hessian *h; // NULL: the gradient
  EvalPoint at;
  double x[NUMBERS_MOST], value, gradient[NUMBERS_MOST], H[NUMBERS_MOST * NUMBERS_MOST];
  int n;
} Bench;

static bool run(Bench *b) {
  EvalEnd end = b->h ? hessian_eval(b->h, b->work, &b->spec, b->x, &b->value, b->gradient, b->H)
                     : evaluate(b->work, &b->spec, b->x, &b->at);
  return end == EVAL_DONE;
}

// The least CPU time of one evaluation; HUGE_VAL when it fails.
static double least_time(Bench *b) {
  double least = HUGE_VAL, spent = 0;
  for (int i = 0; i < 4 || (spent < PATIENCE && i < 2000); i++) {
    clock_t begin = clock();
    if (!run(b)) return HUGE_VAL;
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    spent += seconds;
    if (i > 0 && seconds < least) least = seconds; // the first evaluation compiles
  }
  return least;
}

static double disagreement(const double *A, const double *B, int n) {
  double worst = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double size = sqrt(fabs(A[i * n + i] * A[j * n + j])) + fabs(A[i * n + j]);
      worst = fmax(worst, fabs(A[i * n + j] - B[i * n + j]) / size);
    }
  return worst;
}

static bool measure(const Case *c, FILE *out) {
  static Bench b;
  static double H[2][NUMBERS_MOST * NUMBERS_MOST];
  Err err = {0};
  Problem *p = c->path ? problem_load(c->path, NULL, 0, &err) : load_cascade(&err);
  if (!p) return fprintf(stderr, "hessian: %s: %s\n", c->name, err.text), false;
  Arena *a = arena_new();
  size_t n = (size_t)p->unknown_count;
  b = (Bench){.fitting = fitting_new(p),
              .n = p->unknown_count,
              .at = {.R = ARENA_ARRAY(a, double, n *n + 1), .Qr = ARENA_ARRAY(a, double, n + 1)}};
  b.work = eval_work_new(b.fitting, 1, NULL);
  b.spec = eval_spec(b.fitting, NULL);
  b.spec.slopes = true;
  for (int i = 0; i < b.n; i++) b.x[i] = 0.9 * p->unknowns[i].in_model + 0.1 * p->unknowns[i].start;
  double gradient = least_time(&b), ways[2];
  for (int way = 0; way < 2; way++) {
    b.h = hessian_new(b.fitting, way ? HESSIAN_ADJOINT : HESSIAN_FORWARD);
    ways[way] = least_time(&b);
    memcpy(H[way], b.H, sizeof b.H);
    hessian_free(b.h);
  }
  char row[300];
  snprintf(row, sizeof row, "| %s | %d | %d | %.3f | %d | %.1f | %.1f | %.0e |\n", c->name,
           p->model->nx, b.n, gradient * 1e3, 2 * b.n, ways[0] / gradient, ways[1] / gradient,
           disagreement(H[0], H[1], b.n));
  fputs(row, stdout);
  fputs(row, out);
  eval_work_free(b.work);
  fitting_free(b.fitting);
  arena_free(a);
  problem_free(p);
  return ways[0] < HUGE_VAL && ways[1] < HUGE_VAL;
}

int main(void) {
  static const char HEAD[] = "| problem | states | unknowns | gradient, ms | differences | forward "
                             "| adjoint | disagreement |\n"
                             "|---|---|---|---|---|---|---|---|\n";
  static const char FINAL[] = "bench/hessian.md", GROWING[] = "bench/hessian.md.new";
  FILE *f = fopen(GROWING, "w");
  if (!f) {
    fprintf(stderr, "hessian: cannot write %s (run it from the root of the project)\n", FINAL);
    return 2;
  }
  fprintf(f,
          "# The exact Hessian of the objective\n\nWritten by `make bench`. The unit of the times "
          "of one "
          "Hessian is one gradient (one evaluation with first derivatives). *differences* is the "
          "cost of central differences of the gradient. Compiling is not counted.\n\n%s",
          HEAD);
  fputs(HEAD, stdout);
  bool good = true;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) good &= measure(&CASES[i], f);
  bool written = fclose(f) == 0 && rename(GROWING, FINAL) == 0;
  return !written ? 2 : good ? 0 : 1;
}
