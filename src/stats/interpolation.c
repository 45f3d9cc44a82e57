// At the result, the objective with the other interpolation after one Gauss-Newton step of the unknowns: they follow, as
// they would in a fit. A simulation is given up where it can no longer halve the error.
#include "stats/interpolation.h"

#include <math.h>

#include "base/patience.h"
#include "num/lsi.h"

enum { UNKNOWNS_MOST = 60 };            // beyond these it would take longer than it is worth
static const double WORTH_SAYING = 0.5; // of the error, a root mean square
static const double HOPELESS = 100;     // objective before the step, relative to the result's

// ---------------------------------------------------------------- which inputs

// Boolean inputs jump, and those that are differentiated must be smooth.
static bool may_vary(const Problem *p, int u) {
  const Variable *v = &p->model->flat->variables.at[p->model->input[u]];
  bool sampled = false;
  for (int e = 0; e < p->experiment_count; e++)
    sampled = sampled || input_is_sampled(p->experiments[e].inputs[u]);
  return sampled && !v->boolean && p->model->input_order[u] == 0;
}

static InputKind present_kind(const Problem *p, const bool *input) {
  int kind = -1;
  for (int e = 0; e < p->experiment_count; e++)
    for (int u = 0; u < p->model->nu; u++) {
      const Input *in = p->experiments[e].inputs[u];
      if (!input[u] || !input_is_sampled(in)) continue;
      if (kind >= 0 && kind != (int)input_kind(in)) return (InputKind)INPUT_KINDS;
      kind = (int)input_kind(in);
    }
  return (InputKind)kind;
}

InputGroups input_groups(Arena *a, const Problem *p) {
  InputGroups g = {0};
  int count = 0;
  bool *all = ARENA_ARRAY(a, bool, p->model->nu + 1);
  for (int u = 0; u < p->model->nu; u++) count += all[u] = may_vary(p, u);
  for (int u = 0; u < p->model->nu && count <= INPUTS_MOST; u++) {
    if (!all[u]) continue;
    bool *one = ARENA_ARRAY(a, bool, p->model->nu + 1);
    one[u] = true;
    g.at[g.count++] = (struct InputGroup){one, arena_print(a, "the input %s", input_name(p, u)),
                                          present_kind(p, one)};
  }
  if (count > INPUTS_MOST)
    g.at[g.count++] = (struct InputGroup){all, arena_print(a, "all %d sampled inputs", count),
                                          present_kind(p, all)};
  return g;
}

// ---------------------------------------------------------------- after a fit

typedef struct Variation {
  Arena *a;
  const FitResult *r;
  const Weighting *weighting;
  double *R, *Qr;
  double objective; // of the result
} Variation;

// One step of Gauss and Newton within the bounds.
static void step(const Variation *v, double *x) {
  const Problem *p = v->r->problem;
  int n = p->unknown_count;
  double *low = ARENA_ARRAY(v->a, double, n + 1), *high = ARENA_ARRAY(v->a, double, n + 1);
  double *M = ARENA_ARRAY(v->a, double, (size_t)n *(size_t)n + 1);
  double *d = ARENA_ARRAY(v->a, double, n + 1), *size = ARENA_ARRAY(v->a, double, n + 1);
  for (int k = 0; k < n; k++) {
    double length = 0; // columns of length 1: units do not matter
    for (int i = 0; i <= k; i++) length = hypot(length, v->R[i * n + k]);
    size[k] = length > 0 ? length : 1;
    for (int i = 0; i <= k; i++) M[i * n + k] = v->R[i * n + k] / size[k];
    low[k] = (p->unknowns[k].min - x[k]) * size[k];
    high[k] = (p->unknowns[k].max - x[k]) * size[k];
  }
  Lsi *work = lsi_new(v->a, n, n, 0);
  LsiProblem q = {.n = n, .rows = n, .M = M, .z = v->Qr, .low = low, .high = high};
  lsi_solve(work, &q, d, NULL);
  for (int k = 0; k < n; k++) x[k] += d[k] / size[k];
}

// The objective with another kind, as far as it is better; HUGE_VAL: it is not, or cannot be simulated.
static double objective_with(Variation *v, const struct InputGroup *g, InputKind kind) {
  int n = v->r->problem->unknown_count;
  const Problem *other = problem_with_interpolation(v->a, v->r->problem, g->input, kind);
  Fitting *f = fitting_new(other);
  EvalWork *w = eval_work_new(f, 1, NULL);
  Weighting *weighting = weighting_new(f->data, v->weighting->sigma);
  EvalSpec spec = eval_spec(f, NULL);
  spec.weighting = weighting;
  spec.slopes = true;
  spec.abandon_above = HOPELESS * v->objective;
  EvalPoint point = {.R = v->R, .Qr = v->Qr};
  double *x = ARENA_ARRAY(v->a, double, n + 1), best = HUGE_VAL;
  for (int k = 0; k < n; k++) x[k] = v->r->x[k];
  if (evaluate(w, &spec, x, &point) == EVAL_DONE && patience_asks()) {
    best = point.objective;
    step(v, x);
    spec.slopes = false;
    spec.abandon_above = v->objective;
    best = fmin(best, evaluate_value(w, &spec, x));
  }
  weighting_free(weighting);
  eval_work_free(w);
  fitting_free(f);
  return patience_asks() ? best : HUGE_VAL;
}

static void compare(Variation *v, const struct InputGroup *g, Statistics *s) {
  InputKind better = g->present;
  double least = v->objective;
  for (int kind = 0; kind < INPUT_KINDS; kind++) {
    if ((InputKind)kind == g->present) continue;
    double objective = objective_with(v, g, (InputKind)kind);
    if (objective < least) least = objective, better = (InputKind)kind;
  }
  double ratio = sqrt(least / v->objective);
  bool known = (int)g->present < INPUT_KINDS;
  if (!(ratio <= WORTH_SAYING)) return;
  statistics_add_remark(
      s, arena_print(s->arena,
                     "With %s interpolated by %s%s%s the error (rmse) would be %.2g times as "
                     "large: set 'interpolation' to how the input really was between its samples.",
                     g->name, input_kind_word(better), known ? " instead of " : "",
                     known ? input_kind_word(g->present) : "", ratio));
}

// Whether residuals are more than errors of the simulation.
static bool has_residuals(const Statistics *s) {
  for (int at = 0; at < s->channel_count; at++)
    if (!s->channels[at].exact) return true;
  return false;
}

static double objective_of_result(const FitResult *r, const Weighting *weighting, EvalWork *w) {
  EvalSpec spec = eval_spec(eval_fitting(w), NULL);
  spec.weighting = weighting;
  return evaluate_value(w, &spec, r->x);
}

void compare_interpolations(const FitResult *r, const Weighting *weighting, EvalWork *w,
                            Statistics *s) {
  const Problem *p = r->problem;
  int n = p->unknown_count;
  if (p->model->nu == 0 || r->pieces || n > UNKNOWNS_MOST || !has_residuals(s)) return;
  Variation v = {.a = arena_new(), .r = r, .weighting = weighting};
  InputGroups groups = input_groups(v.a, p);
  v.R = ARENA_ARRAY(v.a, double, (size_t)n *(size_t)n + 1);
  v.Qr = ARENA_ARRAY(v.a, double, n + 1);
  if (groups.count) v.objective = objective_of_result(r, weighting, w);
  for (int k = 0; k < groups.count && patience_asks(); k++) compare(&v, &groups.at[k], s);
  arena_free(v.a);
}

// ---------------------------------------------------------------- before a fit

typedef struct Simulated {
  const MeasuredData *data;
  double *const *r; // by channel: model - data
  int n;            // unknowns
} Simulated;

static void take_residuals(void *data, const ResidualBlock *b) {
  const Simulated *s = data;
  double *r = s->r[channel_number(s->data, b->experiment, b->channel)] + b->first;
  for (int i = 0; i < b->rows; i++) r[i] = b->scale[i] > 0 ? b->column[s->n][i] / b->scale[i] : 0;
}

static double **simulate(Arena *a, const Problem *p, EvalWork *w, const double *x) {
  const Fitting *f = eval_fitting(w);
  double **r = ARENA_ARRAY(a, double *, f->data->channel_count + 1);
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      r[channel_number(f->data, e, c)] =
          ARENA_ARRAY(a, double, p->experiments[e].channels[c].count + 1);
  EvalSpec spec = eval_spec(f, NULL);
  bool done = evaluate_rows(w, &spec, x, take_residuals, &(Simulated){f->data, r, f->n});
  return done && patience_asks() ? r : NULL;
}

static void compare_channels(const MeasuredData *d, double **before, double **after,
                             double *change) {
  const Problem *p = d->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      int at = channel_number(d, e, c), rows = p->experiments[e].channels[c].count;
      double sum = 0;
      for (int i = 0; i < rows; i++) sum += pow(after[at][i] - before[at][i], 2);
      change[at] = rows ? sqrt(sum / rows) : 0;
    }
}

bool interpolation_change(EvalWork *w, const double *x, const struct InputGroup *group,
                          InputKind kind, double *change) {
  const Problem *p = eval_fitting(w)->problem;
  Arena *a = arena_new();
  Problem *other = problem_with_interpolation(a, p, group->input, kind);
  Fitting *f = fitting_new(other);
  EvalWork *own = eval_work_new(f, 1, NULL);
  double **before = simulate(a, p, w, x), **after = before ? simulate(a, other, own, x) : NULL;
  if (after) compare_channels(f->data, before, after, change);
  eval_work_free(own);
  fitting_free(f);
  arena_free(a);
  return after != NULL;
}
