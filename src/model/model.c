#include "model/model.h"

#include <string.h>

#include "expr/replace.h"
#include "lang/source_warn.h"

// ---------------------------------------------------------------- names in messages

// "a, b and c"; many are cut.
static void add_names(Text *out, const char *const *names, int count) {
  enum { SHOWN = 8 };
  for (int i = 0; i < count && i < SHOWN; i++) {
    const char *gap = i == 0 ? "" : i == count - 1 ? " and " : ", ";
    text_print(out, "%s%s", gap, names[i]);
  }
  if (count > SHOWN) text_print(out, " and %d more", count - SHOWN);
}

static void add_marked_unknowns(Text *out, Arena *a, const SortUnknown *u,
                                const unsigned char *mark, int n) {
  const char **names = ARENA_ARRAY(a, const char *, n + 1);
  int count = 0;
  for (int i = 0; i < n; i++)
    if (mark[i]) names[count++] = u[i].name;
  add_names(out, names, count);
}

static void add_marked_lines(Text *out, const SortEquation *e, const unsigned char *mark, int n) {
  int count = 0, shown = 0, last = 0;
  for (int i = 0; i < n; i++) count += mark[i];
  text_add(out, count == 1 ? "the equation in line " : "the equations in lines ");
  for (int i = 0; i < n && shown < 8; i++) {
    if (!mark[i] || e[i].line == last) continue;
    text_print(out, "%s%d", shown++ ? ", " : "", last = e[i].line);
  }
  if (count > 8) text_add(out, ", ...");
}

// ---------------------------------------------------------------- the unknowns and equations of the motion

static void list_unknowns(Model *m) {
  Flat *f = m->flat;
  int n = f->variables.count;
  m->unknowns = ARENA_ARRAY(m->arena, SortUnknown, n + 1);
  m->unknown_variable = ARENA_ARRAY(m->arena, int, n + 1);
  m->state = ARENA_ARRAY(m->arena, int, n + 1);
  m->input = ARENA_ARRAY(m->arena, int, n + 1);
  m->x = ARENA_ARRAY(m->arena, Expr, n + 1);
  m->u = ARENA_ARRAY(m->arena, Expr, n + 1);
  for (int i = 0; i < n; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->kind == VARIABLE_INPUT) m->u[m->nu] = v->node, m->input[m->nu++] = i;
    if (v->kind != VARIABLE_UNKNOWN) continue;
    m->unknown_variable[m->unknown_count] = i;
    m->unknowns[m->unknown_count++] = v->state ? (SortUnknown){v->derivative, v->derivative_name, 0}
                                               : (SortUnknown){v->node, v->name, v->start};
    if (v->state) m->x[m->nx] = v->node, m->state[m->nx++] = i;
  }
}

static void list_equations(Model *m) {
  Flat *f = m->flat;
  m->equation_count = f->equations.count;
  m->equations = ARENA_ARRAY(m->arena, SortEquation, m->equation_count + 1);
  for (int i = 0; i < m->equation_count; i++) {
    const Equation *e = &f->equations.at[i];
    m->equations[i] = (SortEquation){e->residual, e->line, e->column};
  }
}

// ---------------------------------------------------------------- what is wrong with the structure

typedef struct Diagnosis {
  Model *m;
  Arena *scratch;
  const Incidence *in;
  const Matching *match;
  unsigned char *equations, *unknowns;
  Text text;
  Err *err;
} Diagnosis;

static bool report_at(Diagnosis *d, int line, int column) {
  source_fail(d->m->flat->source, d->err, ERR_MODEL, line, column, "%s", d->text.at);
  return false;
}

static int first_unmatched(const int *partner, int n) {
  for (int i = 0; i < n; i++)
    if (partner[i] < 0) return i;
  return -1;
}

static bool report_too_few(Diagnosis *d) {
  Model *m = d->m;
  int n = d->in->unknowns;
  for (int j = 0; j < n; j++) d->unknowns[j] = d->match->equation_of[j] < 0;
  text_print(&d->text, "too few equations: %d for %d unknown%s; nothing determines ",
             d->in->equations, n, n == 1 ? "" : "s");
  add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, n);
  const Variable *v =
      &m->flat->variables.at[m->unknown_variable[first_unmatched(d->match->equation_of, n)]];
  return report_at(d, v->line, v->column);
}

static bool report_too_many(Diagnosis *d) {
  Model *m = d->m;
  int left = first_unmatched(d->match->unknown_of, d->in->equations);
  overdetermined(d->scratch, d->in, d->match, d->equations, d->unknowns);
  text_print(&d->text, "too many equations: %d for %d unknown%s; this one is left over",
             d->in->equations, d->in->unknowns, d->in->unknowns == 1 ? "" : "s");
  bool any = memchr(d->unknowns, 1, (size_t)d->in->unknowns) != NULL;
  if (!any)
    text_add(&d->text, ": it contains no unknown, only states, inputs or parameters (a constraint "
                       "between states gives "
                       "the model an index above 1, which is not supported yet)");
  if (any) text_add(&d->text, ", other equations determine ");
  if (any) add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, d->in->unknowns);
  return report_at(d, m->equations[left].line, m->equations[left].column);
}

// States count as unknowns together with their derivatives: a perfect matching then means that constraints between
// states have to be differentiated.
static bool is_high_index(Diagnosis *d) {
  Model *m = d->m;
  int n = m->unknown_count;
  SortUnknown *all = ARENA_ARRAY(d->scratch, SortUnknown, n + m->nx + 1);
  memcpy(all, m->unknowns, (size_t)n * sizeof *all);
  int *same = ARENA_ARRAY(d->scratch, int, n + m->nx + 1), k = 0;
  for (int j = 0; j < n; j++) {
    same[j] = j;
    const Variable *v = &m->flat->variables.at[m->unknown_variable[j]];
    if (!v->state) continue;
    same[n + k] = j;
    all[n + k++] = (SortUnknown){v->node, v->name, 0};
  }
  Incidence wide =
      sort_incidence(m->graph, d->scratch, m->equations, m->equation_count, all, n + k);
  int *unknown = ARENA_ARRAY(d->scratch, int, wide.start[wide.equations] + 1);
  for (int e = 0; e < wide.start[wide.equations]; e++) unknown[e] = same[wide.unknown[e]];
  wide.unknown = unknown;
  wide.unknowns = n;
  return match(d->scratch, &wide, NULL).count == n;
}

static bool report_high_index(Diagnosis *d) {
  Model *m = d->m;
  int left = first_unmatched(d->match->unknown_of, d->in->equations);
  for (int i = 0; i < d->in->equations; i++) d->equations[i] = d->match->unknown_of[i] < 0;
  text_add(&d->text, "the model has an index above 1: ");
  add_marked_lines(&d->text, m->equations, d->equations, d->in->equations);
  text_add(&d->text, " constrain");
  int count = 0;
  for (int i = 0; i < d->in->equations; i++) count += d->equations[i];
  text_add(&d->text, count == 1 ? "s" : "");
  text_add(&d->text, " states directly, so that ");
  for (int j = 0; j < d->in->unknowns; j++) d->unknowns[j] = d->match->equation_of[j] < 0;
  add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, d->in->unknowns);
  text_add(&d->text,
           " cannot be found without differentiating; index reduction is not supported yet");
  return report_at(d, m->equations[left].line, m->equations[left].column);
}

static bool report_singular(Diagnosis *d) {
  Model *m = d->m;
  int left = first_unmatched(d->match->unknown_of, d->in->equations);
  overdetermined(d->scratch, d->in, d->match, d->equations, d->unknowns);
  text_add(&d->text, "the equations are structurally singular: ");
  add_marked_lines(&d->text, m->equations, d->equations, d->in->equations);
  if (memchr(d->unknowns, 1, (size_t)d->in->unknowns)) {
    text_add(&d->text, " contain only ");
    add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, d->in->unknowns);
  } else {
    text_add(&d->text, " contains no unknown");
  }
  for (int j = 0; j < d->in->unknowns; j++) d->unknowns[j] = d->match->equation_of[j] < 0;
  text_add(&d->text, ", while nothing determines ");
  add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, d->in->unknowns);
  return report_at(d, m->equations[left].line, m->equations[left].column);
}

static bool report_structure(Model *m, const Incidence *in, const Matching *matching, Err *err) {
  Diagnosis d = {.m = m, .scratch = arena_new(), .in = in, .match = matching, .err = err};
  d.equations = ARENA_ARRAY(d.scratch, unsigned char, in->equations + 1);
  d.unknowns = ARENA_ARRAY(d.scratch, unsigned char, in->unknowns + 1);
  text_init(&d.text);
  if (in->equations < in->unknowns)
    report_too_few(&d);
  else if (in->equations > in->unknowns)
    report_too_many(&d);
  else if (is_high_index(&d))
    report_high_index(&d);
  else
    report_singular(&d);
  text_done(&d.text);
  arena_free(d.scratch);
  return false;
}

static bool report_dependent(Model *m, const Sorted *sorted, const SortEquation *equations,
                             int equation_count, const SortUnknown *unknowns, int unknown_count,
                             Err *err) {
  const SortBlock *b = &sorted->blocks[sorted->block_count - 1];
  const SortEquation *first = &equations[b->equation[0]];
  Arena *scratch = arena_new();
  unsigned char *marked = ARENA_ARRAY(scratch, unsigned char, equation_count + 1);
  unsigned char *wanted = ARENA_ARRAY(scratch, unsigned char, unknown_count + 1);
  for (int i = 0; i < b->count; i++) {
    marked[b->equation[i]] = wanted[b->unknown[i]] = 1;
    if (equations[b->equation[i]].line < first->line) first = &equations[b->equation[i]];
  }
  Text text;
  text_init(&text);
  add_marked_lines(&text, equations, marked, equation_count);
  text_add(&text, b->count == 1 ? " does not determine " : " do not determine ");
  add_marked_unknowns(&text, scratch, unknowns, wanted, unknown_count);
  text_add(&text, b->count == 1 ? ": its coefficient is always 0" : ": they depend on one another");
  source_fail(m->flat->source, err, ERR_MODEL, first->line, first->column, "%s", text.at);
  text_done(&text);
  arena_free(scratch);
  return false;
}

// ---------------------------------------------------------------- motion

// Newton's method cannot find true or false.
static bool check_booleans(Model *m, Err *err) {
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    for (int i = 0; i < b->count && b->kind == SORT_NONLINEAR; i++) {
      const Variable *v = &m->flat->variables.at[m->unknown_variable[b->unknown[i]]];
      const SortEquation *e = &m->equations[b->equation[0]];
      if (v->boolean)
        return source_fail(
            m->flat->source, err, ERR_UNSUPPORTED, e->line, e->column,
            "this equation cannot be solved for the Boolean variable %s; write %s = ...", v->name,
            v->name);
    }
  }
  return true;
}

// A condition on what a nonlinear block is solved for, inside that block: q*abs(q) = dp. With the branch held fixed there may
// be no solution just beyond the kink, so the condition is computed on the spot, as noEvent does it.
typedef struct Loops {
  int *block_of_unknown, *block_of_equation; // nonlinear blocks, -1 for the others
  Incidence by_mode;                         // which modes occur in which equation
  Incidence by_unknown;                      // which unknowns occur in which switching function
  unsigned char *looped;                     // by event
} Loops;

static void number_blocks(const Model *m, Arena *a, Loops *l) {
  l->block_of_unknown = ARENA_ARRAY(a, int, m->unknown_count + 1);
  l->block_of_equation = ARENA_ARRAY(a, int, m->equation_count + 1);
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    int number = b->kind == SORT_NONLINEAR ? k : -1;
    for (int i = 0; i < b->count; i++) {
      l->block_of_unknown[b->unknown[i]] = number;
      l->block_of_equation[b->equation[i]] = number;
    }
  }
}

static void find_incidences(Model *m, Arena *a, Loops *l) {
  const Flat *f = m->flat;
  int count = f->events.count;
  SortUnknown *modes = ARENA_ARRAY(a, SortUnknown, count + 1);
  SortEquation *switching = ARENA_ARRAY(a, SortEquation, count + 1);
  for (int k = 0; k < count; k++) {
    modes[k] = (SortUnknown){.symbol = f->events.at[k].mode};
    switching[k] = (SortEquation){.residual = f->events.at[k].switching};
  }
  l->by_mode = sort_incidence(m->graph, a, m->equations, m->equation_count, modes, count);
  l->by_unknown = sort_incidence(m->graph, a, switching, count, m->unknowns, m->unknown_count);
}

static bool depends_on_block(const Loops *l, int event, int block) {
  for (int e = l->by_unknown.start[event]; e < l->by_unknown.start[event + 1]; e++)
    if (l->block_of_unknown[l->by_unknown.unknown[e]] == block) return true;
  return false;
}

static bool find_loops(Model *m, Arena *a, Loops *l) {
  bool any = false;
  number_blocks(m, a, l);
  find_incidences(m, a, l);
  l->looped = ARENA_ARRAY(a, unsigned char, m->flat->events.count + 1);
  for (int i = 0; i < m->equation_count; i++) {
    int block = l->block_of_equation[i];
    for (int e = l->by_mode.start[i]; e < l->by_mode.start[i + 1] && block >= 0; e++) {
      int event = l->by_mode.unknown[e];
      if (depends_on_block(l, event, block)) l->looped[event] = any = true;
    }
  }
  return any;
}

static void replace_in_equations(Model *m, Replacer *r) {
  Flat *f = m->flat;
  for (int i = 0; i < f->equations.count; i++) {
    Equation *e = &f->equations.at[i];
    e->left = replace(r, e->left), e->right = replace(r, e->right);
    e->residual = m->equations[i].residual = replace(r, e->residual);
  }
  for (int k = 0; k < f->events.count; k++) {
    Event *e = &f->events.at[k];
    e->switching = replace(r, e->switching), e->direct = replace(r, e->direct);
  }
}

// true: there were some, and the equations have to be sorted again.
static bool compute_looped_modes_directly(Model *m) {
  Flat *f = m->flat;
  Arena *scratch = arena_new();
  Loops l;
  bool any = f->events.count && find_loops(m, scratch, &l);
  if (any) {
    Replacer *r = replacer_new(m->graph, scratch);
    int kept = 0;
    for (int k = 0; k < f->events.count;
         k++) { // what an event stands for may contain those before it
      const Event *e = &f->events.at[k];
      if (l.looped[k])
        replacer_set(r, e->mode, replace(r, e->direct));
      else
        f->events.at[kept++] = *e;
    }
    f->events.count = kept;
    replace_in_equations(m, r);
  }
  arena_free(scratch);
  return any;
}

static bool sort_motion(Model *m, Err *err) {
  m->incidence = sort_incidence(m->graph, m->arena, m->equations, m->equation_count, m->unknowns,
                                m->unknown_count);
  Matching matching = match(m->arena, &m->incidence, NULL);
  if (matching.count < m->unknown_count || matching.count < m->equation_count)
    return report_structure(m, &m->incidence, &matching, err);
  if (!sort_solve(m->graph, m->arena, m->equations, m->unknowns, &m->incidence, &matching,
                  &m->sorted))
    return report_dependent(m, &m->sorted, m->equations, m->equation_count, m->unknowns,
                            m->unknown_count, err);
  if (compute_looped_modes_directly(m)) return sort_motion(m, err);
  return check_booleans(m, err);
}

static void assign_values(Model *m) {
  Flat *f = m->flat;
  m->value = ARENA_ARRAY(m->arena, Expr, f->variables.count + 1);
  m->f = ARENA_ARRAY(m->arena, Expr, m->nx + 1);
  for (int i = 0; i < f->variables.count; i++) m->value[i] = f->variables.at[i].node;
  int k = 0;
  for (int j = 0; j < m->unknown_count; j++) {
    int i = m->unknown_variable[j];
    if (f->variables.at[i].state)
      m->f[k++] = m->sorted.solution[j];
    else
      m->value[i] = m->sorted.solution[j], m->index = 1;
  }
}

static void assign_switching(Model *m) {
  Flat *f = m->flat;
  Replacer *r = replacer_new(m->graph, m->arena);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(r, m->unknowns[j].symbol, m->sorted.solution[j]);
  m->ne = f->events.count;
  m->switching = ARENA_ARRAY(m->arena, Expr, m->ne + 1);
  for (int k = 0; k < m->ne; k++) m->switching[k] = replace(r, f->events.at[k].switching);
}

// ---------------------------------------------------------------- start

typedef struct Start {
  Model *m;
  Arena *scratch;
  Replacer *direct; // modes by what they stand for
  ARRAY(SortEquation) equations;
  ARRAY(SortUnknown) unknowns;
  IntArray variable; // by unknown
  IntArray order;    // of matching: states last
} Start;

static void add_start_equation(Start *s, const Variable *v) {
  SortEquation e = {expr_sub(s->m->graph, v->node, v->start), v->line, v->column};
  array_push(s->scratch, &s->equations, e);
}

static void list_start_equations(Start *s) {
  Flat *f = s->m->flat;
  for (int k = 0; k < f->events.count; k++)
    replacer_set(s->direct, f->events.at[k].mode, replace(s->direct, f->events.at[k].direct));
  for (int i = 0; i < f->equations.count; i++) {
    SortEquation e = s->m->equations[i];
    e.residual = replace(s->direct, e.residual);
    array_push(s->scratch, &s->equations, e);
  }
  for (int i = 0; i < f->initial_equations.count; i++) {
    const Equation *q = &f->initial_equations.at[i];
    array_push(s->scratch, &s->equations, ((SortEquation){q->residual, q->line, q->column}));
  }
  for (int i = 0; i < f->variables.count; i++)
    if (f->variables.at[i].kind == VARIABLE_UNKNOWN && f->variables.at[i].fixed)
      add_start_equation(s, &f->variables.at[i]);
}

static void add_start_unknown(Start *s, SortUnknown u, int variable) {
  array_push(s->scratch, &s->order, s->unknowns.count);
  array_push(s->scratch, &s->unknowns, u);
  array_push(s->scratch, &s->variable, variable);
}

// States without a start attribute are determined by initial equations first, those with one as a last resort.
static void list_start_unknowns(Start *s) {
  Model *m = s->m;
  for (int j = 0; j < m->unknown_count; j++) add_start_unknown(s, m->unknowns[j], -1);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->nx; i++) {
      const Variable *v = &m->flat->variables.at[m->state[i]];
      if (v->has_start == (pass == 1))
        add_start_unknown(s, (SortUnknown){v->node, v->name, v->start}, m->state[i]);
    }
}

static bool report_start(Start *s, const Incidence *in, const Matching *matching, Err *err) {
  const Flat *f = s->m->flat;
  for (int i = 0; i < in->equations; i++)
    if (matching->unknown_of[i] < 0)
      return source_fail(
          f->source, err, ERR_MODEL, s->equations.at[i].line, s->equations.at[i].column,
          "too many initial conditions: this one is left over (fixed start values and initial "
          "equations together must be as many as there are states)");
  for (int j = 0; j < in->unknowns; j++)
    if (matching->equation_of[j] < 0)
      return source_fail(f->source, err, ERR_MODEL, f->ast->line, f->ast->column,
                         "the initial value of %s is not determined", s->unknowns.at[j].name);
  return true;
}

static void warn_assumed(Start *s, const Variable *v) {
  if (v->has_start) return;
  source_warn(
      s->m->flat->source, &s->m->flat->warnings, v->line, v->column,
      "the initial value of %s is not given: 0 is used; write %s(start = ..., fixed = true)",
      v->name, v->name);
}

// States that nothing determines at the start take their start value, as other Modelica tools do.
static void assume_start_values(Start *s) {
  Incidence in = sort_incidence(s->m->graph, s->scratch, s->equations.at, s->equations.count,
                                s->unknowns.at, s->unknowns.count);
  Matching matching = match(s->scratch, &in, s->order.at);
  for (int j = 0; j < in.unknowns; j++) {
    if (matching.equation_of[j] >= 0 || s->variable.at[j] < 0) continue;
    const Variable *v = &s->m->flat->variables.at[s->variable.at[j]];
    warn_assumed(s, v);
    add_start_equation(s, v);
  }
}

static bool solve_start(Start *s, Err *err) {
  Model *m = s->m;
  Incidence in = sort_incidence(m->graph, s->scratch, s->equations.at, s->equations.count,
                                s->unknowns.at, s->unknowns.count);
  Matching matching = match(s->scratch, &in, s->order.at);
  if (matching.count < in.unknowns || matching.count < in.equations)
    return report_start(s, &in, &matching, err);
  if (!sort_solve(m->graph, m->arena, s->equations.at, s->unknowns.at, &in, &matching, &m->initial))
    return report_dependent(m, &m->initial, s->equations.at, s->equations.count, s->unknowns.at,
                            s->unknowns.count, err);
  return true;
}

static void assign_start(Start *s) {
  Model *m = s->m;
  Replacer *r = replacer_new(m->graph, s->scratch);
  for (int j = 0; j < s->unknowns.count; j++)
    replacer_set(r, s->unknowns.at[j].symbol, m->initial.solution[j]);
  m->x0 = ARENA_ARRAY(m->arena, Expr, m->nx + 1);
  for (int i = 0; i < m->nx; i++) m->x0[i] = replace(r, m->x[i]);
  m->mode0 = ARENA_ARRAY(m->arena, Expr, m->ne + 1);
  for (int k = 0; k < m->ne; k++)
    m->mode0[k] = replace(r, replace(s->direct, m->flat->events.at[k].mode));
}

static bool find_start(Model *m, Err *err) {
  Start s = {.m = m, .scratch = arena_new()};
  s.direct = replacer_new(m->graph, s.scratch);
  list_start_equations(&s);
  list_start_unknowns(&s);
  assume_start_values(&s);
  bool ok = solve_start(&s, err);
  if (ok) assign_start(&s);
  arena_free(s.scratch);
  return ok;
}

Model *model_new(const Source *source, const AstModel *ast, const Override *overrides, int count,
                 Err *err) {
  Arena *a = arena_new();
  Model *m = ARENA_NEW(a, Model);
  m->arena = a;
  m->flat = flatten(a, source, ast, overrides, count, err);
  if (!m->flat) {
    arena_free(a);
    return NULL;
  }
  m->graph = m->flat->graph;
  m->np = m->flat->parameters.count;
  list_unknowns(m);
  list_equations(m);
  bool ok = sort_motion(m, err);
  if (ok) {
    assign_values(m);
    assign_switching(m);
    ok = find_start(m, err);
  }
  if (!ok) {
    arena_free(a);
    return NULL;
  }
  m->lock = ARENA_NEW(a, pthread_mutex_t);
  pthread_mutex_init(m->lock, NULL);
  return m;
}

void model_free(Model *m) {
  if (!m) return;
  pthread_mutex_destroy(m->lock);
  arena_free(m->arena);
}
