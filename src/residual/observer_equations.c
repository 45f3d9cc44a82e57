// The tangent space of the invariants g: T = I - W G'(G W G')^-1 G with W the squared nominal sizes. With the columns F of T
// that belong to free states, Z = T_F (T_FF)^-1: its rows of free states are the identity, and G Z = 0.
#include "residual/observer_equations.h"

#include <math.h>
#include <string.h>

#include "model/direct_modes.h"
#include "model/tangent.h"

// Costs grow with the cube of the states; of many states most are far from the data, where the design fails.
enum { STATES_MOST = 30 };

// ---------------------------------------------------------------- outputs

static int append(Expr *to, int at, const Expr *from, int count, Replacer *modes) {
  for (int i = 0; i < count; i++) to[at + i] = replace(modes, from[i]);
  return at + count;
}

static int list_invariants(const Model *m, Expr *residual) {
  int count = 0;
  for (int i = 0; i < m->invariant_count; i++)
    if (!m->invariants[i].redundant) residual[count++] = m->invariants[i].residual;
  return count;
}

// Derivatives are those between events: relations have none.
static void list_outputs(Observer *o, Arena *scratch, Expr **outputs) {
  const Problem *p = o->data->problem;
  Model *m = p->model;
  Graph *g = m->graph;
  const Coupling *c = &o->first->coupling;
  Replacer *modes = direct_modes(m, scratch);
  int nx = m->nx, nc = p->measured_count, at = 0;
  Expr *eq = ARENA_ARRAY(scratch, Expr, nx + nc + m->invariant_count + 1);
  append(eq, append(eq, 0, m->f, nx, modes), p->measured, nc, modes);
  Expr *residual = ARENA_ARRAY(scratch, Expr, m->invariant_count + 1);
  int invariants = list_invariants(m, residual);
  append(eq, nx + nc, residual, invariants, modes);
  o->A = derive_rows(g, o->arena, eq, nx, m->x, nx);
  o->H = derive_rows(g, o->arena, eq + nx, nc, m->x, nx);
  o->G = derive_rows(g, o->arena, eq + nx + nc, invariants, m->x, nx);
  int most = nx + nc + o->A.start[nx] + o->H.start[nc] + c->term_count + o->G.start[invariants];
  Expr *all = *outputs = ARENA_ARRAY(scratch, Expr, most + 1);
  at = append(all, at, eq, nx + nc, modes);
  at = append(all, at, o->A.value, o->A.start[nx], modes);
  at = append(all, at, o->H.value, o->H.start[nc], modes);
  o->directions_at = at;
  for (int k = 0; k < c->term_count; k++) all[at++] = replace(modes, c->terms[k].direction);
  o->G_at = at;
  o->outputs = append(all, at, o->G.value, o->G.start[invariants], modes);
}

bool observer_suits(const Problem *p) {
  bool chosen = p->gain_count > 0 || p->options.gain > 0 || p->options.coupling != COUPLING_PD;
  return p->model->nx <= STATES_MOST && !chosen && !p->model->flat->hybrid && !p->closed;
}

void model_inputs_read(void *data, double t, double *u, double *du) {
  const ModelInputs *in = data;
  for (int i = 0; i < in->count; i++) {
    double slopes[3] = {0};
    int piece = input_piece(in->at[i], t, 1);
    input_eval_all(&in->at[i], 1, t, &piece, &u[i], slopes, 1);
    for (int k = 0; k < 3; k++) du[k * in->count + i] = slopes[k];
  }
}

const double *observer_parameters(Arena *a, const Problem *p, int e, const double *x) {
  double *all = ARENA_ARRAY(a, double, p->model->np + 1);
  problem_parameters(p, e, x, all);
  return all;
}

// ---------------------------------------------------------------- the tangent space of the invariants

void derivatives_dense(const Derivatives *d, int rows, int columns, const double *value,
                       double *out) {
  memset(out, 0, (size_t)rows * (size_t)columns * sizeof *out);
  for (int i = 0; i < rows; i++)
    for (int e = d->start[i]; e < d->start[i + 1]; e++) out[i * columns + d->column[e]] = value[e];
}

// T = W^1/2 (I - B'B) W^-1/2 with orthonormal rows B of G W^1/2 (Gram and Schmidt). B: scratch of the size of G. scaled: without
// the factors of W.
static void find_tangent(const Observer *o, const double *G, double *B, bool scaled, double *T) {
  const Model *m = o->data->problem->model;
  int n = m->nx, rows = o->G.rows, kept = 0;
  derivatives_dense(&o->G, rows, n, G, B);
  for (int r = 0; r < rows; r++) {
    double *row = B + r * n, before = 0, after = 0;
    for (int i = 0; i < n; i++) row[i] *= sqrt(tangent_weight(m, i)), before += row[i] * row[i];
    for (int twice = 0; twice < 2; twice++)
      for (int q = 0; q < kept; q++) {
        double along = 0;
        for (int i = 0; i < n; i++) along += B[q * n + i] * row[i];
        for (int i = 0; i < n; i++) row[i] -= along * B[q * n + i];
      }
    for (int i = 0; i < n; i++) after += row[i] * row[i];
    if (!(after > 1e-16 * before)) continue; // depends on those before
    for (int i = 0; i < n; i++) B[kept * n + i] = row[i] / sqrt(after);
    kept++;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j, size = sqrt(tangent_weight(m, i) / tangent_weight(m, j));
      for (int q = 0; q < kept; q++) sum -= B[q * n + i] * B[q * n + j];
      T[i * n + j] = sum * (scaled ? 1 : size);
    }
}

struct FollowWork {
  const Observer *o;
  double *T, *B, *M, *v;
  Lu *lu;
};

FollowWork *follow_work_new(const Observer *o, Arena *a) {
  FollowWork *w = ARENA_NEW(a, FollowWork);
  size_t n = (size_t)o->data->problem->model->nx;
  w->o = o;
  w->T = ARENA_ARRAY(a, double, n *n + 8);
  w->M = ARENA_ARRAY(a, double, n *n + 8);
  w->B = ARENA_ARRAY(a, double, (size_t)o->G.rows *n + 8);
  w->v = ARENA_ARRAY(a, double, n + 8);
  w->lu = lu_new(a, o->free_count);
  return w;
}

void follow_free(FollowWork *w, const double *outputs, double *Z, double *F) {
  const Observer *o = w->o;
  int n = o->data->problem->model->nx, count = o->free_count;
  size_t bytes = (size_t)n * (size_t)count * sizeof *Z;
  memset(Z, 0, bytes);
  memset(F, 0, bytes);
  for (int j = 0; j < count && o->G.rows == 0; j++) Z[j * count + j] = F[j * n + j] = 1;
  if (o->G.rows == 0) return;
  find_tangent(o, outputs + o->G_at, w->B, false, w->T);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) w->M[j * count + i] = w->T[o->free[i] * n + o->free[j]];
  if (!lu_factor(w->lu, w->M)) return; // the free states do not determine the others here
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < count; j++) w->v[j] = w->T[i * n + o->free[j]];
    lu_solve(w->lu, w->v, Z + i * count);
  }
  for (int j = 0; j < count; j++) memcpy(F + j * n, w->T + o->free[j] * n, (size_t)n * sizeof *F);
}

// ---------------------------------------------------------------- which states are free

static bool is_in_first(const Observer *o, int state) {
  for (int k = 0; k < o->first->coupling.term_count; k++)
    if (o->first->coupling.terms[k].state == state) return true;
  return false;
}

// Pivots of the Cholesky factors of T: states that move freely, those of the first feedback if they move at all.
static void pick_free(Observer *o, double *T) {
  int n = o->data->problem->model->nx;
  static const double PREFERRED = 100, STUCK = 1e-6;
  for (o->free_count = 0; o->free_count < n;) {
    int best = -1;
    double most = STUCK;
    for (int i = 0; i < n; i++) {
      double worth = T[i * n + i] * (is_in_first(o, i) && T[i * n + i] > STUCK ? PREFERRED : 1);
      if (worth > most) best = i, most = worth;
    }
    if (best < 0) return;
    o->free[o->free_count++] = best;
    double pivot = T[best * n + best];
    double *row = T + best * n;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n && i != best; j++)
        if (j != best) T[i * n + j] -= row[i] * row[j] / pivot;
    for (int i = 0; i < n; i++) row[i] = T[i * n + best] = 0;
  }
}

static void choose_free(Observer *o, Arena *scratch) {
  const Problem *p = o->data->problem;
  int n = p->model->nx;
  for (int i = 0; i < n; i++) o->free[i] = i;
  o->free_count = n;
  if (o->G.rows == 0) return;
  double *start = ARENA_ARRAY(scratch, double, p->unknown_count + 1);
  for (int k = 0; k < p->unknown_count; k++) start[k] = p->unknowns[k].start;
  double *value = ARENA_ARRAY(scratch, double, o->outputs + 16),
         *x = ARENA_ARRAY(scratch, double, n + 16);
  double *T = ARENA_ARRAY(scratch, double, n *n + 8);
  double *B = ARENA_ARRAY(scratch, double, o->G.rows *n + 8);
  SystemWork *w = system_work_new(o->system);
  ModelInputs inputs = {p->experiments[0].inputs, p->model->nu};
  w->inputs = model_inputs_read, w->inputs_data = &inputs;
  system_set_origin(w, p->experiments[0].origin);
  system_set_parameters(w, observer_parameters(scratch, p, 0, start));
  system_start(w, p->experiments[0].start, x);
  system_outputs(w, p->experiments[0].start, x, value, NULL);
  system_work_free(w);
  find_tangent(o, value + o->G_at, B, true, T);
  pick_free(o, T);
}

Observer *observer_new(const MeasuredData *d, const Feedback *first) {
  const Problem *p = d->problem;
  if (!observer_suits(p)) return NULL;
  Arena *a = arena_new(), *scratch = arena_new();
  Observer *o = ARENA_NEW(a, Observer);
  *o = (Observer){.arena = a, .data = d, .first = first};
  Expr *outputs;
  pthread_mutex_lock(p->model->lock);
  list_outputs(o, scratch, &outputs);
  pthread_mutex_unlock(p->model->lock);
  SystemSpec spec = {.outputs = outputs, .output_count = o->outputs, .lanes = 1, .code = CODE_AUTO};
  o->system = system_new(p->model, &spec);
  o->free = ARENA_ARRAY(a, int, p->model->nx + 1);
  choose_free(o, scratch);
  o->feedback = feedback_new_full(d, o->free, o->free_count);
  arena_free(scratch);
  return o;
}

void observer_free(Observer *o) {
  if (!o) return;
  system_free(o->system);
  feedback_free(o->feedback);
  arena_free(o->arena);
}
