#include "problem/problem.h"

#include <math.h>
#include <string.h>

#include "lang/parse.h"
#include "model/flatten.h"
#include "simulate/closed.h"

void problem_free(Problem *p) {
  if (!p) return;
  model_free(p->model);
  if (p->closed) p->closed->free(p->closed);
  arena_free(p->arena);
}

const char *experiment_time(const Experiment *e, double t, int digits, char out[32]) {
  return time_format(e->origin + t, e->stop - e->start, digits, out);
}

void problem_parameters(const Problem *p, int e, const double *x, double *values) {
  memcpy(values, p->experiments[e].p, (size_t)p->model->np * sizeof *values);
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    if (u->experiment < 0 || u->experiment == e) values[u->parameter] = x ? x[i] : u->start;
  }
}

// What a parameter is compared with: itself; when it is nearly 0, where it began, or what the bounds leave. Also what
// they leave where that is a small part of itself, as of a time since 1970.
double unknown_size(const Unknown *f, double value) {
  double range = f->max - f->min, size = fmax(fabs(value), 0.1 * fabs(f->start));
  bool narrow = range > 0 && range < 0.01 * size;
  if (size > 0 && !narrow) return size;
  return isfinite(range) && range > 0 ? 0.1 * range : 1;
}

// Times in files are rounded: a sample at the edge counts as inside.
bool window_contains(const NamedWindow *w, double t) {
  double slack = 1e-9 * (w->stop - w->start);
  return t >= w->start - slack && t <= w->stop + slack;
}

const Experiment *problem_experiment(const Problem *p, int number) {
  for (; p; p = p->validation)
    for (int e = 0; e < p->experiment_count; e++)
      if (p->experiments[e].number == number) return &p->experiments[e];
  return NULL;
}

// Reads the model again: the expression would stay in the graph of the problem's model.
static bool evaluate(const Problem *p, const char *text, double *value, Err *err) {
  const Flat *model = p->model->flat;
  Arena *scratch = arena_new();
  Expr e = 0;
  const Source *s = source_new(scratch, "value", text, strlen(text), err);
  const Ast *tree = s ? parse_expression(scratch, s, err) : NULL;
  Flat *f = tree ? flatten(scratch, model->source, model->ast, NULL, 0, err) : NULL;
  bool ok = f && flat_expression(f, s, tree, &e, err);
  if (ok && !flat_number(f, e, value))
    ok = fail(err, ERR_VALUE, "it depends on parameters or variables");
  arena_free(scratch);
  return ok;
}

bool problem_number(const Problem *p, const char *text, double *value, Err *err) {
  Err own = {0};
  const char *beyond = number_beyond(text);
  if (beyond) return fail(err, ERR_VALUE, "the number '%.100s' is %s", text, beyond);
  bool ok = number_parse(text, value) || evaluate(p, text, value, &own);
  if (ok && isfinite(*value)) return true;
  if (ok) return fail(err, ERR_VALUE, "'%.100s' is not a finite number", text);
  return fail(err, own.code, "'%.100s' is not a number: %.300s", text, own.text);
}

const char *residual_word(const Problem *p) {
  static const char *const WORDS[] = {"simulation", "prediction", "equation"};
  return WORDS[p->options.residual];
}

double problem_accuracy(const Problem *p) {
  static const double ROUNDING = 1e-15;
  return problem_integrates(p) ? p->simulate.rel_tol : ROUNDING;
}

static bool is_tied(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    if (p->experiments[e].states && p->experiments[e].states->tied) return true;
  return false;
}

bool problem_integrates(const Problem *p) {
  if (p->model->nx == 0 || p->options.residual == RESIDUAL_EQUATION) return false;
  return problem_simulates(p) || p->options.prediction_by == PREDICTION_BY_INTEGRATOR ||
         p->model->flat->hybrid || is_tied(p);
}

static int number_of(Problem *p, const Channel *c) {
  for (int i = 0; i < p->measured_count; i++)
    if (p->measured[i] == c->measured && strcmp(p->measured_name[i], c->name) == 0) return i;
  p->measured[p->measured_count] = c->measured;
  p->measured_name[p->measured_count] = c->name;
  return p->measured_count++;
}

int problem_list_measured(Problem *p, Arena *a, int experiments, int first) {
  int count = 0, of_first = 0;
  for (int i = 0; i < experiments; i++) count += p->experiments[i].channel_count;
  p->measured_count = 0;
  p->measured = ARENA_ARRAY(a, Expr, count + 1);
  p->measured_name = ARENA_ARRAY(a, const char *, count + 1);
  p->channel_measured = ARENA_ARRAY(a, int *, experiments + 1);
  for (int i = 0; i < experiments; i++) {
    const Experiment *e = &p->experiments[i];
    p->channel_measured[i] = ARENA_ARRAY(a, int, e->channel_count + 1);
    for (int k = 0; k < e->channel_count; k++)
      p->channel_measured[i][k] = number_of(p, &e->channels[k]);
    if (i < first) of_first = p->measured_count;
  }
  return of_first;
}

const char *problem_name(const Problem *p) {
  const char *path = p->path ? p->path : "", *at = path + strlen(path);
  int most = path[0] == '/' ? 1 : 2;
  for (int slashes = 0; at > path; at--)
    if (at[-1] == '/' && ++slashes == most) break;
  return at;
}

int problem_max_simulations(const Problem *p) {
  enum { EACH = 20000 };
  double usual = EACH * fmax(p->experiment_count, 1);
  return p->options.max_simulations ? p->options.max_simulations : (int)fmin(usual, 2e9);
}

int problem_unknown_parameters(const Problem *p, int *parameters) {
  int count = 0;
  for (int i = 0; i < p->unknown_count; i++) {
    bool known = false;
    for (int k = 0; k < count; k++) known |= parameters[k] == p->unknowns[i].parameter;
    if (!known) parameters[count++] = p->unknowns[i].parameter;
  }
  return count;
}

int samples_that_count(const Channel *c, int n) {
  int count = n;
  for (int i = 0; c->sample_weight && i < n; i++) count -= !(c->sample_weight[i] > 0);
  return count;
}

// Sum of the weights of all samples, which is their number where there are no sample weights.
static double sum_of_sample_weights(const Channel *c) {
  double sum = c->sample_weight ? 0 : c->count;
  for (int i = 0; c->sample_weight && i < c->count; i++) sum += c->sample_weight[i];
  return sum;
}

double weight_of_samples(const Problem *p, const Channel *c) {
  bool integral = p->options.criterion == CRITERION_INTEGRAL && c->count > 0;
  double mean = c->count > 0 ? sum_of_sample_weights(c) / c->count : 1;
  return c->weight * mean * (integral ? c->t[c->count - 1] - c->t[0] : c->count);
}

static bool has_weights(const Channel *c) {
  bool has = c->weight != 1;
  for (int i = 0; c->sample_weight && !has && i < c->count; i++)
    has = c->sample_weight[i] > 0 && fabs(c->sample_weight[i] - 1) > 1e-9; // 1 but for rounding
  return has;
}

bool problem_has_weights(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (has_weights(&p->experiments[e].channels[c])) return true;
  return false;
}

bool problem_has_equations(const Problem *p) {
  return !p->closed || p->closed->has_slopes_of_states;
}
