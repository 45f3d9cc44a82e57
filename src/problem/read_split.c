#include "problem/read_split.h"

#include <math.h>
#include <string.h>

#include "base/names.h"

static const double SLACK = 1e-9; // of a length: times in files are rounded

typedef struct WindowSplitter {
  ProblemReader *r;
  const Yaml *node; // of 'split'
  const ExperimentReader *whole;
  const Table *table;
  int time, column; // columns
  double every, gap;
  const Yaml *only, *validation;
  Names *seen;  // how many windows had a label so far
  Names *texts; // of the column; NULL: it has numbers
  bool *used;
  SplitPieces *out;
} WindowSplitter;

static const Yaml *split_of(const Yaml *entry) {
  const Yaml *n = yaml_find(entry, "split");
  return yaml_is_null(n) ? NULL : n;
}

bool split_times_go_back(const ExperimentReader *whole) {
  const double *time = whole->table->column[whole->time];
  for (int i = 1; i < whole->table->rows; i++)
    if (time[i] < time[i - 1]) return true;
  return false;
}

bool split_cuts_time(const ExperimentReader *whole) {
  const Yaml *n = split_of(whole->node);
  if (!n || !yaml_is_null(yaml_find(n, "column"))) return false;
  return yaml_is_null(yaml_find(n, "gaps")) || !split_times_go_back(whole);
}

// ---------------------------------------------------------------- what the user writes

static bool read_length(ProblemReader *r, const Yaml *n, const char *what, double *out) {
  if (yaml_is_null(n)) return true;
  if (!reader_number(r, n, what, false, out)) return false;
  return *out > 0 || reader_fail(r, n, ERR_VALUE, "%s must be above 0", what);
}

static bool read_list(ProblemReader *r, const Yaml *n, const char *what, const Yaml **out) {
  if (yaml_is_null(n)) return true;
  *out = n;
  if (n->kind == YAML_MAP || (n->kind == YAML_LIST && !n->items.count))
    return reader_fail(r, n, ERR_VALUE, "%s is a window or a list of them, such as [1, 3]", what);
  const char *text;
  for (int i = 0; n->kind == YAML_LIST && i < n->items.count; i++)
    if (!reader_text(r, n->items.at[i], what, &text)) return false;
  return true;
}

static bool read_spec(WindowSplitter *s) {
  static const char *const KEYS[] = {"column", "every", "gaps", "only", "validation"};
  ProblemReader *r = s->r;
  const Yaml *n = s->node;
  if (n->kind != YAML_MAP)
    return reader_fail(r, n, ERR_VALUE,
                       "'split' is {column: NAME}, {every: LENGTH} or {gaps: LENGTH}");
  if (!reader_keys(r, n, "'split'", KEYS, 5)) return false;
  const Yaml *column = yaml_find(n, "column"), *every = yaml_find(n, "every"),
             *gaps = yaml_find(n, "gaps");
  int kinds = !yaml_is_null(column) + !yaml_is_null(every) + !yaml_is_null(gaps);
  if (kinds != 1)
    return reader_fail(r, n, ERR_VALUE, "'split' needs %s of column, every and gaps",
                       kinds ? "only one" : "one");
  const char *name;
  if (!yaml_is_null(column)) {
    if (!reader_text(r, column, "'column'", &name)) return false;
    s->column = reader_any_column(r, s->table, column->at, name);
    if (s->column < 0) return false;
  }
  return read_length(r, every, "'every'", &s->every) && read_length(r, gaps, "'gaps'", &s->gap) &&
         read_list(r, yaml_find(n, "only"), "'only'", &s->only) &&
         read_list(r, yaml_find(n, "validation"), "'validation'", &s->validation);
}

// ---------------------------------------------------------------- windows

static int item_count(const Yaml *n) {
  return yaml_is_null(n) ? 0 : n->kind == YAML_LIST ? n->items.count : 1;
}

static const Yaml *item_at(const Yaml *n, int i) {
  return n->kind == YAML_LIST ? n->items.at[i] : n;
}

int split_item_count(const Yaml *entry) {
  const Yaml *n = split_of(entry);
  return item_count(yaml_find(n, "only")) + item_count(yaml_find(n, "validation"));
}

// What a window is called by: what the column says, or its number, and which one of these it is.
typedef struct WindowLabel {
  const char *value;   // b
  const char *counted; // b-2: the second of them
} WindowLabel;

static bool names_label(const Yaml *item, const char *label) {
  double a, b;
  if (strcmp(item->text, label) == 0) return true;
  return number_parse(item->text, &a) && number_parse(label, &b) && a == b;
}

// An item names all windows of a value, or one of them by its count.
static bool lists_label(const Yaml *list, const WindowLabel *label, bool *used) {
  bool found = false;
  for (int i = 0; i < item_count(list); i++)
    if (names_label(item_at(list, i), label->value) ||
        strcmp(item_at(list, i)->text, label->counted) == 0)
      found = used[i] = true;
  return found;
}

// What the column says in a row, as text.
static const char *label_of(const WindowSplitter *s, int row, char out[32]) {
  const char *const *texts = table_texts(s->table, s->column);
  if (texts) return texts[row];
  number_format(s->table->column[s->column][row], out);
  return out;
}

// Every text of the column begins a window.
static void list_texts(WindowSplitter *s) {
  const char *const *texts = s->column < 0 ? NULL : table_texts(s->table, s->column);
  if (!texts) return;
  s->texts = names_new(s->r->scratch);
  for (int i = 0; i < s->table->rows; i++)
    if (!i || strcmp(texts[i], texts[i - 1]) != 0) names_set(s->texts, texts[i], 1);
}

static WindowLabel label_window(WindowSplitter *s, int row, int number) {
  char text[32];
  if (s->column < 0) {
    const char *name = arena_print(s->r->arena, "%d", number);
    return (WindowLabel){name, name};
  }
  const char *value = arena_print(s->r->arena, "%s", label_of(s, row, text));
  int count = names_find(s->seen, value);
  count = count < 0 ? 1 : count + 1;
  names_set(s->seen, value, count);
  const char *counted = arena_print(s->r->arena, "%s-%d", value, count);
  // Where the column has the text b-2, that is what b-2 means.
  if (s->texts && names_find(s->texts, counted) >= 0)
    counted = arena_print(s->r->arena, "%s (%d)", value, count);
  return (WindowLabel){value, counted};
}

static bool add_piece(WindowSplitter *s, int from, int to, int number) {
  if (number > PIECES_MOST)
    return reader_fail(s->r, s->node, ERR_LIMIT, "'split' makes more than %d windows of %.200s",
                       PIECES_MOST, s->table->file);
  WindowLabel label = label_window(s, from, number);
  bool first = s->column < 0 || names_find(s->seen, label.value) == 1;
  bool held_back = lists_label(s->validation, &label, s->used + item_count(s->only));
  bool listed = lists_label(s->only, &label, s->used) || !s->only;
  SplitPiece p = {.label = first ? label.value : label.counted, .validation = held_back};
  if (!listed && !held_back) return true;
  p.table = table_rows(s->r->arena, s->table, from, to);
  if (s->column < 0) { // else the rows around it may be those of another run
    p.rows_before = s->whole->rows_before + from;
    p.rows_after = s->whole->rows_after + s->table->rows - to;
  }
  array_push(s->r->arena, s->out, p);
  return true;
}

static bool check_column(const WindowSplitter *s) {
  const char *const *texts = table_texts(s->table, s->column);
  for (int i = 0; i < s->table->rows; i++)
    if (texts ? !texts[i][0] : isnan(s->table->column[s->column][i]))
      return reader_fail_place(s->r, (Place){s->table->file, s->table->line[i], 1}, ERR_DATA,
                               "row %d: column '%.80s', by which the file is split, is missing",
                               i + 1, s->table->names[s->column]);
  return true;
}

// Number of the window of 'every'. A sample on a border begins the next one; if it is the last, it ends the one before.
static double window_at(const WindowSplitter *s, int row) {
  const double *t = s->table->column[s->time];
  double k = (t[row] - t[0]) / s->every, near = round(k);
  bool border = fabs(k - near) <= SLACK * fmax(1, near);
  if (border && row == s->table->rows - 1 && near > 0) return near - 1;
  return border ? near : floor(k);
}

static bool begins(const WindowSplitter *s, int row) {
  const double *t = s->table->column[s->time];
  const char *const *texts = s->column >= 0 ? table_texts(s->table, s->column) : NULL;
  if (texts) return strcmp(texts[row], texts[row - 1]) != 0;
  if (s->column >= 0)
    return s->table->column[s->column][row] != s->table->column[s->column][row - 1];
  if (s->every > 0) return window_at(s, row) != window_at(s, row - 1);
  return t[row] - t[row - 1] > s->gap * (1 + SLACK) || t[row] < t[row - 1];
}

// Whether 'window' leaves some of these rows. Their times may not increase: that is an error later.
static bool has_rows(const WindowSplitter *s, int from, int to) {
  Table rows = *s->table;
  const double *time = rows.column[s->time] + from, *columns[1] = {time};
  ExperimentReader e = {.from = s->whole->from, .to = s->whole->to};
  int first, last;
  rows.column = columns, rows.rows = to - from;
  window_rows(&e, &rows, &first, &last);
  return first < last;
}

bool read_split(ProblemReader *r, const ExperimentReader *whole, bool *used, SplitPieces *out,
                bool *any) {
  WindowSplitter s = {.r = r, .node = split_of(whole->node), .table = whole->table, .used = used};
  s.whole = whole, *any = true;
  s.time = whole->time, s.column = -1, s.out = out, s.seen = names_new(r->scratch);
  if (!s.node) {
    array_push(r->arena, out, ((SplitPiece){.table = whole->table}));
    return true;
  }
  if (!read_spec(&s) || (s.column >= 0 && !check_column(&s))) return false;
  list_texts(&s);
  int first = 0, number = 0;
  for (int i = 1; i <= s.table->rows; i++) {
    if (i < s.table->rows && !begins(&s, i)) continue;
    if (has_rows(&s, first, i) && !add_piece(&s, first, i, ++number)) return false;
    first = i;
  }
  *any = number > 0 || !s.table->rows;
  return true;
}

bool split_check(ProblemReader *r, const Yaml *entry, const bool *used, const SplitPieces *all) {
  const Yaml *n = split_of(entry), *only = yaml_find(n, "only");
  int count = item_count(only);
  for (int i = 0; i < split_item_count(entry); i++) {
    if (used[i]) continue;
    const Yaml *item =
        i < count ? item_at(only, i) : item_at(yaml_find(n, "validation"), i - count);
    const char **known = ARENA_ARRAY(r->scratch, const char *, all->count + 1);
    for (int k = 0; k < all->count; k++) known[k] = all->at[k].label;
    if (all->count) return reader_unknown(r, item->at, "window", item->text, known, all->count);
    return reader_fail(r, item, ERR_NAME, "there is no window '%.100s'", item->text);
  }
  return true;
}
