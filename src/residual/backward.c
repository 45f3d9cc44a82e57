// Radau IIA collocation on each step of the dense history: T' = f_x T + F holds at the nodes (Hairer and Wanner, Solving ODEs II,
// section IV.5). The transposed linear equations of a step are solved by fixed-point sweeps, or by LU where these do not converge.
#include "residual/backward.h"

#include <math.h>
#include <string.h>

#include "num/lu.h"

// Numbers at the nodes are neighbours, as many for any number of nodes, so that loops over them are unrolled.
enum { WIDE = BACKWARD_NODES_MOST };

// Sweeps converge faster and faster: a few more make up for states that are small against others.
enum { SWEEPS_MOST = 40, SWEEPS_MORE = 2 };
static const double SWEEPS_END = 1e-10; // relative change

struct Backward {
  Arena *arena;
  const System *system;
  HistoryInputs *inputs;
  SystemWork *work;
  int nx, nodes;
  double z[WIDE];                 // in [-1, 1]
  double coefficient[WIDE][WIDE]; // of the polynomial of node l in Legendre's
  double to_node[WIDE][WIDE];     // [m][l]: its integral up to node m
  const HistoryStep *at;
  double *J;                          // [entry][node]: -f_x', as the system has it
  double *row;                        // the same at one node
  double *mu;                         // at the end of the step until it is left
  double *change;                     // of mu, in the step
  double *right, *solution, *product; // [state][node]
  bool computable;
  Lu *lu; // made when it is first needed
  Pattern pattern;
  double *entries, *packed_right, *packed;
};

// ---------------------------------------------------------------- inputs

void history_inputs_read(void *data, double t, double *u, double *du) {
  HistoryInputs *in = data;
  const Adjoint *a = in->adjoint;
  input_eval_all(in->inputs, a->of->nu, t, in->pieces, u, du, a->model->nu);
  int count = in->states_only ? a->of->nx : a->of->nx * (1 + a->columns);
  history_read(in->history, t, count, u + a->first_x);
}

void history_inputs_enter(HistoryInputs *in, double t, int direction) {
  for (int i = 0; i < in->adjoint->of->nu; i++)
    in->pieces[i] = input_piece(in->inputs[i], t, direction);
}

void history_inputs_show(HistoryInputs *in, double t, bool last) {
  history_inputs_enter(in, t, +1);
  for (int i = 0; i < in->adjoint->of->nu && last; i++)
    if (!input_jumps(in->inputs[i])) in->pieces[i] = input_piece(in->inputs[i], t, -1);
}

// ---------------------------------------------------------------- polynomials

// Legendre's of degree 0 to `degree` at z.
static void legendre(double z, int degree, double *value) {
  value[0] = 1, value[1] = z;
  for (int m = 1; m < degree; m++)
    value[m + 1] = z * value[m] + (z * value[m] - value[m - 1]) * (m / (m + 1.));
}

// Their integrals from -1, of degree 0 to n - 1.
static void legendre_integrals(double z, int n, double *integral) {
  double value[WIDE + 1];
  legendre(z, n, value);
  integral[0] = z + 1;
  for (int k = 1; k < n; k++) integral[k] = (value[k + 1] - value[k - 1]) / (2 * k + 1);
}

// A zero of P_n - P_(n-1), the nodes of Radau with 1 among them; cos(2 pi i/(2n - 1)) is close to it.
static double radau_node(int n, int i) {
  double p[WIDE + 1], z = cos(6.283185307179586 * i / (2 * n - 1));
  for (int sweep = 0; i > 0 && sweep < 10; sweep++) {
    legendre(z, n, p);
    // (1 - z^2) P_n' = n (P_(n-1) - z P_n)
    double below = n > 1 ? p[n - 2] : 0;
    double slope = (n * (p[n - 1] - z * p[n]) - (n - 1) * (below - z * p[n - 1])) / (1 - z * z);
    z -= (p[n] - p[n - 1]) / slope;
  }
  return z;
}

// The quadrature of Radau is exact for products of two polynomials of degree n - 1, which gives the coefficients.
static void make_nodes(Backward *b) {
  int n = b->nodes;
  double p[WIDE + 1], integral[WIDE];
  for (int l = 0; l < n; l++) {
    b->z[l] = radau_node(n, n - 1 - l);
    legendre(b->z[l], n, p);
    double weight = (1 + b->z[l]) / (n * n * p[n - 1] * p[n - 1]);
    for (int k = 0; k < n; k++) b->coefficient[l][k] = weight * (2 * k + 1) / 2 * p[k];
  }
  for (int m = 0; m < n; m++) {
    legendre_integrals(b->z[m], n, integral);
    for (int l = 0; l < n; l++)
      for (int k = 0; k < n; k++) b->to_node[m][l] += b->coefficient[l][k] * integral[k];
  }
}

static double half_length(const Backward *b) {
  return (b->at->end - b->at->begin) / 2;
}

double backward_node(const Backward *b, int node) {
  if (node == b->nodes - 1) return b->at->end;
  return b->at->begin + half_length(b) * (1 + b->z[node]);
}

// ---------------------------------------------------------------- set-up

Backward *backward_new(const System *s, HistoryInputs *inputs, int nodes) {
  Arena *a = arena_new();
  Backward *b = ARENA_NEW(a, Backward);
  int entries = pattern_count(&s->sparse.jacobian);
  b->arena = a;
  b->system = s;
  b->inputs = inputs;
  b->nx = s->nx, b->nodes = nodes;
  b->work = system_work_new(s);
  b->work->inputs = history_inputs_read;
  b->work->inputs_data = inputs;
  make_nodes(b);
  b->J = ARENA_ARRAY(a, double, (size_t)entries *WIDE + 16);
  b->row = ARENA_ARRAY(a, double, entries + 16);
  b->mu = ARENA_ARRAY(a, double, s->nx + 16);
  b->change = ARENA_ARRAY(a, double, s->nx + 16);
  b->right = ARENA_ARRAY(a, double, s->nx *WIDE + 16);
  b->solution = ARENA_ARRAY(a, double, s->nx *WIDE + 16);
  b->product = ARENA_ARRAY(a, double, s->nx *WIDE + 16);
  return b;
}

void backward_free(Backward *b) {
  if (!b) return;
  system_work_free(b->work);
  arena_free(b->arena);
}

SystemWork *backward_work(Backward *b) {
  return b->work;
}
double *backward_mu(Backward *b) {
  return b->mu;
}

// As fast as the motion changes in the step of a method of order 8 and this accuracy.
double backward_rate(const Backward *b) {
  const DenseHistory *t = b->inputs->history;
  const HistoryStep *first = t->steps.at, *last = first + t->steps.count - 1;
  return 0.1 * t->steps.count / (last->end - first->begin);
}

// Four anchors in each step.
void history_follow(HistoryInputs *in, SystemWork *w, const double *x) {
  const DenseHistory *history = in->history;
  in->states_only = true;
  for (int n = 0; n < history->steps.count && w->system->branch_count; n++) {
    const HistoryStep *s = &history->steps.at[n];
    history_inputs_enter(in, s->begin, +1);
    for (int j = 0; j < 4; j++)
      system_branch_add(w, s->begin + (s->end - s->begin) * (j + 1) / 4, x);
  }
}

void backward_begin(Backward *b, const double *p, double origin, double start) {
  b->inputs->states_only = true;
  history_inputs_enter(b->inputs, start, +1);
  system_set_origin(b->work, origin);
  system_set_parameters(b->work, p);
  system_set_rate(b->work, backward_rate(b));
  system_start(b->work, start, b->mu);
  memset(b->mu, 0, (size_t)b->nx * sizeof *b->mu);
  history_follow(b->inputs, b->work, b->mu);
}

// ---------------------------------------------------------------- a step

// What the polynomials of the nodes are when they are integrated up to z, times the length.
static void integrals_to(const Backward *b, double z, double *factor) {
  double integral[WIDE];
  legendre_integrals(z, b->nodes, integral);
  for (int l = 0; l < b->nodes; l++) {
    factor[l] = 0;
    for (int k = 0; k < b->nodes; k++) factor[l] += b->coefficient[l][k] * integral[k];
    factor[l] *= half_length(b);
  }
}

static void add_right(Backward *b, const double *factor, const double *change) {
  for (int i = 0; i < b->nx; i++)
    for (int l = 0; l < b->nodes; l++) b->right[i * WIDE + l] += factor[l] * change[i];
}

static void find_slopes(Backward *b) {
  int entries = pattern_count(&b->system->sparse.jacobian);
  double finite = 0;
  for (int m = b->nodes - 1; m >= 0; m--) {
    double t = backward_node(b, m);
    system_jacobian(b->work, t, b->mu, b->row, NULL);
    for (int e = 0; e < entries; e++) {
      b->J[e * WIDE + m] = b->row[e];
      finite += b->row[e] * 0;
    }
  }
  b->computable = finite == 0;
}

// A column ends with what the slopes at all nodes make of it.
void backward_enter(Backward *b, int step) {
  double factor[WIDE];
  b->at = &b->inputs->history->steps.at[step];
  b->inputs->states_only = true;
  history_inputs_enter(b->inputs, b->at->end, -1);
  find_slopes(b);
  memset(b->change, 0, (size_t)b->nx * sizeof *b->change);
  memset(b->right, 0, (size_t)(b->nx * WIDE) * sizeof *b->right);
  integrals_to(b, 1, factor);
  add_right(b, factor, b->mu);
}

// Until t a column has changed by the integral of its slope.
void backward_add(Backward *b, double t, const double *change) {
  double factor[WIDE];
  integrals_to(b, (t - b->at->begin) / half_length(b) - 1, factor);
  add_right(b, factor, change);
  for (int i = 0; i < b->nx; i++) b->change[i] += change[i];
}

// product = f_x' solution at all nodes
static void multiply(const Backward *b) {
  const Pattern *p = &b->system->sparse.jacobian;
  memset(b->product, 0, (size_t)(b->nx * WIDE) * sizeof *b->product);
  for (int j = 0; j < b->nx; j++) {
    double *out = b->product + j * WIDE;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      const double *J = b->J + e * WIDE, *v = b->solution + p->column[e] * WIDE;
      for (int m = 0; m < WIDE; m++) out[m] -= J[m] * v[m];
    }
  }
}

// solution_l = right_l + sum over m of to_node[m][l] f_x' solution_m. Returns the relative change.
static double sweep(Backward *b) {
  double size[WIDE] = {0}, change[WIDE] = {0}, half = half_length(b);
  multiply(b);
  for (int i = 0; i < b->nx; i++) {
    double next[WIDE], *now = b->solution + i * WIDE;
    memcpy(next, b->right + i * WIDE, sizeof next);
    for (int m = 0; m < b->nodes; m++) {
      double factor = half * b->product[i * WIDE + m];
      for (int l = 0; l < WIDE; l++) next[l] += factor * b->to_node[m][l];
    }
    for (int l = 0; l < WIDE; l++) {
      size[l] += next[l] * next[l];
      change[l] += (next[l] - now[l]) * (next[l] - now[l]);
      now[l] = next[l];
    }
  }
  for (int l = 1; l < WIDE; l++) size[0] += size[l], change[0] += change[l];
  return size[0] > 0 ? sqrt(change[0] / size[0]) : 0;
}

// They converge where an explicit method is stable.
static bool solve_by_sweeps(Backward *b) {
  memcpy(b->solution, b->right, (size_t)(b->nx * WIDE) * sizeof *b->solution);
  double before = HUGE_VAL, change;
  for (int i = 0; i < SWEEPS_MOST; i++, before = change) {
    change = sweep(b);
    if (!(change < 4 * before)) return false;
    if (!(change <= SWEEPS_END)) continue;
    for (int more = 0; more < SWEEPS_MORE; more++) sweep(b);
    return true;
  }
  return false;
}

// The same equations as a matrix: row (l, j), column (m, i) where f_x has an entry (i, j).
static void make_lu(Backward *b) {
  const Pattern *p = &b->system->sparse.jacobian;
  int n = b->nodes, nx = b->nx, count = n * n * pattern_count(p), at = 0;
  int *start = ARENA_ARRAY(b->arena, int, n *nx + 1),
      *column = ARENA_ARRAY(b->arena, int, count + 1);
  for (int l = 0; l < n; l++)
    for (int j = 0; j < nx; j++) {
      for (int m = 0; m < n; m++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) column[at++] = m * nx + p->column[e];
      start[l * nx + j + 1] = at;
    }
  b->pattern = (Pattern){n * nx, n * nx, start, column};
  b->entries = ARENA_ARRAY(b->arena, double, count + 8);
  b->packed_right = ARENA_ARRAY(b->arena, double, n *nx + 8);
  b->packed = ARENA_ARRAY(b->arena, double, n *nx + 8);
  b->lu = lu_new_sparse(b->arena, &b->pattern);
}

static bool solve_at_once(Backward *b) {
  if (!b->lu) make_lu(b);
  const Pattern *p = &b->system->sparse.jacobian;
  int n = b->nodes, nx = b->nx, at = 0;
  for (int l = 0; l < n; l++)
    for (int j = 0; j < nx; j++) {
      b->packed_right[l * nx + j] = b->right[j * WIDE + l];
      for (int m = 0; m < n; m++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
          b->entries[at++] = half_length(b) * b->to_node[m][l] * b->J[e * WIDE + m];
    }
  if (!lu_factor_sparse(b->lu, b->entries, 1, 1)) return false;
  lu_solve(b->lu, b->packed_right, b->packed);
  for (int l = 0; l < n; l++)
    for (int j = 0; j < nx; j++) b->solution[j * WIDE + l] = b->packed[l * nx + j];
  return true;
}

bool backward_leave(Backward *b, double *weights) {
  if (!b->computable || (!solve_by_sweeps(b) && !solve_at_once(b))) return false;
  multiply(b);
  for (int i = 0; i < b->nx; i++) {
    b->mu[i] += b->change[i];
    for (int m = 0; m < b->nodes; m++) {
      b->mu[i] += b->product[i * WIDE + m];
      weights[m * b->nx + i] = b->solution[i * WIDE + m];
    }
  }
  return true;
}
