// Sentences about models that have no perfect matching: which equations are too many, which unknowns nothing
// determines.
#include "model/structure.h"

#include <string.h>

#include "lang/source.h"

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

static void add_marked_lines(Text *out, const Flat *f, const SortEquation *e,
                             const unsigned char *mark, int n) {
  enum { SHOWN = 8 };
  int count = 0, lines = 0, shown = 0, last = 0;
  for (int i = 0; i < n; i++) {
    count += mark[i];
    if (mark[i] && e[i].line != last) lines++, last = e[i].line;
  }
  text_print(out, "the equation%s in line%s ", count == 1 ? "" : "s", lines == 1 ? "" : "s");
  last = 0;
  for (int i = 0; i < n && shown < SHOWN; i++) {
    if (!mark[i] || e[i].line == last) continue;
    text_print(out, "%s%s", shown++ ? ", " : "", flat_line(f, last = e[i].line).at);
  }
  if (lines > SHOWN) text_add(out, ", ...");
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
                       "between states needs an unknown that keeps it: the force of the "
                       "constraint, a multiplier)");
  if (any) text_add(&d->text, ", other equations determine ");
  if (any) add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, d->in->unknowns);
  return report_at(d, m->equations[left].line, m->equations[left].column);
}

// Which equations each unknown occurs in, states and their derivatives as one.
static Incidence wide_incidence(Model *m, Arena *a) {
  int n = m->unknown_count, k = 0;
  SortUnknown *all = ARENA_ARRAY(a, SortUnknown, n + m->nx + 1);
  memcpy(all, m->unknowns, (size_t)n * sizeof *all);
  int *same = ARENA_ARRAY(a, int, n + m->nx + 1);
  for (int j = 0; j < n; j++) {
    same[j] = j;
    const Variable *v = &m->flat->variables.at[m->unknown_variable[j]];
    if (!v->state) continue;
    same[n + k] = j;
    all[n + k++] = (SortUnknown){.symbol = v->node, .name = v->name};
  }
  Incidence wide = sort_incidence(m->graph, a, m->equations, m->equation_count, all, n + k);
  int entries = wide.start[wide.equations], *start = ARENA_ARRAY(a, int, n + 2);
  int *equation = ARENA_ARRAY(a, int, entries + 1);
  for (int e = 0; e < entries; e++) start[same[wide.unknown[e]] + 2]++;
  for (int j = 0; j < n; j++) start[j + 2] += start[j + 1];
  for (int i = 0; i < wide.equations; i++)
    for (int e = wide.start[i]; e < wide.start[i + 1]; e++)
      equation[start[same[wide.unknown[e]] + 1]++] = i;
  return (Incidence){n, m->equation_count, start, equation};
}

int structure_left_over(Model *m, unsigned char *left) {
  Arena *a = arena_new();
  int count = m->equation_count, at = 0, *order = ARENA_ARRAY(a, int, count + 1);
  // a matching serves columns in their order, here the equations: pure constraints last
  int *by_rank = ARENA_ARRAY(a, int, count + 1);
  for (int i = 0; i < count; i++) by_rank[m->order.equation[m->equations[i].origin]] = i;
  for (int pure = 0; pure < 2; pure++)
    for (int k = 0; k < count; k++) {
      int i = by_rank[k];
      if ((m->incidence.start[i] == m->incidence.start[i + 1]) == pure) order[at++] = i;
    }
  Incidence in = wide_incidence(m, a);
  Matching matching = match(a, &in, order);
  for (int i = 0; i < count; i++) left[i] = matching.equation_of[i] < 0;
  int missing = count - matching.count;
  for (int j = 0; j < in.equations && missing; j++)
    if (in.start[j] == in.start[j + 1]) missing = -1;
  arena_free(a);
  return missing;
}

static bool report_singular(Diagnosis *d, const char *hint) {
  Model *m = d->m;
  int left = first_unmatched(d->match->unknown_of, d->in->equations);
  overdetermined(d->scratch, d->in, d->match, d->equations, d->unknowns);
  text_add(&d->text, "the equations are structurally singular: ");
  add_marked_lines(&d->text, m->flat, m->equations, d->equations, d->in->equations);
  if (memchr(d->unknowns, 1, (size_t)d->in->unknowns)) {
    text_add(&d->text, " contain only ");
    add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, d->in->unknowns);
  } else {
    int count = 0;
    for (int i = 0; i < d->in->equations; i++) count += d->equations[i];
    text_print(&d->text, " contain%s no unknown", count == 1 ? "s" : "");
  }
  for (int j = 0; j < d->in->unknowns; j++) d->unknowns[j] = d->match->equation_of[j] < 0;
  text_add(&d->text, ", while nothing determines ");
  add_marked_unknowns(&d->text, d->scratch, m->unknowns, d->unknowns, d->in->unknowns);
  text_add(&d->text, hint);
  return report_at(d, m->equations[left].line, m->equations[left].column);
}

bool report_structure(Model *m, const Matching *matching, const char *hint, Err *err) {
  const Incidence *in = &m->incidence;
  Diagnosis d = {.m = m, .scratch = arena_new(), .in = in, .match = matching, .err = err};
  d.equations = ARENA_ARRAY(d.scratch, unsigned char, in->equations + 1);
  d.unknowns = ARENA_ARRAY(d.scratch, unsigned char, in->unknowns + 1);
  text_init(&d.text);
  if (in->equations < in->unknowns)
    report_too_few(&d);
  else if (in->equations > in->unknowns)
    report_too_many(&d);
  else
    report_singular(&d, hint);
  text_done(&d.text);
  arena_free(d.scratch);
  return false;
}

bool report_dependent(Model *m, const Sorted *sorted, const SortEquation *equations,
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
  add_marked_lines(&text, m->flat, equations, marked, equation_count);
  text_add(&text, b->count == 1 ? " does not determine " : " do not determine ");
  add_marked_unknowns(&text, scratch, unknowns, wanted, unknown_count);
  text_add(&text, b->count == 1 ? ": its coefficient is always 0" : ": they depend on one another");
  source_fail(m->flat->source, err, ERR_MODEL, first->line, first->column, "%s", text.at);
  text_done(&text);
  arena_free(scratch);
  return false;
}
