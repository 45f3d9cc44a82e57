// Conditions c(x) = 0 in numbers. A point that satisfies them: damped Gauss-Newton, the shortest step in scaled states
// with G dx = -c, G = dc/dx. The rows of G are made orthogonal one after the other (Gram-Schmidt, twice), G = L Q, so
// dx = Q'a with L a = -c. A row of which less than a small part is left depends on those before it; a constraint is
// redundant when its row does at several points that satisfy all constraints.
#include "model/independent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "code/lower.h"
#include "expr/derive.h"
#include "expr/replace.h"
#include "model/mode_order.h"
#include "num/random.h"

enum { ITERATIONS = 60, HALVINGS = 20 };
static const double DEPENDENT = 1e-7; // part of a row that is left beside those before it
// The same on the way to a point: beside the constraints even a redundant one is independent by as much as they are
// violated, and a step along what is left of it leads away from the solution.
static const double NEARLY_DEPENDENT = 1e-3;

struct Conditions {
  Arena *arena;
  Model *m;
  int count, nx;
  Lowered *lowered;
  Code *code;
  double *par, *work, *out; // out: residuals, then slopes
  Derivatives slopes;
  double *G;      // rows of slopes by scaled states
  double *Q, *L;  // its orthogonal rows and triangle
  double *scale;  // of the states
  double *size;   // of each row of G
  double *weight; // of each row where the last step began: residuals are compared in it
  double *step, *trial;
  int *rows, rank; // independent ones
};

// ---------------------------------------------------------------- compiling

static void place(Location *where, Expr e, int segment, int index) {
  where[e] = (Location){(signed char)segment, index};
}

enum {
  FIRST_INPUT = 2
}; // among the first inputs of code: behind the time and its origin, which is 0

static int par_count(const Model *m) {
  return FIRST_INPUT + 3 * m->nu + m->np;
}

// Expressions of time, inputs and their derivatives, parameters; and of states.
static Lowered *lower_expressions(Model *m, Arena *a, const Expr *outputs, int count) {
  const Expr *du = model_helpers(m, HELPER_INPUT_SLOPE, m->nu);
  const Expr *ddu = model_helpers(m, HELPER_INPUT_SECOND, m->nu);
  int places = m->graph->count, first = FIRST_INPUT + 3 * m->nu;
  Location *where = ARENA_ARRAY(a, Location, places);
  for (int i = 0; i < places; i++) where[i].segment = -1;
  place(where, m->flat->time, 0, 0), place(where, m->flat->origin, 0, 1);
  for (int i = 0; i < m->nu; i++) {
    place(where, m->u[i], 0, FIRST_INPUT + i);
    place(where, du[i], 0, FIRST_INPUT + m->nu + i);
    place(where, ddu[i], 0, FIRST_INPUT + 2 * m->nu + i);
  }
  for (int k = 0; k < m->np; k++) {
    const Parameter *p = &m->flat->parameters.at[k];
    if (!p->dependent) place(where, p->node, 0, first + k);
  }
  for (int i = 0; i < m->nx; i++) place(where, m->x[i], 1, i);
  int counts[SEGMENTS] = {par_count(m), m->nx, 0};
  return lower(m->graph, a, outputs, count, where, places, counts, CODE_INTERPRETER);
}

// Inputs at their defaults, with derivatives 0. p: NULL, as in the text.
static void fill_par(const Model *m, double t, const double *p, double *par) {
  par[0] = t;
  for (int i = 0; i < m->nu; i++)
    par[FIRST_INPUT + i] = m->input[i] < 0 ? 0 : m->flat->variables.at[m->input[i]].default_value;
  for (int k = 0; k < m->np; k++)
    par[FIRST_INPUT + 3 * m->nu + k] = p ? p[k] : m->flat->parameters.at[k].value;
}

static void compile(Conditions *c, const Expr *residuals) {
  Model *m = c->m;
  Arena *a = c->arena;
  c->slopes = derive_rows(m->graph, a, residuals, c->count, m->x, c->nx);
  int entries = c->slopes.start[c->count];
  Expr *outputs = ARENA_ARRAY(a, Expr, c->count + entries + 1);
  memcpy(outputs, residuals, (size_t)c->count * sizeof *outputs);
  if (entries) memcpy(outputs + c->count, c->slopes.value, (size_t)entries * sizeof *outputs);
  c->par = ARENA_ARRAY(a, double, par_count(m) + 1);
  fill_par(m, 0, NULL, c->par);
  c->lowered = lower_expressions(m, a, outputs, c->count + entries);
  c->code = code_compile(&c->lowered->program, 1, 0, CODE_INTERPRETER);
  c->work = arena_alloc(a, (size_t)c->code->work_count + 8, sizeof(double));
  c->out = ARENA_ARRAY(a, double, c->count + entries + 1);
}

// Modes replaced by the conditions that they stand for.
static Expr *without_modes(Model *m, Arena *a, const Expr *residuals, int count) {
  Replacer *r = replacer_new(m->graph, a);
  Expr *plain = ARENA_ARRAY(a, Expr, count + 1);
  replace_modes(m, a, r);
  for (int i = 0; i < count; i++) plain[i] = replace(r, residuals[i]);
  return plain;
}

Conditions *conditions_new(Model *m, const Expr *residuals, int count) {
  Arena *a = arena_new();
  Conditions *c = ARENA_NEW(a, Conditions);
  *c = (Conditions){.arena = a, .m = m, .count = count, .nx = m->nx};
  compile(c, without_modes(m, a, residuals, count));
  size_t n = (size_t)m->nx, rows = (size_t)count;
  c->G = arena_alloc(a, rows * n + 1, sizeof(double));
  c->Q = arena_alloc(a, rows * n + 1, sizeof(double));
  c->L = arena_alloc(a, rows * rows + 1, sizeof(double));
  c->size = arena_alloc(a, rows + 1, sizeof(double));
  c->weight = arena_alloc(a, rows + 1, sizeof(double));
  c->scale = arena_alloc(a, n + 1, sizeof(double));
  c->step = arena_alloc(a, n + 1, sizeof(double));
  c->trial = arena_alloc(a, n + 1, sizeof(double));
  c->rows = ARENA_ARRAY(a, int, count + 1);
  return c;
}

void conditions_free(Conditions *c) {
  if (!c) return;
  code_free(c->code);
  lowered_done(c->lowered);
  arena_free(c->arena);
}

void start_attributes(Model *m, const double *p, double *x) {
  Arena *a = arena_new();
  Expr *starts = ARENA_ARRAY(a, Expr, m->nx + 1);
  double *par = ARENA_ARRAY(a, double, par_count(m) + 1);
  for (int i = 0; i < m->nx; i++) starts[i] = m->flat->variables.at[m->state[i]].start;
  fill_par(m, 0, p, par);
  Lowered *lowered = lower_expressions(m, a, starts, m->nx);
  Code *code = code_compile(&lowered->program, 1, 0, CODE_INTERPRETER);
  code_run(code, par, NULL, NULL, x, arena_alloc(a, (size_t)code->work_count + 8, sizeof(double)));
  code_free(code);
  lowered_done(lowered);
  arena_free(a);
}

// ---------------------------------------------------------------- rows

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void set_scales(Conditions *c, const double *x) {
  for (int i = 0; i < c->nx; i++) {
    double nominal = c->m->flat->variables.at[c->m->state[i]].nominal;
    c->scale[i] = fmax(fabs(x[i]), fabs(nominal));
  }
}

// Residuals and rows of slopes at x, slopes by states that are not free left out. false: not computable.
static bool evaluate(Conditions *c, const bool *free, const double *x) {
  code_run(c->code, c->par, x, NULL, c->out, c->work);
  memset(c->G, 0, (size_t)c->count * (size_t)c->nx * sizeof *c->G);
  bool finite = true;
  for (int i = 0; i < c->count; i++) {
    double *row = c->G + (size_t)i * (size_t)c->nx;
    for (int e = c->slopes.start[i]; e < c->slopes.start[i + 1]; e++) {
      int k = c->slopes.column[e];
      if (!free || free[k]) row[k] = c->out[c->count + e] * c->scale[k];
      finite &= isfinite(c->out[c->count + e]) != 0;
    }
    finite &= isfinite(c->out[i]) != 0;
    c->size[i] = sqrt(dot(row, row, c->nx));
  }
  return finite;
}

// Gram-Schmidt, twice for accuracy: G = L Q for the independent rows.
static void orthogonalise(Conditions *c, double dependent, unsigned char *mark) {
  int n = c->nx;
  c->rank = 0;
  memset(c->L, 0, (size_t)c->count * (size_t)c->count * sizeof *c->L);
  for (int i = 0; i < c->count; i++) {
    double *q = c->Q + (size_t)c->rank * (size_t)n, *l = c->L + (size_t)c->rank * (size_t)c->count;
    memcpy(q, c->G + (size_t)i * (size_t)n, (size_t)n * sizeof *q);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < c->rank; k++) {
        const double *other = c->Q + (size_t)k * (size_t)n;
        double along = dot(q, other, n);
        l[k] += along;
        for (int j = 0; j < n; j++) q[j] -= along * other[j];
      }
    double left = sqrt(dot(q, q, n));
    mark[i] = left > dependent * c->size[i];
    if (!mark[i]) {
      memset(l, 0, (size_t)c->count * sizeof *l);
      continue;
    }
    for (int j = 0; j < n; j++) q[j] /= left;
    l[c->rank] = left;
    c->rows[c->rank++] = i;
  }
}

int conditions_independent(Conditions *c, const bool *free, const double *x, unsigned char *mark) {
  set_scales(c, x);
  memset(mark, 1, (size_t)c->count);
  if (!evaluate(c, free, x)) return c->count;
  orthogonalise(c, DEPENDENT, mark);
  return c->rank;
}

// ---------------------------------------------------------------- a point that satisfies them

static double residual_norm(const Conditions *c) {
  double sum = 0;
  for (int i = 0; i < c->count; i++) {
    double r = c->out[i] / (c->weight[i] > 0 ? c->weight[i] : 1);
    sum += r * r;
  }
  return sqrt(sum);
}

// The least step in scaled states that makes the independent residuals vanish to first order.
static void least_step(Conditions *c) {
  int n = c->nx;
  memset(c->step, 0, (size_t)n * sizeof *c->step);
  double *part = c->trial; // along each row of Q; at most n rows are independent
  for (int k = 0; k < c->rank; k++) {
    const double *l = c->L + (size_t)k * (size_t)c->count;
    part[k] = (-c->out[c->rows[k]] - dot(l, part, k)) / l[k];
  }
  for (int k = 0; k < c->rank; k++)
    for (int j = 0; j < n; j++) c->step[j] += part[k] * c->Q[(size_t)k * (size_t)n + (size_t)j];
}

static bool move(Conditions *c, const bool *free, double *x) {
  double before = residual_norm(c), damping = 1;
  for (int k = 0; k < HALVINGS; k++, damping /= 2) {
    for (int j = 0; j < c->nx; j++) c->trial[j] = x[j] + damping * c->step[j] * c->scale[j];
    if (!evaluate(c, free, c->trial) || !(residual_norm(c) < before)) continue;
    memcpy(x, c->trial, (size_t)c->nx * sizeof *x);
    return true;
  }
  return false;
}

// Newton's method from x as far as it leads.
static bool approach(Conditions *c, const bool *free, double dependent, unsigned char *mark,
                     double *x) {
  bool ok = evaluate(c, free, x);
  for (int k = 0; k < ITERATIONS && ok; k++) {
    memcpy(c->weight, c->size, (size_t)c->count * sizeof *c->weight);
    if (residual_norm(c) <= 1e-15) break;
    orthogonalise(c, dependent, mark);
    least_step(c);
    if (!move(c, free, x)) break;
  }
  return ok && evaluate(c, free, x) && residual_norm(c) <= 1e-9;
}

bool conditions_settle(Conditions *c, const bool *free, double *x) {
  Arena *scratch = arena_new();
  unsigned char *mark = ARENA_ARRAY(scratch, unsigned char, c->count + 1);
  set_scales(c, x);
  bool ok = approach(c, free, NEARLY_DEPENDENT, mark, x) || approach(c, free, DEPENDENT, mark, x);
  arena_free(scratch);
  return ok;
}

// ---------------------------------------------------------------- redundant constraints

enum { POINTS = 4 }; // a single one may be singular by chance, such as a dead centre

// The lowest level of each constraint, in the order of the model.
static int list_constraints(const Model *m, Arena *a, Expr *residual, int *equation) {
  int count = 0, *first = ARENA_ARRAY(a, int, m->flat->equations.count + 1);
  for (int i = 0; i < m->invariant_count; i++) {
    const Invariant *v = &m->invariants[i];
    if (i == 0 || v[-1].equation != v->equation) first[m->order.equation[v->equation]] = i + 1;
  }
  for (int k = 0; k < m->flat->equations.count; k++) {
    if (!first[k]) continue;
    const Invariant *v = &m->invariants[first[k] - 1];
    residual[count] = v->residual, equation[count++] = v->equation;
  }
  return count;
}

// Another point that satisfies the constraints, near the start, at another time.
static bool visit(Conditions *c, int number, double *x) {
  start_attributes(c->m, NULL, x);
  set_scales(c, x);
  c->par[0] = 0.7 * number;
  for (int i = 0; i < c->nx && number; i++) {
    Random r;
    random_seed_stream(&r, (uint64_t)number, (uint64_t)c->m->order.variable[c->m->state[i]]);
    x[i] += 0.1 * c->scale[i] * (2 * random_uniform(&r) - 1);
  }
  return conditions_settle(c, NULL, x);
}

// The point next to where all states are 0: mechanisms often rest there.
static bool visit_zero(Conditions *c, double *x) {
  start_attributes(c->m, NULL, x);
  set_scales(c, x);
  memset(x, 0, (size_t)c->nx * sizeof *x);
  return conditions_settle(c, NULL, x);
}

// Marks of the independent ones at the point where they are most. Returns the number of points, and that of marks in *most.
static int most_independent(Conditions *c, unsigned char *best, int *most) {
  int points = 0;
  unsigned char *mark = ARENA_ARRAY(c->arena, unsigned char, c->count + 1);
  double *x = ARENA_ARRAY(c->arena, double, c->nx + 1);
  *most = -1;
  for (int k = 0; k < POINTS && *most < c->count; k++) {
    if (!visit(c, k, x)) continue;
    int rank = conditions_independent(c, NULL, x, mark);
    points++;
    if (rank > *most) *most = rank, memcpy(best, mark, (size_t)c->count);
  }
  return points;
}

// Whether there is a point at these parameters, and as many constraints are independent there as before.
static bool stays_redundant(Conditions *c, int rank, unsigned char *mark, double *x) {
  for (int k = 0; k < POINTS; k++) {
    if (visit(c, k, x)) return conditions_independent(c, NULL, x, mark) <= rank;
  }
  return false;
}

static bool occurs(const Graph *g, Arena *a, Expr symbol, const Expr *in, int count) {
  const unsigned char *depends = expr_dependents(g, a, &symbol, 1);
  bool any = false;
  for (int i = 0; i < count; i++) any |= depends[in[i]] != 0;
  return any;
}

// Parameters without which the redundancy is lost: a third crank of its own length, for example.
static void find_holding_parameters(Conditions *c, const Expr *residual, int rank, int equation) {
  Model *m = c->m;
  Arena *a = c->arena;
  unsigned char *mark = ARENA_ARRAY(a, unsigned char, c->count + 1);
  double *x = ARENA_ARRAY(a, double, c->nx + 1);
  m->redundant_at = ARENA_ARRAY(m->arena, int, m->np + 1);
  for (int k = 0; k < m->np; k++) {
    const Parameter *p = &m->flat->parameters.at[k];
    double *value = &c->par[FIRST_INPUT + 3 * m->nu + k], before = *value;
    m->redundant_at[k] = -1;
    if (p->dependent || !occurs(m->graph, a, p->node, residual, c->count)) continue;
    *value += 0.1 * (before != 0 ? before : 1);
    if (!stays_redundant(c, rank, mark, x)) m->redundant_at[k] = equation;
    *value = before;
  }
}

// By constraint: how much of it is in what depends, 0 to 1, at a point: 1 - |Q_i|^2 with the columns of G = Q R.
static void find_shares(Conditions *c, const double *x, double *share) {
  int rows = c->count, rank = 0;
  double *Q = arena_alloc(c->arena, (size_t)rows * (size_t)c->nx + 1, sizeof(double));
  set_scales(c, x);
  if (!evaluate(c, NULL, x)) return;
  for (int j = 0; j < c->nx; j++) {
    double *q = Q + (size_t)rank * (size_t)rows;
    for (int i = 0; i < rows; i++)
      q[i] = c->G[(size_t)i * (size_t)c->nx + (size_t)j] / (c->size[i] > 0 ? c->size[i] : 1);
    double before = sqrt(dot(q, q, rows));
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < rank; k++) {
        const double *other = Q + (size_t)k * (size_t)rows;
        double along = dot(q, other, rows);
        for (int i = 0; i < rows; i++) q[i] -= along * other[i];
      }
    double left = sqrt(dot(q, q, rows));
    if (!(left > DEPENDENT * before) || rank == rows) continue;
    for (int i = 0; i < rows; i++) q[i] /= left;
    rank++;
  }
  for (int i = 0; i < rows; i++) {
    double inside = 0;
    for (int k = 0; k < rank; k++) {
      double q = Q[(size_t)k * (size_t)rows + (size_t)i];
      inside += q * q;
    }
    share[i] = fmin(share[i], 1 - inside);
  }
}

typedef struct SharedConstraint {
  Expr residual;
  int equation, place;
  int share; // the least anywhere, in thousandths
} SharedConstraint;

static int by_share(const void *a, const void *b) {
  const SharedConstraint *x = a, *y = b;
  return x->share != y->share ? x->share - y->share : x->place - y->place;
}

// Whether as many constraints are independent here as anywhere, and clearly so: not at a singular position, nor next to one.
static bool is_regular(Conditions *c, const double *x, int rank, unsigned char *mark) {
  set_scales(c, x);
  if (!evaluate(c, NULL, x)) return false;
  orthogonalise(c, NEARLY_DEPENDENT, mark);
  return c->rank == rank;
}

// A constraint can be left out where it has a share in what depends: those that always have come last.
static void order_by_share(Conditions *c, Arena *a, int rank, Expr *residual, int *equation) {
  int n = c->count;
  unsigned char *mark = ARENA_ARRAY(a, unsigned char, n + 1);
  double *share = ARENA_ARRAY(a, double, n + 1), *x = ARENA_ARRAY(a, double, c->nx + 1);
  SharedConstraint *list = ARENA_ARRAY(a, SharedConstraint, n + 1);
  for (int i = 0; i < n; i++) share[i] = 1;
  for (int k = 0; k <= POINTS; k++) {
    bool there = k < POINTS ? visit(c, k, x) : visit_zero(c, x);
    if (there && is_regular(c, x, rank, mark)) find_shares(c, x, share);
  }
  for (int i = 0; i < n; i++)
    list[i] = (SharedConstraint){residual[i], equation[i], i, (int)(1000 * share[i] + 0.5)};
  if (n > 1) qsort(list, (size_t)n, sizeof *list, by_share);
  for (int i = 0; i < n; i++) residual[i] = list[i].residual, equation[i] = list[i].equation;
}

int redundant_equations(Model *m, const unsigned char **redundant, bool certain) {
  Arena *a = arena_new();
  Expr *residual = ARENA_ARRAY(a, Expr, m->invariant_count + 1);
  int *equation = ARENA_ARRAY(a, int, m->invariant_count + 1), most, found = 0;
  unsigned char *best = ARENA_ARRAY(a, unsigned char, m->invariant_count + 1);
  int count = list_constraints(m, a, residual, equation);
  Conditions *c = conditions_new(m, residual, count);
  int points = most_independent(c, best, &most);
  if (most < count && points > certain) {
    order_by_share(c, a, most, residual, equation);
    conditions_free(c);
    c = conditions_new(m, residual, count);
    points = most_independent(c, best, &most);
  }
  unsigned char *marks = ARENA_ARRAY(m->arena, unsigned char, m->flat->equations.count + 1);
  for (int i = 0; i < count && points > certain; i++) {
    bool of_states = c->slopes.start[i] < c->slopes.start[i + 1];
    marks[equation[i]] = !best[i] && (of_states || !certain);
    if (marks[equation[i]] && !found++) find_holding_parameters(c, residual, most, equation[i]);
  }
  conditions_free(c);
  arena_free(a);
  *redundant = marks;
  return found;
}

// ---------------------------------------------------------------- start values that do not exist

bool unsatisfied_invariant(Model *m, double t, const double *p, int *invariant, double *residual) {
  Arena *a = arena_new();
  Expr *residuals = ARENA_ARRAY(a, Expr, m->invariant_count + 1);
  double *x = ARENA_ARRAY(a, double, m->nx + 1), worst = 0;
  bool *free = ARENA_ARRAY(a, bool, m->nx + 1);
  for (int i = 0; i < m->nx; i++) free[i] = !m->flat->variables.at[m->state[i]].fixed;
  for (int i = 0; i < m->invariant_count; i++) residuals[i] = m->invariants[i].residual;
  pthread_mutex_lock(m->lock);
  Conditions *c = conditions_new(m, residuals, m->invariant_count);
  fill_par(m, t, p, c->par);
  start_attributes(m, p, x);
  bool found = !conditions_settle(c, free, x);
  pthread_mutex_unlock(m->lock);
  for (int i = 0; i < m->invariant_count && found; i++) {
    double relative = fabs(c->out[i]) / (c->size[i] > 0 ? c->size[i] : 1);
    if (relative > worst) worst = relative, *invariant = i, *residual = c->out[i];
  }
  conditions_free(c);
  arena_free(a);
  return worst > 0;
}
