#include "model/system.h"

#include <math.h>
#include <string.h>

enum { AUGMENTED_MOST = 600 }; // multiplications: above, sparse products over columns are faster than straight-line code

// ---------------------------------------------------------------- building

typedef struct Builder {
  System *s;
  Model *m;
  Graph *g;
  Arena *scratch;
  const SystemSpec *spec;
  Expr *parameter;       // symbols of spec.parameters
  Expr *active_symbol;   // of the active ones
  int *column_of;        // by spec.parameters: its active column, -1 = none
  const Expr *du, *S, *unit, *S_lane; // symbols: input slopes, sensitivities, unit directions, sensitivities in lanes
  Derivatives fx, fp, hx, hp, gx, gp;
  Derivatives x0p;
  Expr *ft;
  IntArray hoisted;
  Location *where;
  int where_count;
  unsigned char *seen;
  IntArray stack;
} Builder;

// Symbols that every System of the model shares, so that equal derivatives stay equal nodes.
static const Expr *helper_symbols(Builder *b, HelperSymbol kind, int count) {
  Model *m = b->m;
  while (m->helpers[kind].count < count)
    array_push(m->arena, &m->helpers[kind], expr_symbol(b->g, "derivative", true));
  return m->helpers[kind].at;
}

// Columns first .. first+count-1 of d, renamed by `to` (-1 leaves a column out).
static Derivatives take_columns(Builder *b, const Derivatives *d, int first, int count, const int *to) {
  int entries = d->start[d->rows], at = 0;
  Derivatives part = {.rows = d->rows, .start = ARENA_ARRAY(b->scratch, int, d->rows + 1)};
  part.column = ARENA_ARRAY(b->scratch, int, entries + 1);
  part.value = ARENA_ARRAY(b->scratch, Expr, entries + 1);
  for (int i = 0; i < d->rows; i++) {
    for (int e = d->start[i]; e < d->start[i + 1]; e++) {
      int k = d->column[e] - first;
      if (k < 0 || k >= count || (to && to[k] < 0)) continue;
      part.column[at] = to ? to[k] : k;
      part.value[at++] = d->value[e];
    }
    part.start[i + 1] = at;
  }
  return part;
}

// By states and parameters at once: what the two share is derived once.
static Derivatives derive_both(Builder *b, const Expr *outputs, int rows) {
  int nx = b->s->nx, np = b->s->np;
  Expr *by = ARENA_ARRAY(b->scratch, Expr, nx + np + 1);
  memcpy(by, b->m->x, (size_t)nx * sizeof *by);
  if (np) memcpy(by + nx, b->parameter, (size_t)np * sizeof *by);
  return derive_rows(b->g, b->scratch, outputs, rows, by, nx + np);
}

static void mark_columns(const Derivatives *d, int first, unsigned char *mark) {
  for (int e = 0; e < d->start[d->rows]; e++)
    if (d->column[e] >= first) mark[d->column[e] - first] = 1;
}

// Parameters that enter neither the equations nor the start values cost nothing.
static void derive_motion(Builder *b) {
  System *s = b->s;
  Derivatives f = derive_both(b, b->m->f, s->nx);
  Derivatives x0 = derive_rows(b->g, b->scratch, b->m->x0, s->nx, b->parameter, s->np);
  unsigned char *moves = ARENA_ARRAY(b->scratch, unsigned char, s->np + 1);
  mark_columns(&f, s->nx, moves);
  mark_columns(&x0, 0, moves);
  s->active = ARENA_ARRAY(s->arena, int, s->np + 1);
  b->active_symbol = ARENA_ARRAY(b->scratch, Expr, s->np + 1);
  b->column_of = ARENA_ARRAY(b->scratch, int, s->np + 1);
  for (int k = 0; k < s->np; k++) {
    b->column_of[k] = moves[k] ? s->ns : -1;
    if (moves[k]) b->active_symbol[s->ns] = b->parameter[k], s->active[s->ns++] = k;
  }
  b->fx = take_columns(b, &f, 0, s->nx, NULL);
  b->fp = take_columns(b, &f, s->nx, s->np, b->column_of);
  b->x0p = take_columns(b, &x0, 0, s->np, b->column_of);
  long work = (long)b->fx.start[s->nx] * s->ns;
  s->augmented = s->lanes > 1 || work <= AUGMENTED_MOST;
  s->stride = s->augmented ? s->ns : (s->ns + 3) / 4 * 4;
}

static int column_at(const Derivatives *d, int row, int column) {
  for (int e = d->start[row]; e < d->start[row + 1]; e++)
    if (d->column[e] == column) return e;
  return -1;
}

static Pattern copy_pattern(Builder *b, const Derivatives *d, int columns) {
  int rows = d->rows, count = d->start[rows];
  int *start = ARENA_ARRAY(b->s->arena, int, rows + 1), *column = ARENA_ARRAY(b->s->arena, int, count + 1);
  memcpy(start, d->start, (size_t)(rows + 1) * sizeof(int));
  if (count) memcpy(column, d->column, (size_t)count * sizeof(int));
  return (Pattern){rows, columns, start, column};
}

typedef struct Outputs { // expressions of one kernel
  ARRAY(Expr) list;
} Outputs;

static void add_outputs(Builder *b, Outputs *o, const Expr *e, int count) {
  for (int i = 0; i < count; i++) array_push(b->scratch, &o->list, e[i]);
}

static void add_sparse(Builder *b, Outputs *o, const Derivatives *d) {
  add_outputs(b, o, d->value, d->start[d->rows]);
}

static Outputs start_outputs(Builder *b) {
  System *s = b->s;
  Outputs o = {0};
  add_outputs(b, &o, b->m->x0, s->nx);
  add_outputs(b, &o, b->m->mode0, s->ne);
  s->x0p = (SparsePart){copy_pattern(b, &b->x0p, s->ns), o.list.count};
  if (s->ns) add_sparse(b, &o, &b->x0p);
  return o;
}

// dS_ik = sum_j f_x[ij] S_jk + f_p[ik]
static Outputs augmented_outputs(Builder *b) {
  System *s = b->s;
  Outputs o = {0};
  add_outputs(b, &o, b->m->f, s->nx);
  for (int i = 0; i < s->nx; i++)
    for (int k = 0; k < s->ns; k++) {
      int own = column_at(&b->fp, i, k);
      Expr sum = own >= 0 ? b->fp.value[own] : expr_const(b->g, 0);
      for (int e = b->fx.start[i]; e < b->fx.start[i + 1]; e++)
        sum = expr_add(b->g, sum, expr_mul(b->g, b->fx.value[e], b->S[b->fx.column[e] * s->stride + k]));
      add_outputs(b, &o, &sum, 1);
    }
  return o;
}

static Outputs sparse_outputs(Builder *b) {
  Outputs o = {0};
  add_outputs(b, &o, b->m->f, b->s->nx);
  b->s->fx = (SparsePart){copy_pattern(b, &b->fx, b->s->nx), o.list.count};
  add_sparse(b, &o, &b->fx);
  b->s->fp = (SparsePart){copy_pattern(b, &b->fp, b->s->ns), o.list.count};
  add_sparse(b, &o, &b->fp);
  return o;
}

// Derivatives by time along given inputs: e_t + e_u du/dt
static void by_time(Builder *b, const Expr *e, int count, Expr *results) {
  int nu = b->m->nu;
  Expr *by = ARENA_ARRAY(b->scratch, Expr, nu + 1), *seed = ARENA_ARRAY(b->scratch, Expr, nu + 1);
  by[0] = b->m->flat->time;
  seed[0] = expr_const(b->g, 1);
  for (int i = 0; i < nu; i++) by[i + 1] = b->m->u[i], seed[i + 1] = b->du[i];
  derive_direction(b->g, e, count, by, seed, nu + 1, results);
}

static Outputs jacobian_outputs(Builder *b) {
  System *s = b->s;
  Outputs o = {0};
  s->jac = copy_pattern(b, &b->fx, s->nx);
  add_sparse(b, &o, &b->fx);
  b->ft = ARENA_ARRAY(b->scratch, Expr, s->nx + 1);
  by_time(b, b->m->f, s->nx, b->ft);
  add_outputs(b, &o, b->ft, s->nx);
  return o;
}

static Outputs jacobian_sens_outputs(Builder *b) {
  System *s = b->s;
  int n = s->nx + s->ns;
  Outputs first = jacobian_outputs(b), o = {0};
  Expr *by = ARENA_ARRAY(b->scratch, Expr, n + 1), *seed = ARENA_ARRAY(b->scratch, Expr, n + 1);
  for (int i = 0; i < s->nx; i++) by[i] = b->m->x[i], seed[i] = b->S_lane[i];
  for (int k = 0; k < s->ns; k++) by[s->nx + k] = b->active_symbol[k], seed[s->nx + k] = b->unit[k];
  Expr *results = ARENA_ARRAY(b->scratch, Expr, first.list.count + 1);
  derive_direction(b->g, first.list.at, first.list.count, by, seed, n, results);
  add_outputs(b, &o, results, first.list.count);
  return o;
}

static Outputs output_outputs(Builder *b) {
  System *s = b->s;
  Outputs o = {0};
  add_outputs(b, &o, b->spec->outputs, s->ny);
  if (s->np == 0) return o;
  Derivatives h = derive_both(b, b->spec->outputs, s->ny);
  b->hx = take_columns(b, &h, 0, s->nx, NULL);
  b->hp = take_columns(b, &h, s->nx, s->np, NULL);
  s->hx = (SparsePart){copy_pattern(b, &b->hx, s->nx), o.list.count};
  add_sparse(b, &o, &b->hx);
  s->hp = (SparsePart){copy_pattern(b, &b->hp, s->np), o.list.count};
  add_sparse(b, &o, &b->hp);
  return o;
}

static Outputs event_outputs(Builder *b) {
  Outputs o = {0};
  add_outputs(b, &o, b->m->switching, b->s->ne);
  return o;
}

static Outputs event_sens_outputs(Builder *b) {
  System *s = b->s;
  Outputs o = event_outputs(b);
  Derivatives g = derive_both(b, b->m->switching, s->ne);
  b->gx = take_columns(b, &g, 0, s->nx, NULL);
  b->gp = take_columns(b, &g, s->nx, s->np, b->column_of);
  s->gx = (SparsePart){copy_pattern(b, &b->gx, s->nx), o.list.count};
  add_sparse(b, &o, &b->gx);
  s->gp = (SparsePart){copy_pattern(b, &b->gp, s->ns), o.list.count};
  add_sparse(b, &o, &b->gp);
  Expr *rates = ARENA_ARRAY(b->scratch, Expr, s->ne + 1);
  by_time(b, b->m->switching, s->ne, rates);
  add_outputs(b, &o, rates, s->ne);
  return o;
}

// ---------------------------------------------------------------- where symbols come from

static void place(Builder *b, Expr e, int segment, int index) {
  b->where[e] = (Location){(signed char)segment, index};
}

static void lay_out(Builder *b) {
  System *s = b->s;
  s->at_u = 1;
  s->at_du = s->at_u + s->nu;
  s->at_mode = s->at_du + s->nu;
  s->at_p = s->at_mode + s->ne;
  s->at_hoisted = s->at_p + b->m->np;
  b->where_count = b->g->count;
  b->where = ARENA_ARRAY(b->scratch, Location, b->where_count);
  b->seen = ARENA_ARRAY(b->scratch, unsigned char, b->where_count);
  for (int i = 0; i < b->where_count; i++) b->where[i].segment = -1;
  place(b, b->m->flat->time, 0, 0);
  for (int i = 0; i < s->nu; i++) place(b, b->m->u[i], 0, s->at_u + i), place(b, b->du[i], 0, s->at_du + i);
  for (int k = 0; k < s->ne; k++) place(b, b->m->flat->events.at[k].mode, 0, s->at_mode + k);
  for (int k = 0; k < b->m->np; k++) {
    const Parameter *p = &b->m->flat->parameters.at[k];
    if (!p->dependent) place(b, p->node, 0, s->at_p + k);
  }
  for (int i = 0; i < s->nx; i++) place(b, b->m->x[i], 1, i);
  for (int i = 0; i < s->nx * s->stride && b->S; i++) place(b, b->S[i], 1, s->nx + i);
  for (int i = 0; i < s->nx && b->S_lane; i++) place(b, b->S_lane[i], 2, i);
  for (int k = 0; k < s->ns && b->unit; k++) place(b, b->unit[k], 2, s->nx + k);
}

static void hoist_node(void *data, Expr e) {
  Builder *b = data;
  const ExprNode *n = &b->g->nodes[e];
  if (b->seen[e] || n->op == OP_CONST || n->op == OP_SYMBOL) return;
  b->seen[e] = 1;
  if (expr_varies(b->g, e)) {
    array_push(b->scratch, &b->stack, e);
    return;
  }
  place(b, e, 0, b->s->at_hoisted + b->hoisted.count);
  array_push(b->scratch, &b->hoisted, e);
}

// What does not vary in time is computed when parameters are set.
static void hoist(Builder *b, const Outputs *o) {
  for (int i = 0; i < o->list.count; i++) {
    hoist_node(b, o->list.at[i]);
    while (b->stack.count) expr_each_argument(b->g, b->stack.at[--b->stack.count], hoist_node, b);
  }
}

// ---------------------------------------------------------------- compiling

static void compile(Builder *b, Kernel *k, const Outputs *o, int lanes, unsigned uniform) {
  System *s = b->s;
  int counts[SEGMENTS] = {s->par_count, s->nx + s->nx * s->stride, s->nx + s->ns};
  k->lowered = lower(b->g, s->arena, o->list.at, o->list.count, b->where, b->where_count, counts, b->spec->code);
  k->code = code_compile(&k->lowered->program, lanes, uniform, b->spec->code);
  k->results = o->list.count;
  k->work_at = (int)s->scratch_count;
  s->scratch_count += ((size_t)k->code->work_count + 15) / 8 * 8;
}

static void compile_hoist(Builder *b) {
  Outputs o = {0};
  for (int i = 0; i < b->hoisted.count; i++) {
    Expr e = b->hoisted.at[i];
    b->where[e].segment = -1; // here they are computed
    add_outputs(b, &o, &e, 1);
  }
  compile(b, &b->s->hoist, &o, b->s->lanes, 0);
}

static void find_plain_outputs(Builder *b) {
  System *s = b->s;
  s->output_state = ARENA_ARRAY(s->arena, int, s->ny + 1);
  s->outputs_are_states = true;
  for (int i = 0; i < s->ny; i++) {
    s->output_state[i] = -1;
    for (int k = 0; k < s->nx; k++)
      if (b->spec->outputs[i] == b->m->x[k]) s->output_state[i] = k;
    s->outputs_are_states &= s->output_state[i] >= 0;
  }
}

static void make_symbols(Builder *b) {
  System *s = b->s;
  bool second = b->spec->jacobian_sens && s->ns > 0;
  b->du = helper_symbols(b, HELPER_INPUT_SLOPE, s->nu);
  if (s->augmented) b->S = helper_symbols(b, HELPER_SENSITIVITY, s->nx * s->stride);
  if (!second) return;
  b->S_lane = helper_symbols(b, HELPER_DIRECTION, s->nx);
  b->unit = helper_symbols(b, HELPER_UNIT, s->ns);
}

static void build_kernels(Builder *b) {
  System *s = b->s;
  bool sens = s->ns > 0, second = b->spec->jacobian_sens && sens;
  Outputs rhs = {0}, rhs_sens = {0}, jacobian = {0}, jacobian_sens = {0}, event_sens = {0};
  add_outputs(b, &rhs, b->m->f, s->nx);
  if (sens) rhs_sens = s->augmented ? augmented_outputs(b) : sparse_outputs(b);
  if (b->spec->jacobian) jacobian = jacobian_outputs(b);
  if (second) jacobian_sens = jacobian_sens_outputs(b);
  Outputs start = start_outputs(b), outputs = output_outputs(b), events = event_outputs(b);
  if (sens && s->ne) event_sens = event_sens_outputs(b);
  const Outputs *varying[] = {&rhs, &rhs_sens, &jacobian, &jacobian_sens, &outputs, &events, &event_sens};
  lay_out(b);
  for (int i = 0; i < 7; i++) hoist(b, varying[i]);
  s->par_count = s->at_hoisted + b->hoisted.count;
  compile(b, &s->rhs, &rhs, s->lanes, 0);
  if (sens) compile(b, &s->rhs_sens, &rhs_sens, s->lanes, 0);
  if (b->spec->jacobian) compile(b, &s->jacobian, &jacobian, 1, 0);
  s->column_lanes = code_lanes();
  if (second) compile(b, &s->jacobian_sens, &jacobian_sens, s->column_lanes, 3);
  compile(b, &s->outputs, &outputs, s->lanes, 0);
  compile(b, &s->start, &start, s->lanes, 0);
  if (s->ne) compile(b, &s->events, &events, s->lanes, 0);
  if (sens && s->ne) compile(b, &s->event_sens, &event_sens, s->lanes, 0);
  compile_hoist(b); // last: it takes the hoisted nodes out of `where`
}

System *system_new(Model *m, const SystemSpec *spec) {
  Arena *a = arena_new();
  System *s = ARENA_NEW(a, System);
  s->arena = a;
  s->model = m;
  s->nx = m->nx, s->nu = m->nu, s->ne = m->ne;
  s->ny = spec->output_count;
  s->np = spec->parameter_count;
  s->lanes = spec->lanes;
  Builder b = {.s = s, .m = m, .g = m->graph, .scratch = arena_new(), .spec = spec};
  b.parameter = ARENA_ARRAY(b.scratch, Expr, s->np + 1);
  s->parameter = ARENA_ARRAY(a, int, s->np + 1);
  for (int k = 0; k < s->np; k++) {
    s->parameter[k] = spec->parameters[k];
    b.parameter[k] = m->flat->parameters.at[spec->parameters[k]].node;
  }
  derive_motion(&b);
  make_symbols(&b);
  find_plain_outputs(&b);
  build_kernels(&b);
  arena_free(b.scratch);
  return s;
}

static void kernel_done(Kernel *k) {
  code_free(k->code);
  lowered_done(k->lowered);
}

void system_free(System *s) {
  if (!s) return;
  Kernel *all[] = {&s->hoist,   &s->start,  &s->rhs,        &s->rhs_sens, &s->jacobian, &s->jacobian_sens,
                   &s->outputs, &s->events, &s->event_sens};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) kernel_done(all[i]);
  arena_free(s->arena);
}

// ---------------------------------------------------------------- work

SystemWork *system_work_new(const System *s) {
  Arena *a = arena_new();
  SystemWork *w = ARENA_NEW(a, SystemWork);
  size_t lanes = (size_t)s->lanes, wide = (size_t)s->column_lanes;
  w->arena = a;
  w->system = s;
  w->product = sparse_product();
  w->par = arena_alloc(a, (size_t)s->par_count * lanes + 8, sizeof(double));
  w->scratch = arena_alloc(a, s->scratch_count + 8, sizeof(double));
  w->x0 = arena_alloc(a, (size_t)s->start.results * lanes + 8, sizeof(double));
  w->values = arena_alloc(a, (size_t)s->rhs_sens.results * lanes + 8, sizeof(double));
  w->out = arena_alloc(a, (size_t)s->outputs.results * lanes + 8, sizeof(double));
  size_t events = (size_t)(s->events.results > s->event_sens.results ? s->events.results : s->event_sens.results);
  w->event_out = arena_alloc(a, events * lanes + 8, sizeof(double));
  w->jacobian = arena_alloc(a, (size_t)s->jacobian.results + 8, sizeof(double));
  w->lane_in = arena_alloc(a, (size_t)(s->nx + s->ns) * wide + 8, sizeof(double));
  w->lane_out = arena_alloc(a, (size_t)s->jacobian_sens.results * wide + 8, sizeof(double));
  return w;
}

void system_work_free(SystemWork *w) {
  if (w) arena_free(w->arena);
}

static inline void run(SystemWork *w, const Kernel *k, const double *x, const double *direction, double *out) {
  code_run(k->code, w->par, x, direction, out, w->scratch + k->work_at);
}

void system_set_parameters(SystemWork *w, const double *p) {
  const System *s = w->system;
  memcpy(w->par + (size_t)s->at_p * (size_t)s->lanes, p, (size_t)s->model->np * (size_t)s->lanes * sizeof *p);
  run(w, &s->hoist, NULL, NULL, w->par + (size_t)s->at_hoisted * (size_t)s->lanes);
}

void system_set_time(SystemWork *w, double t) {
  const System *s = w->system;
  int lanes = s->lanes;
  for (int l = 0; l < lanes; l++) w->par[l] = t;
  if (!s->nu || !w->inputs) return;
  double *u = w->par + s->at_u * lanes, *du = w->par + s->at_du * lanes;
  w->inputs(w->inputs_data, t, u, du);
  for (int i = s->nu - 1; i >= 0 && lanes > 1; i--) // one set of inputs serves all lanes
    for (int l = lanes - 1; l >= 0; l--) u[i * lanes + l] = u[i], du[i * lanes + l] = du[i];
}

void system_set_mode(SystemWork *w, int event, double mode) {
  const System *s = w->system;
  for (int l = 0; l < s->lanes; l++) w->par[(s->at_mode + event) * s->lanes + l] = mode;
}

double system_mode(const SystemWork *w, int event) {
  const System *s = w->system;
  return w->par[(s->at_mode + event) * s->lanes];
}

// Zeroed work makes every Newton block begin at its start values.
void system_forget(SystemWork *w) { memset(w->scratch, 0, w->system->scratch_count * sizeof(double)); }

// A sparse matrix as rows of width slots.
static void fill_sparse(const Pattern *p, const double *value, int width, int lanes, double *out) {
  memset(out, 0, (size_t)p->rows * (size_t)(width * lanes) * sizeof *out);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      memcpy(out + ((size_t)i * (size_t)width + (size_t)p->column[e]) * (size_t)lanes,
             value + (size_t)e * (size_t)lanes, (size_t)lanes * sizeof *out);
}

void system_start(SystemWork *w, double t, double *y) {
  const System *s = w->system;
  size_t lanes = (size_t)s->lanes, nx = (size_t)s->nx;
  system_set_time(w, t);
  run(w, &s->start, NULL, NULL, w->x0);
  memcpy(y, w->x0, nx * lanes * sizeof *y);
  if (s->ne) memcpy(w->par + (size_t)s->at_mode * lanes, w->x0 + nx * lanes, (size_t)s->ne * lanes * sizeof *y);
  if (s->ns) fill_sparse(&s->x0p.pattern, w->x0 + (size_t)s->x0p.at * lanes, s->stride, s->lanes, y + nx * lanes);
}

void system_rhs(SystemWork *w, double t, const double *x, double *dx) {
  system_set_time(w, t);
  run(w, &w->system->rhs, x, NULL, dx);
}

void system_rhs_sens(SystemWork *w, double t, const double *y, double *dy) {
  const System *s = w->system;
  system_set_time(w, t);
  if (s->augmented) {
    run(w, &s->rhs_sens, y, NULL, dy);
    return;
  }
  run(w, &s->rhs_sens, y, NULL, w->values);
  memcpy(dy, w->values, (size_t)s->nx * sizeof *dy);
  fill_sparse(&s->fp.pattern, w->values + s->fp.at, s->stride, 1, dy + s->nx);
  w->product(&s->fx.pattern, w->values + s->fx.at, y + s->nx, s->stride, dy + s->nx);
}

void system_jacobian(SystemWork *w, double t, const double *x, double *J, double *ft) {
  const System *s = w->system;
  int entries = pattern_count(&s->jac);
  system_set_time(w, t);
  run(w, &s->jacobian, x, NULL, w->jacobian);
  memcpy(J, w->jacobian, (size_t)entries * sizeof *J);
  memcpy(ft, w->jacobian + entries, (size_t)s->nx * sizeof *ft);
}

void system_jacobian_sens(SystemWork *w, double t, const double *y, double *DJ, double *Dft) {
  const System *s = w->system;
  int L = s->column_lanes, entries = pattern_count(&s->jac);
  system_set_time(w, t);
  for (int first = 0; first < s->ns; first += L) {
    int width = s->stride - first < L ? s->stride - first : L;
    memset(w->lane_in, 0, (size_t)((s->nx + s->ns) * L) * sizeof(double));
    for (int i = 0; i < s->nx; i++)
      memcpy(w->lane_in + i * L, y + s->nx + i * s->stride + first, (size_t)width * sizeof(double));
    for (int k = first; k < s->ns && k < first + L; k++) w->lane_in[(s->nx + k) * L + k - first] = 1;
    run(w, &s->jacobian_sens, y, w->lane_in, w->lane_out);
    for (int e = 0; e < entries; e++)
      memcpy(DJ + (size_t)e * (size_t)s->stride + first, w->lane_out + e * L, (size_t)width * sizeof(double));
    for (int i = 0; i < s->nx; i++)
      memcpy(Dft + i * s->stride + first, w->lane_out + (entries + i) * L, (size_t)width * sizeof(double));
  }
}

// dy/dp = h_x S + h_p for output i, by all parameters of the spec
static void output_sens(SystemWork *w, const double *y, int i, double *sens) {
  const System *s = w->system;
  int L = s->lanes;
  const double *S = y + s->nx * L;
  memset(sens, 0, (size_t)(s->np * L) * sizeof *sens);
  for (int e = s->hp.pattern.start[i]; e < s->hp.pattern.start[i + 1]; e++)
    memcpy(sens + s->hp.pattern.column[e] * L, w->out + (s->hp.at + e) * L, (size_t)L * sizeof *sens);
  for (int e = s->hx.pattern.start[i]; e < s->hx.pattern.start[i + 1]; e++) {
    const double *from = S + (size_t)s->hx.pattern.column[e] * (size_t)(s->stride * L);
    for (int k = 0; k < s->ns; k++)
      for (int l = 0; l < L; l++) sens[s->active[k] * L + l] += w->out[(s->hx.at + e) * L + l] * from[k * L + l];
  }
}

static void state_sens(const System *s, const double *y, int state, double *sens) {
  int L = s->lanes;
  const double *from = y + (size_t)(s->nx + state * s->stride) * (size_t)L;
  if (s->ns < s->np) memset(sens, 0, (size_t)(s->np * L) * sizeof *sens);
  for (int k = 0; k < s->ns; k++) memcpy(sens + s->active[k] * L, from + k * L, (size_t)L * sizeof *sens);
}

void system_outputs(SystemWork *w, double t, const double *y, double *values, double *sens) {
  const System *s = w->system;
  int L = s->lanes;
  if (!s->outputs_are_states) {
    system_set_time(w, t);
    run(w, &s->outputs, y, NULL, w->out);
  }
  for (int i = 0; i < s->ny; i++) {
    int state = s->output_state[i];
    memcpy(values + i * L, state >= 0 ? y + state * L : w->out + i * L, (size_t)L * sizeof *values);
    if (!sens) continue;
    if (state >= 0) state_sens(s, y, state, sens + (size_t)(i * s->np) * (size_t)L);
    else output_sens(w, y, i, sens + (size_t)(i * s->np) * (size_t)L);
  }
}

void system_events(SystemWork *w, double t, const double *x, double *switching) {
  system_set_time(w, t);
  run(w, &w->system->events, x, NULL, switching);
}

void system_event_sens(SystemWork *w, double t, const double *y, int event, const double *dx, double *rate,
                       double *by_column) {
  const System *s = w->system;
  const double *S = y + s->nx, *out = w->event_out;
  system_set_time(w, t);
  run(w, &s->event_sens, y, NULL, w->event_out);
  *rate = out[s->gp.at + pattern_count(&s->gp.pattern) + event];
  memset(by_column, 0, (size_t)s->stride * sizeof *by_column);
  for (int e = s->gp.pattern.start[event]; e < s->gp.pattern.start[event + 1]; e++)
    by_column[s->gp.pattern.column[e]] += out[s->gp.at + e];
  for (int e = s->gx.pattern.start[event]; e < s->gx.pattern.start[event + 1]; e++) {
    int j = s->gx.pattern.column[e];
    double v = out[s->gx.at + e];
    *rate += v * dx[j];
    for (int k = 0; k < s->ns; k++) by_column[k] += v * S[j * s->stride + k];
  }
}
