// F(t, z, dz/dt) of a model. With invariants g: F = [dx/dt - f + g_x' eta | g], the form of Gear, Gupta and Leimkuhler
// (1985, J. Comput. Appl. Math. 12-13:77), index 2. As typed: the equations of the text, z = [x | algebraic
// variables]. F and its derivatives are compiled from the expressions of the model.
#include "simulate/implicit.h"

#include <assert.h>
#include <string.h>

#include "expr/derive.h"
#include "expr/simplify.h"

typedef struct DaeProgram { // one compiled program
  Lowered *lowered;
  Code *code;
  double *work, *out;
  int results;
} DaeProgram;

struct Implicit {
  Arena *arena;
  SystemWork *work;
  EventWork *events;
  Dae dae;
  DaeProgram residual; // par, z, dz -> F
  DaeProgram slopes;   // the same, and its derivatives
  DaeProgram others;   // par, x -> unknowns behind the states, and their derivatives
  Pattern of_F;        // columns: z, dx/dt, parameters
  Pattern of_others;   // columns: x, parameters
  int *place;          // by value of of_F: its place in dae.pattern, -1 = a parameter
  double *dy;          // at the start: dx/dt and the columns
};

typedef struct DaeForm { // as expressions
  int m;
  Expr *F, *z, *dx;
  Expr *others;    // by unknown behind the states: its value, of t, x, u, p
  bool *tested;    // by unknown
  double *nominal; // by unknown, 0: see Dae
} DaeForm;

// ---------------------------------------------------------------- the two forms

static bool is_coupled(const Model *m) {
  for (int k = 0; k < m->nu; k++)
    if (m->input[k] < 0) return true;
  return false;
}

static DaeForm form_new(const Model *m, Arena *a, int others) {
  int count = m->nx + others + 1;
  DaeForm form = {.m = m->nx + others};
  form.F = ARENA_ARRAY(a, Expr, count);
  form.z = ARENA_ARRAY(a, Expr, count);
  form.dx = ARENA_ARRAY(a, Expr, count);
  form.others = ARENA_ARRAY(a, Expr, count);
  form.tested = ARENA_ARRAY(a, bool, count);
  form.nominal = ARENA_ARRAY(a, double, count);
  for (int i = 0; i < m->nx; i++) {
    form.z[i] = m->x[i];
    form.tested[i] = true;
    form.nominal[i] = m->flat->variables.at[m->state[i]].nominal;
  }
  return form;
}

static int independent_invariants(const Model *m, Expr *list) {
  int count = 0;
  for (int i = 0; i < m->invariant_count; i++)
    if (!m->invariants[i].redundant) list[count++] = m->invariants[i].residual;
  return count;
}

// F = [dx/dt - f + g_x' eta | g]
static DaeForm form_of_invariants(Model *m, Arena *a, Arena *scratch) {
  Graph *g = m->graph;
  int n = m->nx;
  Expr *invariants = ARENA_ARRAY(scratch, Expr, m->invariant_count + 1);
  int count = independent_invariants(m, invariants);
  const Expr *symbols = model_helpers(m, HELPER_DIRECTION, n + count);
  DaeForm form = form_new(m, a, count);
  for (int i = 0; i < n; i++) {
    form.dx[i] = symbols[i];
    form.F[i] = expr_sub(g, symbols[i], m->f[i]);
  }
  Derivatives by_x = derive_rows(g, scratch, invariants, count, m->x, n);
  for (int j = 0; j < count; j++) {
    form.z[n + j] = symbols[n + j];
    form.others[j] = expr_const(g, 0);
    form.F[n + j] = invariants[j];
    for (int e = by_x.start[j]; e < by_x.start[j + 1]; e++) {
      Expr *row = &form.F[by_x.column[e]];
      *row = expr_add(g, *row, expr_mul(g, by_x.value[e], symbols[n + j]));
    }
  }
  return form;
}

// By unknown of the motion: found with an equation that was differentiated twice, as accelerations and forces are.
static const bool *second_order_unknowns(const Model *m, Arena *scratch) {
  bool *found = ARENA_ARRAY(scratch, bool, m->unknown_count + 1);
  const Incidence *in = &m->incidence;
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    bool second = false;
    for (int i = 0; i < b->count; i++) {
      int equation = b->equation[i];
      second |= m->equations[equation].level >= 2;
      for (int e = in->start[equation]; e < in->start[equation + 1]; e++)
        second |= found[in->unknown[e]];
    }
    for (int i = 0; i < b->count && second; i++) found[b->unknown[i]] = true;
  }
  return found;
}

// States whose derivative is such an unknown (velocities) follow from others by differentiation: their error is that of
// the positions divided by the step, and an error test of them makes steps smaller for ever.
static void leave_out_velocities(const Model *m, Arena *scratch, DaeForm *form) {
  const bool *second = second_order_unknowns(m, scratch);
  for (int j = 0; j < m->unknown_count; j++)
    for (int i = 0; i < m->nx; i++)
      if (second[j] && m->unknown_order[j] == 1 && m->unknown_variable[j] == m->state[i])
        form->tested[i] = false, form->nominal[i] = 0;
}

static DaeForm form_as_typed(Model *m, Arena *a, Arena *scratch) {
  const Flat *f = m->flat;
  int others = 0;
  for (int i = 0; i < f->variables.count; i++)
    others += f->variables.at[i].kind == VARIABLE_UNKNOWN && !f->variables.at[i].state;
  DaeForm form = form_new(m, a, others);
  assert(f->equations.count == form.m);
  for (int k = 0; k < form.m; k++) form.F[k] = f->equations.at[k].residual;
  for (int i = 0; i < m->nx; i++) form.dx[i] = f->variables.at[m->state[i]].derivative;
  for (int i = 0, j = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN || v->state) continue;
    form.z[m->nx + j] = v->node;
    form.nominal[m->nx + j] = m->invariant_count ? 0 : v->nominal;
    form.others[j++] = m->value[i];
  }
  leave_out_velocities(m, scratch, &form);
  return form;
}

const char *implicit_refusal(const Model *m, ImplicitKind kind) {
  if (m->flat->hybrid)
    return "the model has discrete variables, which index: direct and index: index3 do not "
           "support yet; take index: stabilise or index: project";
  for (int i = 0; i < m->invariant_count && kind == IMPLICIT_AS_TYPED; i++)
    if (m->invariants[i].redundant)
      return "constraints follow from one another and leave forces undetermined, so the equations "
             "cannot be integrated as typed (index: index3); index: direct can";
  return NULL;
}

// ---------------------------------------------------------------- compiling

typedef struct Places { // where symbols come from
  Location *at;
  int count;
} Places;

static void put(Places *p, Expr e, int segment, int index) {
  p->at[e] = (Location){(signed char)segment, index};
}

static Places find_places(const System *s, Model *m, Arena *a, const DaeForm *form) {
  const Expr *du = model_helpers(m, HELPER_INPUT_SLOPE, s->nu);
  const Expr *ddu = model_helpers(m, HELPER_INPUT_SECOND, s->nu);
  Places p = {ARENA_ARRAY(a, Location, m->graph->count), m->graph->count};
  for (int i = 0; i < p.count; i++) p.at[i].segment = -1;
  put(&p, m->flat->time, 0, 0), put(&p, m->flat->origin, 0, s->at.origin);
  for (int i = 0; i < s->nu; i++) {
    put(&p, m->u[i], 0, s->at.u + i), put(&p, du[i], 0, s->at.du + i);
    put(&p, ddu[i], 0, s->at.du + s->nu + i);
  }
  for (int k = 0; k < s->ne; k++) put(&p, m->flat->events.at[k].mode, 0, s->at.mode + k);
  if (m->stabilise) put(&p, m->stabilise, 0, s->at.rate);
  if (m->stabilise) put(&p, m->stabilise_beta, 0, s->at.rate + 1);
  for (int k = 0; k < m->np; k++) {
    const Parameter *parameter = &m->flat->parameters.at[k];
    if (!parameter->dependent) put(&p, parameter->node, 0, s->at.p + k);
  }
  for (int i = 0; i < form->m; i++) put(&p, form->z[i], 1, i);
  for (int i = 0; i < m->nx; i++) put(&p, form->dx[i], 2, i);
  return p;
}

static DaeProgram compile(Implicit *w, const DaeForm *form, const Places *p, const Expr *first,
                          int count, const Derivatives *more) {
  const System *s = w->work->system;
  CodeChoice choice = s->kernel[KERNEL_RHS].code->used;
  int entries = more ? more->start[more->rows] : 0, all = count + entries;
  int sizes[SEGMENTS] = {s->at.count, form->m, s->nx};
  Expr *list = ARENA_ARRAY(w->arena, Expr, all + 1);
  memcpy(list, first, (size_t)count * sizeof *list);
  if (entries) memcpy(list + count, more->value, (size_t)entries * sizeof *list);
  DaeProgram part;
  part.lowered = lower(s->model->graph, w->arena, list, all, p->at, p->count, sizes, choice);
  part.code = code_compile(&part.lowered->program, 1, 0, choice);
  part.work = ARENA_ARRAY(w->arena, double, part.code->work_count + 16);
  part.out = ARENA_ARRAY(w->arena, double, all + 16);
  part.results = all;
  return part;
}

static Pattern pattern_of(Arena *a, const Derivatives *d, int columns) {
  int *start = ARENA_ARRAY(a, int, d->rows + 1),
      *column = ARENA_ARRAY(a, int, d->start[d->rows] + 1);
  memcpy(start, d->start, (size_t)(d->rows + 1) * sizeof *start);
  if (start[d->rows]) memcpy(column, d->column, (size_t)start[d->rows] * sizeof *column);
  return (Pattern){d->rows, columns, start, column};
}

// Which unknown an entry of of_F belongs to, -1 = none.
static int unknown_of(const Pattern *p, int e, int m, int n) {
  int column = p->column[e];
  return column < m ? column : column < m + n ? column - m : -1;
}

// F_z and F_dz on top of each other.
static const Pattern *join(Implicit *w, int m, int n) {
  const Pattern *p = &w->of_F;
  int *start = ARENA_ARRAY(w->arena, int, m + 1), *seen = ARENA_ARRAY(w->arena, int, m + 1);
  int *column = ARENA_ARRAY(w->arena, int, pattern_count(p) + 1);
  w->place = ARENA_ARRAY(w->arena, int, pattern_count(p) + 1);
  for (int i = 0; i < m; i++) {
    start[i + 1] = start[i];
    for (int j = 0; j < m; j++) seen[j] = -1;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      if (unknown_of(p, e, m, n) >= 0) seen[unknown_of(p, e, m, n)] = 0;
    for (int j = 0; j < m; j++)
      if (seen[j] == 0) seen[j] = start[i + 1], column[start[i + 1]++] = j;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      int j = unknown_of(p, e, m, n);
      w->place[e] = j < 0 ? -1 : seen[j];
    }
  }
  Pattern *joined = ARENA_NEW(w->arena, Pattern);
  *joined = (Pattern){m, m, start, column};
  return joined;
}

static void put_parameters(const System *s, Expr *by) {
  for (int k = 0; k < s->ns; k++)
    by[k] = s->model->flat->parameters.at[s->columns.parameter[k]].node;
}

static void make_parts(Implicit *w, Model *m, Arena *scratch, const DaeForm *form) {
  const System *s = w->work->system;
  int n = s->nx;
  Expr *by = ARENA_ARRAY(scratch, Expr, form->m + n + s->ns + 1);
  memcpy(by, form->z, (size_t)form->m * sizeof *by);
  memcpy(by + form->m, form->dx, (size_t)n * sizeof *by);
  put_parameters(s, by + form->m + n);
  Derivatives F = derive_rows(m->graph, scratch, form->F, form->m, by, form->m + n + s->ns);
  put_parameters(s, by + n); // behind x, with which z begins
  Derivatives others =
      derive_rows(m->graph, scratch, form->others, form->m - n, by, s->ns ? n + s->ns : 0);
  w->of_F = pattern_of(w->arena, &F, form->m + n + s->ns);
  w->of_others = pattern_of(w->arena, &others, n + s->ns);
  Places places = find_places(s, m, scratch, form);
  w->residual = compile(w, form, &places, form->F, form->m, NULL);
  w->slopes = compile(w, form, &places, form->F, form->m, &F);
  w->others = compile(w, form, &places, form->others, form->m - n, &others);
}

// ---------------------------------------------------------------- running

static bool all_finite(const double *x, int n) {
  double sum = 0; // 0 * x is NaN exactly where x is not finite
  for (int i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}

static void run(const Implicit *w, const DaeProgram *p, double t, const double *z,
                const double *dz) {
  const Lowered *l = p->lowered;
  system_set_time(w->work, t);
  if (l->newton_count) system_branch_load(w->work, t, l->newton, l->newton_count, p->work);
  code_run(p->code, w->work->par, z, dz, p->out, p->work);
  if (!w->events || all_finite(p->out, p->results) || !event_true_modes(w->events, t, z)) return;
  code_run(p->code, w->work->par, z, dz, p->out, p->work);
  event_frozen_modes(w->events);
}

static void residual(void *self, double t, const double *z, const double *dz, double *F) {
  const Implicit *w = self;
  run(w, &w->residual, t, z, dz);
  memcpy(F, w->residual.out, (size_t)w->dae.m * sizeof *F);
}

static void jacobian(void *self, double t, const double *z, const double *dz, double c, double *J) {
  const Implicit *w = self;
  const Pattern *p = &w->of_F;
  const double *value = w->slopes.out + w->dae.m;
  run(w, &w->slopes, t, z, dz);
  memset(J, 0, (size_t)pattern_count(w->dae.pattern) * sizeof *J);
  for (int e = 0; e < pattern_count(p); e++)
    if (w->place[e] >= 0) J[w->place[e]] += p->column[e] < w->dae.m ? value[e] : c * value[e];
}

static void add_multiple(double *to, double factor, const double *from, int count) {
  for (int k = 0; k < count; k++) to[k] += factor * from[k];
}

static void residual_sens(void *self, double t, const double *z, const double *dz, double *F) {
  const Implicit *w = self;
  const System *s = w->work->system;
  const Pattern *p = &w->of_F;
  int m = w->dae.m, stride = s->stride;
  const double *value = w->slopes.out + m, *S = z + m, *dS = dz + m;
  run(w, &w->slopes, t, z, dz);
  memset(F, 0, (size_t)m * (size_t)(1 + stride) * sizeof *F);
  memcpy(F, w->slopes.out, (size_t)m * sizeof *F);
  for (int i = 0; i < m; i++) {
    double *row = F + m + i * stride;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      int j = p->column[e];
      if (j < m)
        add_multiple(row, value[e], S + j * stride, s->ns);
      else if (j < m + s->nx)
        add_multiple(row, value[e], dS + (j - m) * stride, s->ns);
      else
        row[j - m - s->nx] += value[e];
    }
  }
}

static void begin_others(const Implicit *w, double t, const double *y, double *z) {
  const System *s = w->work->system;
  const Pattern *p = &w->of_others;
  int n = s->nx, m = w->dae.m, stride = s->stride;
  const double *value = w->others.out + (m - n), *S = y + n;
  run(w, &w->others, t, y, NULL);
  memcpy(z + n, w->others.out, (size_t)(m - n) * sizeof *z);
  for (int i = 0; i < m - n; i++) {
    double *row = z + m + (n + i) * stride;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      int j = p->column[e];
      if (j < n)
        add_multiple(row, value[e], S + j * stride, s->ns);
      else
        row[j - n] += value[e];
    }
  }
}

static void put_rows(const Implicit *w, const double *y, double *z) {
  const System *s = w->work->system;
  memset(z, 0, (size_t)w->dae.m * (size_t)(1 + s->stride) * sizeof *z);
  memcpy(z, y, (size_t)s->nx * sizeof *z);
  memcpy(z + w->dae.m, y + s->nx, (size_t)(s->nx * s->stride) * sizeof *z);
}

static void begin(void *self, double t, const double *y, double *z, double *dz) {
  const Implicit *w = self;
  if (w->work->system->ns)
    system_rhs_sens(w->work, t, y, w->dy);
  else
    system_rhs(w->work, t, y, w->dy);
  put_rows(w, y, z);
  put_rows(w, w->dy, dz); // slopes of the others are in no equation
  begin_others(w, t, y, z);
}

// ---------------------------------------------------------------- life

Implicit *implicit_new(SystemWork *work, ImplicitKind kind) {
  const System *s = work->system;
  Model *m = (Model *)s->model; // grows under its lock only
  Arena *a = arena_new(), *scratch = arena_new();
  Implicit *w = ARENA_NEW(a, Implicit);
  assert(s->lanes == 1);
  w->arena = a;
  w->work = work;
  pthread_mutex_lock(m->lock);
  bool typed = kind == IMPLICIT_AS_TYPED && !is_coupled(m);
  DaeForm form = typed ? form_as_typed(m, a, scratch) : form_of_invariants(m, a, scratch);
  make_parts(w, m, scratch, &form);
  pthread_mutex_unlock(m->lock);
  w->dy = ARENA_ARRAY(a, double, s->nx *(1 + s->stride) + 16);
  w->dae = (Dae){.m = form.m,
                 .self = w,
                 .tested = form.tested,
                 .nominal = form.nominal,
                 .pattern = join(w, form.m, s->nx),
                 .residual = residual,
                 .residual_sens = residual_sens,
                 .jacobian = jacobian,
                 .begin = begin};
  arena_free(scratch);
  return w;
}

void implicit_free(Implicit *w) {
  if (!w) return;
  DaeProgram *parts[] = {&w->residual, &w->slopes, &w->others};
  for (int i = 0; i < 3; i++) {
    code_free(parts[i]->code);
    lowered_done(parts[i]->lowered);
  }
  arena_free(w->arena);
}

void implicit_watch_kinks(Implicit *w, EventWork *events) {
  w->events = events;
}

const Dae *implicit_dae(const Implicit *w) {
  return &w->dae;
}
