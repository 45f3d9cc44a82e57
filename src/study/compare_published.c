#include "study/compare_published.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"

enum { FILE_MOST = 1 << 20, COLUMNS_MOST = 200 };

typedef struct FigureColumn {
  const char *name;
  size_t offset;
} FigureColumn;

static const FigureColumn FIGURES[] = {
#define FIGURE(name, meaning) {#name, offsetof(CompareFigures, name)},
    COMPARE_FIGURES
#undef FIGURE
};
enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES };

CompareFigures compare_figures_unknown(void) {
  CompareFigures f;
#define FIGURE(name, meaning) f.name = nan("");
  COMPARE_FIGURES
#undef FIGURE
  return f;
}

typedef struct PublishedReader {
  Arena *arena;
  const Problem *problem;
  const char *file;
  const char *at; // what has not been read
  int line;
  const char *cells[COLUMNS_MOST]; // of the present line
  int columns[COLUMNS_MOST];       // where each begins, from 1
  int cell_count;
  Published *out;
  int column_count;
  int figure[COLUMNS_MOST], number[COLUMNS_MOST], method; // what a column is, -1: not that
  ARRAY(PublishedRow) rows;
  Text source;
  Err *err;
} PublishedReader;

static bool wrong(PublishedReader *r, int cell, const char *format, const char *word) {
  Place at = {r->file, r->line, cell < r->cell_count ? r->columns[cell] : 1};
  return fail_at(r->err, ERR_DATA, at, format, word);
}

// ---------------------------------------------------------------- lines and cells

static void take_comment(PublishedReader *r, const char *line, size_t length) {
  line++, length--;
  while (length && strchr(" \t", *line)) line++, length--;
  if (r->source.length && length) text_add(&r->source, " ");
  text_add_bytes(&r->source, line, length);
}

static const char *take_quoted(PublishedReader *r, const char *at, const char *end,
                               const char **cell) {
  Text t;
  text_init(&t);
  for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++) {
    text_add_bytes(&t, at, 1);
    if (*at == '"') at++;
  }
  *cell = arena_copy(r->arena, t.at, t.length);
  text_done(&t);
  while (at < end && *at != ',') at++;
  return at;
}

static const char *take_plain(PublishedReader *r, const char *at, const char *end,
                              const char **cell) {
  const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end,
             *kept = stop;
  while (kept > at && strchr(" \t\r", kept[-1])) kept--;
  *cell = arena_copy(r->arena, at, (size_t)(kept - at));
  return stop;
}

static bool split_line(PublishedReader *r, const char *line, const char *end) {
  const char *at = line;
  r->cell_count = 0;
  for (;;) {
    while (at < end && strchr(" \t", *at)) at++;
    if (r->cell_count == COLUMNS_MOST) return wrong(r, 0, "%s", "too many columns");
    r->columns[r->cell_count] = (int)(at - line) + 1;
    const char **cell = &r->cells[r->cell_count++];
    at = at < end && *at == '"' ? take_quoted(r, at, end, cell) : take_plain(r, at, end, cell);
    if (at >= end) return true;
    at++;
  }
}

// The next line that is neither empty nor a comment; false at the end, or with an error.
static bool next_line(PublishedReader *r) {
  while (*r->at) {
    const char *line = r->at;
    size_t length = strcspn(line, "\n");
    r->at += length + (line[length] == '\n');
    r->line++;
    if (length && line[length - 1] == '\r') length--;
    if (line[0] == '#')
      take_comment(r, line, length);
    else if (strspn(line, " \t,") < length)
      return split_line(r, line, line + length);
  }
  return false;
}

// ---------------------------------------------------------------- columns

static int find_figure(const char *name) {
  for (int i = 0; i < FIGURE_COUNT; i++)
    if (strcmp(FIGURES[i].name, name) == 0) return i;
  return -1;
}

static int find_number(const Problem *p, const char *name) {
  for (int i = 0; i < p->unknown_count; i++)
    if (strcmp(p->unknowns[i].name, name) == 0) return i;
  return -1;
}

static bool fail_column(PublishedReader *r, int c) {
  Text list;
  text_init(&list);
  for (int i = 0; i < FIGURE_COUNT; i++) text_print(&list, ", %s", FIGURES[i].name);
  for (int i = 0; i < r->problem->unknown_count; i++)
    text_print(&list, ", %s", r->problem->unknowns[i].name);
  Place at = {r->file, r->line, r->columns[c]};
  fail_at(r->err, ERR_NAME, at, "unknown column '%.60s'; there can be: method%.600s", r->cells[c],
          list.at);
  text_done(&list);
  return false;
}

static bool read_head(PublishedReader *r) {
  r->column_count = r->cell_count;
  r->method = -1;
  for (int c = 0; c < r->cell_count; c++) {
    r->figure[c] = find_figure(r->cells[c]);
    r->number[c] = r->figure[c] < 0 ? find_number(r->problem, r->cells[c]) : -1;
    bool is_method = strcmp(r->cells[c], "method") == 0;
    if (is_method) r->method = c;
    if (!is_method && r->figure[c] < 0 && r->number[c] < 0) return fail_column(r, c);
  }
  return r->method >= 0 || wrong(r, 0, "%s", "one of the columns must be 'method'");
}

// ---------------------------------------------------------------- rows

static bool read_cell(PublishedReader *r, PublishedRow *row, int c) {
  double value = nan("");
  const char *text = r->cells[c];
  if (number_beyond(text)) return wrong(r, c, "'%.60s' is beyond the range of numbers", text);
  if (text[0] && !number_parse(text, &value))
    return wrong(r, c, "'%.60s' is not a number; leave a cell empty where the value is not known",
                 text);
  if (r->figure[c] >= 0)
    *(double *)((char *)&row->figures + FIGURES[r->figure[c]].offset) = value;
  else
    row->x[r->number[c]] = value;
  return true;
}

static bool read_row(PublishedReader *r) {
  int n = r->problem->unknown_count;
  PublishedRow row = {.figures = compare_figures_unknown(),
                      .x = ARENA_ARRAY(r->arena, double, n + 1)};
  for (int i = 0; i < n; i++) row.x[i] = nan("");
  if (r->cell_count != r->column_count)
    return wrong(r, 0, "%s", "the row must have as many cells as the first one names columns");
  if (!r->cells[r->method][0]) return wrong(r, r->method, "%s", "the method is missing");
  row.method = r->cells[r->method];
  for (int c = 0; c < r->cell_count; c++)
    if (c != r->method && !read_cell(r, &row, c)) return false;
  array_push(r->arena, &r->rows, row);
  return true;
}

static bool read_all(PublishedReader *r) {
  if (!next_line(r))
    return r->err->code ? false : wrong(r, 0, "%s", "there is no row that names the columns");
  if (!read_head(r)) return false;
  while (next_line(r))
    if (!read_row(r)) return false;
  return !r->err->code;
}

Published *published_parse(Arena *a, const Problem *p, const char *file, const char *text,
                           Err *err) {
  Err own = {0};
  PublishedReader r = {.arena = a, .problem = p, .file = file, .at = text, .err = &own};
  text_init(&r.source);
  bool ok = read_all(&r);
  Published *out = ok ? ARENA_NEW(a, Published) : NULL;
  if (ok)
    *out = (Published){arena_copy(a, r.source.at, r.source.length), r.rows.at, r.rows.count};
  else if (err && !err->code)
    *err = own;
  text_done(&r.source);
  return out;
}

Published *published_load(Arena *a, const Problem *p, const char *path, Err *err) {
  const char *text = file_read(a, path, FILE_MOST, NULL, err);
  return text ? published_parse(a, p, path, text, err) : NULL;
}
