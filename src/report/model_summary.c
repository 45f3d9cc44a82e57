#include "report/model_summary.h"

#include <math.h>
#include <string.h>

#include "lang/ast_print.h"
#include "report/model_text.h"
#include "write/listing.h"

enum {
  WIDTH = 100,     // columns of the terminal
  ROWS_MOST = 30,  // of each list
  NAME_WIDTH = 40, // of names and expressions
  EQUATION_WIDTH = 66,
  PICTURE_MOST = 40,  // states
  PICTURE_LABEL = 16, // columns
};

static const double START_MISS_MOST = 1e-6; // more is not a rounding error

typedef struct Summary {
  Text *out;
  const ModelFacts *f;
  const Model *m;
  Arena *arena;
} Summary;

// ---------------------------------------------------------------- text

static const char *plural(int count) {
  return count == 1 ? "" : "s";
}

// The first `width` characters of a text, on one line; longer ones end with "...".
static const char *clip(Summary *s, const char *text, int width) {
  size_t end = 0;
  bool cut = listing_width(text) > width;
  int left = cut ? width - 3 : width;
  while (text[end]) {
    left -= (text[end] & 0xC0) != 0x80;
    if (left < 0) break;
    end++;
  }
  char *copy = arena_print(s->arena, "%.*s%s", (int)end, text, cut ? "..." : "");
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  return copy;
}

static const char *number(Summary *s, double value) {
  char digits[32];
  number_format(value, digits);
  return isfinite(value) ? arena_print(s->arena, "%s", digits) : "not found";
}

// min .. max, or "" without bounds
static const char *range(Summary *s, const Variable *v) {
  bool least = isfinite(v->min), most = isfinite(v->max);
  if (least && most) return arena_print(s->arena, "%s .. %s", number(s, v->min), number(s, v->max));
  if (least) return arena_print(s->arena, ">= %s", number(s, v->min));
  return most ? arena_print(s->arena, "<= %s", number(s, v->max)) : "";
}

// Prints every line indented by two blanks and cut at the width of the terminal.
static void add_indented(Summary *s, const char *text) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    char *line = arena_copy(s->arena, text, length);
    text_print(s->out, "  %s\n", clip(s, line, WIDTH - 2));
    text += length + (text[length] == '\n');
  }
}

// ---------------------------------------------------------------- lists

enum { COLUMNS_MOST = 6 };

typedef struct Row {
  const char *cell[COLUMNS_MOST];
} Row;

typedef struct List {
  Summary *s;
  const char *title;
  const char *const *heads;
  int columns;
  ARRAY(Row) rows;
  int count; // including rows beyond ROWS_MOST
} List;

static List list_new(Summary *s, const char *title, const char *const *heads, int columns) {
  return (List){.s = s, .title = title, .heads = heads, .columns = columns};
}

static void list_add(List *l, Row row) {
  if (l->count++ < ROWS_MOST) array_push(l->s->arena, &l->rows, row);
}

static bool is_empty(const List *l, int column) {
  for (int r = 0; r < l->rows.count; r++)
    if (l->rows.at[r].cell[column][0]) return false;
  return true;
}

// Omits empty columns.
static Listing *list_table(const List *l) {
  const char *heads[COLUMNS_MOST];
  int used[COLUMNS_MOST], columns = 0;
  for (int c = 0; c < l->columns; c++)
    if (!is_empty(l, c)) heads[columns] = l->heads[c], used[columns++] = c;
  Listing *t = listing_new(l->s->arena, heads, columns);
  for (int r = 0; r < l->rows.count; r++) {
    const char *cells[COLUMNS_MOST];
    for (int c = 0; c < columns; c++) cells[c] = l->rows.at[r].cell[used[c]];
    listing_add(t, cells);
  }
  return t;
}

static void list_print(List *l) {
  if (!l->count) return;
  Text t;
  text_init(&t);
  listing_print(list_table(l), &t);
  text_print(l->s->out, "\n%s\n", l->title);
  add_indented(l->s, t.at);
  if (l->count > ROWS_MOST) text_print(l->s->out, "  ... and %d more\n", l->count - ROWS_MOST);
  text_done(&t);
}

static void list_states(Summary *s) {
  static const char *const HEADS[] = {"name", ">start", "initial", "unit", "range", "description"};
  List l = list_new(s, "States", HEADS, 6);
  for (int i = 0; i < s->m->nx; i++) {
    const Variable *v = &s->m->flat->variables.at[s->m->state[i]];
    if (v->computed) continue;
    list_add(&l,
             (Row){{clip(s, v->name, NAME_WIDTH), number(s, s->f->start[i]),
                    start_kind_name(s->f->start_kind[i]), v->unit, range(s, v), v->description}});
  }
  list_print(&l);
}

static const char *dependence(Summary *s, const Parameter *p) {
  const Ast *text = p->dependent ? parameter_text(s->m, p) : NULL;
  if (!text) return p->dependent ? "dependent" : "";
  Text t;
  text_init(&t);
  text_add(&t, "= ");
  ast_print(&t, text);
  const char *copy = clip(s, t.at, NAME_WIDTH);
  text_done(&t);
  return copy;
}

static const char *parameter_value(Summary *s, const Parameter *p, const Variable *v) {
  return v->boolean ? (p->value != 0 ? "true" : "false") : number(s, p->value);
}

static void list_parameters(Summary *s) {
  static const char *const HEADS[] = {"name", ">value", "", "unit", "range", "description"};
  List l = list_new(s, "Parameters", HEADS, 6);
  for (int k = 0; k < s->m->np; k++) {
    const Parameter *p = &s->m->flat->parameters.at[k];
    const Variable *v = &s->m->flat->variables.at[p->variable];
    if (p->is_start) continue;
    list_add(&l, (Row){{clip(s, p->name, NAME_WIDTH), parameter_value(s, p, v), dependence(s, p),
                        v->unit, range(s, v), v->description}});
  }
  list_print(&l);
}

// With fixed = false: states that do not move.
static void list_computed_parameters(Summary *s) {
  static const char *const HEADS[] = {"name", ">value", "unit", "range", "description"};
  List l = list_new(s, "Parameters that initial equations determine", HEADS, 5);
  for (int i = 0; i < s->m->nx; i++) {
    const Variable *v = &s->m->flat->variables.at[s->m->state[i]];
    if (!v->computed) continue;
    list_add(&l, (Row){{clip(s, v->name, NAME_WIDTH), number(s, s->f->start[i]), v->unit,
                        range(s, v), v->description}});
  }
  list_print(&l);
}

static void list_inputs(Summary *s) {
  static const char *const HEADS[] = {"name", ">default", "unit", "range", "description"};
  List l = list_new(s, "Inputs", HEADS, 5);
  for (int i = 0; i < s->m->nu; i++) {
    const Variable *v = &s->m->flat->variables.at[s->m->input[i]];
    list_add(&l, (Row){{clip(s, v->name, NAME_WIDTH), number(s, v->default_value), v->unit,
                        range(s, v), v->description}});
  }
  list_print(&l);
}

// "assigned", "alias of -x", "constant", "linear system of 3, block 4"
static const char *way_of_computing(Summary *s, int variable) {
  const Model *m = s->m;
  if (m->flat->variables.at[variable].state) return "state";
  if (s->f->unknown[variable] < 0) return "at events";
  int u = s->f->unknown[variable], k = s->f->block[u];
  const SortBlock *b = &m->sorted.blocks[k];
  if (b->count > 1 || b->kind == SORT_NONLINEAR)
    return arena_print(s->arena, "%s system of %d, block %d", block_kind_name(b->kind), b->count,
                       k + 1);
  if (expr_is_const(m->graph, m->sorted.solution[u])) return "constant";
  if (b->kind != SORT_ALIAS) return "assigned";
  for (int e = 0; e < m->ne; e++)
    if (m->flat->events.at[e].mode == m->sorted.solution[u]) return "condition";
  Text t;
  text_init(&t);
  text_add(&t, "alias of ");
  expr_print(&t, m->graph, m->sorted.solution[u]);
  const char *copy = clip(s, t.at, NAME_WIDTH);
  text_done(&t);
  return copy;
}

static void list_computed(Summary *s, const char *title, bool outputs) {
  static const char *const HEADS[] = {"name", "computed", "unit", "description"};
  List l = list_new(s, title, HEADS, 4);
  for (int i = 0; i < s->m->flat->variables.count; i++) {
    const Variable *v = &s->m->flat->variables.at[i];
    bool wanted =
        outputs ? v->output : v->kind == VARIABLE_UNKNOWN && !v->state && !v->output && !v->hidden;
    if (!wanted) continue;
    list_add(
        &l, (Row){{clip(s, v->name, NAME_WIDTH), way_of_computing(s, i), v->unit, v->description}});
  }
  list_print(&l);
}

static const char *place_of(Summary *s, const Event *e) {
  Text t;
  text_init(&t);
  expr_print(&t, s->m->graph, e->switching);
  text_add(&t, e->kind == EVENT_FLOOR ? " is an integer" : " = 0");
  const char *copy = clip(s, t.at, NAME_WIDTH);
  text_done(&t);
  return copy;
}

static void list_events(Summary *s) {
  static const char *const HEADS[] = {">line", "of", "where"};
  List l = list_new(s, "Events", HEADS, 3);
  for (int k = 0; k < s->m->ne; k++) {
    const Event *e = &s->m->flat->events.at[k];
    const char *line = arena_print(s->arena, "%s", flat_line(s->m->flat, e->line).at);
    list_add(&l, (Row){{line, clip(s, e->text, NAME_WIDTH), place_of(s, e)}});
  }
  list_print(&l);
}

// ---------------------------------------------------------------- constraints

static void print_freedom(Summary *s) {
  const ModelConstraints *c = s->f->constraints;
  int independent = s->m->nx - c->freedom;
  text_print(s->out, "  free start values: %d (%d state%s, %d independent invariant%s)\n",
             c->freedom, s->m->nx, plural(s->m->nx), independent, plural(independent));
  if (!c->multiplier_count) return;
  Text t;
  text_init(&t);
  text_add(&t, "multipliers: ");
  for (int i = 0; i < c->multiplier_count; i++)
    text_print(&t, "%s%s", i ? ", " : "", s->m->flat->variables.at[c->multiplier[i]].name);
  if (c->redundant) text_add(&t, " (not unique: least-squares values)");
  add_indented(s, t.at);
  text_done(&t);
}

static void print_redundancy(Summary *s) {
  const ModelConstraints *c = s->f->constraints;
  for (int i = 0, shown = 0; i < c->count && shown < ROWS_MOST; i++) {
    if (!c->at[i].redundant) continue;
    add_indented(s, arena_print(s->arena, "redundant: line %s follows from %s", c->at[i].place,
                                constraint_sources(s->arena, c, &c->at[i])));
    shown++;
  }
}

static void list_constraints(Summary *s) {
  static const char *const HEADS[] = {">line", "equation", "differentiated"};
  const ModelConstraints *c = s->f->constraints;
  List l = list_new(s, "Constraints", HEADS, 3);
  for (int i = 0; i < c->count; i++) {
    const ModelConstraint *k = &c->at[i];
    const char *how = k->redundant ? "redundant" : times_in_words(s->arena, k->differentiated);
    list_add(&l, (Row){{k->place, clip(s, k->text, EQUATION_WIDTH), how}});
  }
  list_print(&l);
  if (c->count) print_freedom(s);
  print_redundancy(s);
}

// ---------------------------------------------------------------- structure

static void add_count(Text *t, int count, const char *what) {
  text_print(t, "%s%d %s%s", t->length ? ", " : "", count, what, plural(count));
}

static void print_counts(Summary *s) {
  const Model *m = s->m;
  int parameters = 0, dependent = 0, outputs = 0, algebraic = 0, computed = 0;
  for (int k = 0; k < m->np; k++) {
    parameters += !m->flat->parameters.at[k].is_start;
    dependent += !m->flat->parameters.at[k].is_start && m->flat->parameters.at[k].dependent;
  }
  for (int i = 0; i < m->flat->variables.count; i++) {
    const Variable *v = &m->flat->variables.at[i];
    outputs += v->output;
    algebraic += v->kind == VARIABLE_UNKNOWN && !v->state;
    computed += v->computed && v->state;
  }
  Text t;
  text_init(&t);
  add_count(&t, m->nx - computed, "state");
  add_count(&t, parameters, "parameter");
  if (dependent) text_print(&t, " (%d dependent)", dependent);
  if (computed) add_count(&t, computed, "computed parameter");
  add_count(&t, m->nu, "input");
  add_count(&t, outputs, "output");
  add_count(&t, algebraic, "algebraic variable");
  add_count(&t, m->ne, "event");
  text_print(s->out, "%s\n", t.at);
  text_done(&t);
}

static void print_block_counts(Summary *s) {
  static const char *const WORDS[] = {"alias", "assignment", "linear system", "nonlinear system"};
  Text t;
  text_init(&t);
  for (int k = 0; k < 4; k++) {
    int count = s->f->block_kinds[k];
    if (count && k == SORT_ALIAS)
      text_print(&t, "%d alias%s", count, count == 1 ? "" : "es");
    else if (count)
      add_count(&t, count, WORDS[k]);
  }
  text_print(s->out, "  %d block%s%s%s\n", s->m->sorted.block_count,
             plural(s->m->sorted.block_count), t.length ? ": " : "", t.at);
  text_done(&t);
}

static void add_unknowns(Summary *s, Text *t, const SortBlock *b, int first) {
  for (int i = first; i < b->count; i++)
    text_print(t, "%s%s", i > first ? ", " : "", s->m->unknowns[b->unknown[i]].name);
}

static void print_systems(Summary *s) {
  int count = 0;
  for (int k = 0; k < s->m->sorted.block_count; k++) {
    const SortBlock *b = &s->m->sorted.blocks[k];
    if ((b->kind != SORT_LINEAR && b->kind != SORT_NONLINEAR) || count++ >= ROWS_MOST) continue;
    int torn = b->count == 1 ? 1 : b->torn;
    Text t;
    text_init(&t);
    text_print(&t, "block %d: %s system of %d, line %s, %s ", k + 1, block_kind_name(b->kind),
               b->count, flat_line(s->m->flat, s->m->equations[b->equation[0]].line).at,
               b->kind == SORT_LINEAR ? "solved for" : "iterated on");
    if (torn < b->count) text_print(&t, "%d of them: ", torn);
    add_unknowns(s, &t, b, b->count - torn);
    add_indented(s, t.at);
    text_done(&t);
  }
  if (count > ROWS_MOST) text_print(s->out, "  ... and %d more\n", count - ROWS_MOST);
}

// "1 initial equation", "the constraints", "the constraints and 2 initial equations"
static void add_sources_of_start(Summary *s, Text *t) {
  int count = s->m->flat->initial_equations.count;
  if (s->m->invariant_count) text_print(t, "the constraints%s", count ? " and " : "");
  if (count || !s->m->invariant_count) text_print(t, "%d initial equation%s", count, plural(count));
}

static void print_start_miss(Summary *s) {
  const ModelFacts *f = s->f;
  if (f->worst_condition < 0) return;
  const StartCondition *c = &s->m->conditions[f->worst_condition];
  const char *what = c->invariant >= 0 ? "constraint" : "initial condition";
  if (f->start_miss <= START_MISS_MOST)
    text_print(s->out, "  the initial values satisfy the constraints\n");
  else if (isfinite(f->start_residual))
    text_print(s->out, "  the initial values violate the %s in line %s by %.4g\n", what,
               flat_line(s->m->flat, c->line).at, f->start_residual);
  else
    text_print(s->out, "  no initial values were found that satisfy the constraints\n");
}

static void print_start(Summary *s) {
  int kinds[3] = {0};
  for (int i = 0; i < s->m->nx; i++) kinds[s->f->start_kind[i]]++;
  if (!s->m->nx) return;
  Text t;
  text_init(&t);
  if (kinds[START_FIXED]) text_print(&t, "%d fixed", kinds[START_FIXED]);
  if (kinds[START_ASSUMED])
    text_print(&t, "%s%d assumed at the start value", t.length ? ", " : "", kinds[START_ASSUMED]);
  if (kinds[START_COMPUTED]) {
    text_print(&t, "%s%d computed from ", t.length ? ", " : "", kinds[START_COMPUTED]);
    add_sources_of_start(s, &t);
  }
  text_print(s->out, "  initial values: %s\n", t.at);
  text_done(&t);
  print_start_miss(s);
}

static void print_structure(Summary *s) {
  const Model *m = s->m;
  int derived = 0;
  for (int i = 0; i < m->equation_count; i++) derived += m->equations[i].level > 0;
  text_print(s->out, "\nStructure\n  %d equation%s for %d unknown%s, index %d\n", m->equation_count,
             plural(m->equation_count), m->unknown_count, plural(m->unknown_count), m->index);
  if (derived)
    text_print(s->out, "  %d of the equations %s derivative%s of typed ones\n", derived,
               derived == 1 ? "is the" : "are", plural(derived));
  print_block_counts(s);
  print_systems(s);
  print_start(s);
}

// ---------------------------------------------------------------- work

static void list_work(List *l, const char *what, Operations o) {
  Arena *a = l->s->arena;
  list_add(l, (Row){{what, arena_print(a, "%d", o.arithmetic), arena_print(a, "%d", o.calls),
                     arena_print(a, "%d", o.blocks)}});
}

static void print_work(Summary *s) {
  static const char *const HEADS[] = {"", ">arithmetic", ">functions", ">solves"};
  const ModelFacts *f = s->f;
  List l = list_new(s, "Operations of one evaluation", HEADS, 4);
  list_work(&l, "right-hand side", f->rhs);
  list_work(&l, "its Jacobian", f->jacobian);
  int columns = f->system->ns;
  if (columns) {
    const char *what = arena_print(s->arena, "right-hand side with %d column%s of sensitivities",
                                   columns, plural(columns));
    list_work(&l, what, f->sensitivities);
  }
  list_work(&l, "once for each set of parameters", f->hoisted);
  list_print(&l);
}

static void print_picture(Summary *s, const Pattern *p) {
  for (int i = 0; i < p->rows; i++) {
    const char *name = clip(s, s->m->flat->variables.at[s->m->state[i]].name, PICTURE_LABEL);
    text_print(s->out, "  %s%*s", name, PICTURE_LABEL - listing_width(name), "");
    for (int j = 0, e = p->start[i]; j < p->columns; j++) {
      bool there = e < p->start[i + 1] && p->column[e] == j;
      text_add(s->out, there ? " ●" : " ·");
      e += there;
    }
    text_add(s->out, "\n");
  }
}

static void print_jacobian(Summary *s) {
  const Pattern *p = &s->f->system->sparse.jacobian;
  int n = p->rows, count = pattern_count(p);
  if (!n) return;
  text_print(s->out, "\nJacobian\n  %d of %ld entries can be nonzero (%.3g %%)\n", count,
             (long)n * n, 100.0 * count / ((double)n * n));
  if (n <= PICTURE_MOST) print_picture(s, p);
}

static void print_warnings(Summary *s) {
  const Warnings *w = &s->m->flat->warnings;
  if (w->list.count) text_add(s->out, "\nWarnings\n");
  for (int i = 0; i < w->list.count && i < ROWS_MOST; i++)
    add_indented(s, arena_print(s->arena, "line %d: %s", w->list.at[i].line, w->list.at[i].text));
}

void model_summary(Text *out, const ModelFacts *f) {
  Summary s = {out, f, f->m, arena_new()};
  const char *description = f->m->flat->description;
  Text title;
  text_init(&title);
  text_print(&title, "%s%s%s", f->m->flat->name, description[0] ? ": " : "", description);
  text_print(out, "%s\n", clip(&s, title.at, WIDTH));
  text_done(&title);
  print_counts(&s);
  list_states(&s);
  list_parameters(&s);
  list_computed_parameters(&s);
  list_inputs(&s);
  list_computed(&s, "Outputs", true);
  list_computed(&s, "Algebraic variables", false);
  list_constraints(&s);
  list_events(&s);
  print_structure(&s);
  print_work(&s);
  print_jacobian(&s);
  print_warnings(&s);
  arena_free(s.arena);
}
