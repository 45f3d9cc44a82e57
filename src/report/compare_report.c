#include "report/compare_report.h"

#include <math.h>
#include <string.h>

#include "stats/say.h"
#include "write/cells.h"
#include "write/rounded.h"

enum { VALUE_DIGITS = 6 };

// ---------------------------------------------------------------- cells

typedef struct Grid { // a table as cells
  const char **heads;
  int *spare;
  const char **cells; // [row][column]
  int rows, columns;
} Grid;

static Grid grid_new(Arena *a, int rows, int columns) {
  return (Grid){ARENA_ARRAY(a, const char *, columns), ARENA_ARRAY(a, int, columns),
                ARENA_ARRAY(a, const char *, rows *columns), rows, columns};
}

static Grid figures_grid(Arena *a, const CompareReport *r, bool exact) {
  int columns, rows;
  const CompareColumn *column = compare_columns(r->layout, exact, &columns);
  const CompareEntry *entry = compare_entries(a, r->compare, r->published, &rows);
  Grid g = grid_new(a, rows, columns);
  for (int c = 0; c < columns; c++) {
    g.heads[c] = exact ? column[c].key : column[c].head;
    g.spare[c] = column[c].spare;
    for (int i = 0; i < rows; i++) g.cells[i * columns + c] = column[c].cell(a, &entry[i], exact);
  }
  return g;
}

static const char *value_cell(Arena *a, double value) {
  char text[ROUNDED_SIZE];
  if (isnan(value)) return "";
  rounded_digits(value, VALUE_DIGITS, text);
  return arena_print(a, "%s", text);
}

static void fill_values(Arena *a, Grid *g, int row, const char *label, const double *x) {
  const char **cells = g->cells + (long)row * g->columns;
  cells[0] = label;
  for (int c = 1; c < g->columns; c++) cells[c] = x ? value_cell(a, x[c - 1]) : "";
}

static bool has_values(const CompareEntry *e, int n) {
  for (int i = 0; e->x && i < n; i++)
    if (!isnan(e->x[i])) return true;
  return false;
}

// Parameters: a row for each method, the truth first.
static Grid values_grid(Arena *a, const CompareReport *r) {
  const Compare *c = r->compare;
  int entries, n = c->problem->unknown_count;
  const CompareEntry *entry = compare_entries(a, r->compare, r->published, &entries);
  Grid g = grid_new(a, entries + 1, n + 1);
  g.heads[0] = "method";
  for (int i = 0; i < n; i++) {
    g.heads[i + 1] = arena_print(a, ">%s", c->problem->unknowns[i].name);
    g.spare[i + 1] = i + 1;
  }
  g.rows = 0;
  if (c->truth) fill_values(a, &g, g.rows++, "truth", c->truth->x);
  int known = g.rows;
  for (int i = 0; i < entries; i++)
    if (has_values(&entry[i], n))
      fill_values(a, &g, g.rows++,
                  entry[i].row ? entry[i].label : arena_print(a, "%s (published)", entry[i].label),
                  entry[i].x);
  if (g.rows == known) g.rows = 0; // only the truth: nothing to compare
  return g;
}

// ---------------------------------------------------------------- sentences

static void add_list(Text *t, const char *const *words, int count) {
  for (int i = 0; i < count; i++)
    text_print(t, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", words[i]);
}

static const char *in_list(Arena *a, const char *const *words, int count) {
  Text t;
  text_init(&t);
  add_list(&t, words, count);
  const char *list = arena_copy(a, t.at, t.length);
  text_done(&t);
  return list;
}

static const char *say_truth(Arena *a, const CompareTruth *t) {
  const char **over = ARENA_ARRAY(a, const char *, t->count);
  for (int i = 0; i < t->count; i++) over[i] = t->terms[i].text;
  if (!t->left_out_count) return "error: the largest relative error of the parameters.";
  return arena_print(a,
                     "error: the largest relative error of %s; the data do not determine %s by "
                     "%s.",
                     in_list(a, over, t->count), in_list(a, t->left_out, t->left_out_count),
                     t->left_out_count == 1 ? "itself" : "themselves");
}

static const char *say_found(Arena *a, const Compare *c) {
  char limit[ROUNDED_SIZE];
  rounded_digits(100 * c->request.found, 3, limit);
  if (c->truth)
    return arena_print(a, "found: within %s %% of the truth%s.", limit,
                       c->truth->near ? ", or of the end of a search that starts at the truth"
                                      : "");
  return arena_print(
      a, "found: an objective at most %s %% above the best one, or equal to it but for rounding.",
      limit);
}

static const char *say_runs(Arena *a, const Compare *c) {
  const CompareRequest *q = &c->request;
  if (c->runs_each > 1 && c->stopped) return "The table shows medians of the finished runs.";
  if (q->random_starts)
    return arena_print(a,
                       "Each method ran from the same %d random starts; the table shows medians.",
                       q->random_starts);
  if (c->runs_each > 1)
    return arena_print(
        a,
        "Methods that use random numbers ran %d times, with seeds from %d; the table shows "
        "medians.",
        c->runs_each, c->problem->options.seed);
  return NULL;
}

typedef struct Remarks {
  const char *at[8];
  int count;
} Remarks;

static void remark(Remarks *r, const char *text) {
  if (text) r->at[r->count++] = text;
}

static const char *say_stopped(Arena *a, const Compare *c) {
  if (!c->stopped) return NULL;
  return arena_print(
      a, "Stopped: %d of %d runs were started, of %d of %d methods; the last one is incomplete.",
      compare_runs_done(c), compare_runs_wanted(c), c->done, c->count);
}

// Which methods confirmed their results, by name.
static const char *say_confirming(Arena *a, const Compare *c) {
  const char **label = ARENA_ARRAY(a, const char *, c->done + 1);
  int count = 0;
  for (int i = 0; i < c->done; i++)
    if (c->rows[i].confirms) label[count++] = c->rows[i].spec.label;
  if (!count)
    return c->can_confirm
               ? "No result was confirmed by searches from elsewhere (--confirm on does that)."
               : "No result was confirmed by searches from elsewhere: none of these methods does "
                 "that.";
  Text t;
  text_init(&t);
  say_list(&t, label, count);
  const char *text = arena_print(a,
                                 "Searches from elsewhere, which are not counted, were made to "
                                 "confirm the results of %s.",
                                 t.at);
  text_done(&t);
  return text;
}

static Remarks remarks_of(Arena *a, const CompareReport *r) {
  const Compare *c = r->compare;
  Remarks out = {0};
  remark(&out, say_stopped(a, c));
  if (r->layout == COMPARE_PARALLEL)
    remark(&out, arena_print(a,
                             "seq: one thread; par: %d threads. n counts evaluations of the "
                             "objective, n par those that had to run one after the other.",
                             c->threads));
  if (r->layout != COMPARE_PARALLEL)
    remark(&out, "evaluations: of the objective, with or without derivatives.");
  if (r->layout == COMPARE_FULL) {
    remark(&out, arena_print(a,
                             "fair: evaluations; one with the derivatives by %d parameter%s "
                             "counts as %d.",
                             c->problem->unknown_count, c->problem->unknown_count == 1 ? "" : "s",
                             c->problem->unknown_count + 1));
    if (c->truth) remark(&out, say_truth(a, c->truth));
    remark(&out, say_found(a, c));
  }
  remark(&out, say_runs(a, c));
  remark(&out, say_confirming(a, c));
  if (r->published && r->published->source[0])
    remark(&out, arena_print(a, "published: %s", r->published->source));
  return out;
}

// ---------------------------------------------------------------- text

static void print_grid(Page *p, const Grid *g) {
  PageColumn *columns = ARENA_ARRAY(p->arena, PageColumn, g->columns);
  for (int c = 0; c < g->columns; c++) columns[c] = (PageColumn){g->heads[c], g->spare[c]};
  PageTable *t = page_table_new(p, columns, g->columns);
  for (int i = 0; i < g->rows; i++) page_table_add(t, g->cells + (long)i * g->columns);
  page_table_elsewhere(t, "--format csv");
  page_table_print(t);
}

static void print_head(Page *p, const Compare *c) {
  char seconds[ROUNDED_SIZE];
  rounded_seconds(c->seconds, seconds);
  page_title(p, arena_print(p->arena, "%s: %d method%s compared in %s", c->problem->path, c->done,
                            c->done == 1 ? "" : "s", seconds));
}

// Why a row is empty; NULL: it is not.
static const char *why_empty(Page *p, const CompareRow *row) {
  if (row->refused) return row->refused;
  const CompareRun *run = row->shown;
  bool begun = !run || run->outcome != FIT_NO_START || !run->message;
  return begun ? NULL : failure_sentence(p->arena, run->message);
}

static void print_refusals(Page *p, const Compare *c) {
  for (int i = 0; i < c->done; i++) {
    const char *why = why_empty(p, &c->rows[i]);
    if (why)
      page_paragraph(p, 2, "",
                     arena_print(p->arena, "%s: %s.",
                                 page_tinted(p, TINT_NOTICE, c->rows[i].spec.label), why));
  }
}

void compare_text(Text *out, const CompareReport *r, PageStyle style) {
  Page p = page_on(out, style);
  Grid figures = figures_grid(p.arena, r, false), values = values_grid(p.arena, r);
  Remarks remarks = remarks_of(p.arena, r);
  print_head(&p, r->compare);
  page_heading(&p, "Methods");
  print_grid(&p, &figures);
  print_refusals(&p, r->compare);
  for (int i = 0; i < remarks.count; i++)
    page_paragraph(&p, 2, "", page_tinted(&p, TINT_FAINT, remarks.at[i]));
  if (r->layout == COMPARE_FULL && values.rows) {
    page_heading(&p, "Parameters");
    print_grid(&p, &values);
  }
  page_done(&p);
}

// ---------------------------------------------------------------- Markdown

static void markdown_cell(Text *out, const char *text) {
  text_add(out, " ");
  for (; text && *text; text++)
    if (*text == '|')
      text_add(out, "\\|");
    else
      text_add_bytes(out, text, 1);
  text_add(out, " |");
}

static bool is_empty(const Grid *g, int column) {
  for (int i = 0; i < g->rows; i++) {
    const char *cell = g->cells[(long)i * g->columns + column];
    if (cell && cell[0]) return false;
  }
  return true;
}

static void markdown_grid(Text *out, const Grid *g) {
  text_add(out, "|");
  for (int c = 0; c < g->columns; c++)
    if (!is_empty(g, c)) markdown_cell(out, g->heads[c] + (g->heads[c][0] == '>'));
  text_add(out, "\n|");
  for (int c = 0; c < g->columns; c++)
    if (!is_empty(g, c)) text_add(out, g->heads[c][0] == '>' ? " ---: |" : " --- |");
  text_add(out, "\n");
  for (int i = 0; i < g->rows; i++) {
    text_add(out, "|");
    for (int c = 0; c < g->columns; c++)
      if (!is_empty(g, c)) markdown_cell(out, g->cells[(long)i * g->columns + c]);
    text_add(out, "\n");
  }
}

static void markdown_refusals(Text *out, const Compare *c) {
  for (int i = 0; i < c->done; i++)
    if (c->rows[i].refused) text_print(out, "%s: %s.\n", c->rows[i].spec.label, c->rows[i].refused);
}

void compare_markdown(Text *out, const CompareReport *r) {
  Arena *a = arena_new();
  Grid figures = figures_grid(a, r, false), values = values_grid(a, r);
  Remarks remarks = remarks_of(a, r);
  markdown_grid(out, &figures);
  text_add(out, "\n");
  markdown_refusals(out, r->compare);
  for (int i = 0; i < remarks.count; i++) text_print(out, "%s\n", remarks.at[i]);
  if (r->layout == COMPARE_FULL && values.rows) {
    text_add(out, "\n");
    markdown_grid(out, &values);
  }
  arena_free(a);
}

// ---------------------------------------------------------------- CSV

static void csv_values(Text *out, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    text_add(out, ",");
    if (x) cells_number(out, x[i]);
  }
}

static void csv_head(Text *out, const Grid *g, const CompareReport *r) {
  const Problem *p = r->compare->problem;
  for (int c = 0; c < g->columns; c++) text_print(out, "%s%s", c ? "," : "", g->heads[c]);
  for (int i = 0; r->layout == COMPARE_FULL && i < p->unknown_count; i++) {
    text_add(out, ",");
    cells_text(out, p->unknowns[i].name);
  }
  text_add(out, "\n");
}

void compare_csv(Text *out, const CompareReport *r) {
  Arena *a = arena_new();
  Grid g = figures_grid(a, r, true);
  int rows;
  const CompareEntry *entry = compare_entries(a, r->compare, r->published, &rows);
  csv_head(out, &g, r);
  for (int i = 0; i < rows; i++) {
    for (int c = 0; c < g.columns; c++) {
      text_add(out, c ? "," : "");
      cells_text(out, g.cells[(long)i * g.columns + c] ? g.cells[(long)i * g.columns + c] : "");
    }
    if (r->layout == COMPARE_FULL) csv_values(out, entry[i].x, r->compare->problem->unknown_count);
    text_add(out, "\n");
  }
  arena_free(a);
}

static void csv_number(Text *out, double value) {
  text_add(out, ",");
  cells_number(out, value);
}

static void csv_point(Text *out, const Compare *c, const ComparePoint *p) {
  text_add(out, ",");
  cells_text(out, p->stage);
  csv_number(out, p->lambda);
  text_print(out, ",%d,%ld,%ld", p->iteration, p->evaluations, p->fair);
  csv_number(out, p->objective);
  csv_number(out, p->free_objective);
  csv_number(out, p->best);
  csv_number(out, p->seconds);
  csv_values(out, p->x, c->problem->unknown_count);
  text_add(out, "\n");
}

void compare_trace_csv(Text *out, const Compare *c) {
  text_add(out, "method,run,seed,stage,lambda,iteration,evaluations,fair,objective,free_objective,"
                "best,seconds");
  for (int i = 0; i < c->problem->unknown_count; i++) {
    text_add(out, ",");
    cells_text(out, c->problem->unknowns[i].name);
  }
  text_add(out, "\n");
  for (int i = 0; i < c->done; i++)
    for (int k = 0; k < c->rows[i].run_count; k++)
      for (int j = 0; j < c->rows[i].runs[k].trace.count; j++) {
        cells_text(out, c->rows[i].spec.label);
        text_print(out, ",%d,%d", k + 1, c->rows[i].runs[k].seed);
        csv_point(out, c, &c->rows[i].runs[k].trace.at[j]);
      }
}
