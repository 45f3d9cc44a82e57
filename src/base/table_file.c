#include "base/table_file.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/file.h"
#include "base/text.h"

enum {
  BYTES_MOST = 1 << 30,
  NUMBERS_MOST = 1 << 27,
  NUMBER_MOST = 1000, // characters
  SHOWN_MOST = 60,    // characters of a word in a message
};

typedef struct TableReader {
  const char *file;
  const char *at, *end; // at a NUL behind the text, or before
  const char *line_start;
  int line;
  Err *err;
} TableReader;

typedef struct Header { // of a matrix
  const char *name;
  int name_length;
  int rows, columns;
} Header;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static bool wrong(TableReader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(TableReader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Place at = {r->file, r->line, (int)(r->at - r->line_start) + 1};
  fail_args(r->err, ERR_DATA, at, format, args);
  va_end(args);
  return false;
}

static void next_line(TableReader *r) {
  while (r->at < r->end && *r->at != '\n') r->at++;
  if (r->at < r->end) r->at++;
  r->line_start = r->at;
  r->line++;
}

// Blanks, separators if they are wanted, and comments to the end of the line; not the line itself.
static void skip_blanks(TableReader *r, bool separators) {
  while (r->at < r->end && (is_blank(*r->at) || (separators && (*r->at == ',' || *r->at == ';'))))
    r->at++;
  if (r->at < r->end && *r->at == '#')
    while (r->at < r->end && *r->at != '\n') r->at++;
}

static void skip_lines(TableReader *r, bool separators) {
  skip_blanks(r, separators);
  while (r->at < r->end && *r->at == '\n') {
    next_line(r);
    skip_blanks(r, separators);
  }
}

static int word_length(const TableReader *r) {
  const char *p = r->at;
  while (p < r->end && !is_blank(*p) && *p != '\n' && !strchr(",;()#", *p)) p++;
  return (int)(p - r->at);
}

static bool accept_word(TableReader *r, const char *word) {
  int n = word_length(r);
  if ((size_t)n != strlen(word) || memcmp(r->at, word, (size_t)n) != 0) return false;
  r->at += n;
  return true;
}

static int shown(int length) {
  return length < SHOWN_MOST ? length : SHOWN_MOST;
}

static bool expect(TableReader *r, char c, const char *where) {
  skip_blanks(r, false);
  if (r->at >= r->end || *r->at != c) return wrong(r, "expected '%c' %s", c, where);
  r->at++;
  return true;
}

static bool read_number(TableReader *r, double *value) {
  char copy[NUMBER_MOST + 1], *stop;
  int n = word_length(r);
  if (n == 0 || n > NUMBER_MOST) return wrong(r, "expected a number");
  memcpy(copy, r->at, (size_t)n);
  copy[n] = 0;
  *value = c_strtod(copy, &stop);
  if (*stop) return wrong(r, "'%.*s' is not a number", shown(n), copy);
  if (!isfinite(*value)) return wrong(r, "'%.*s' is not finite", shown(n), copy);
  r->at += n;
  return true;
}

static bool read_size(TableReader *r, int *size) {
  double value;
  skip_blanks(r, false);
  const char *at = r->at;
  if (!read_number(r, &value)) return false;
  if (value >= 1 && value <= NUMBERS_MOST && value == floor(value)) {
    *size = (int)value;
    return true;
  }
  r->at = at;
  return wrong(r, "a matrix has at least one row and one column, and not more than %d numbers",
               NUMBERS_MOST);
}

// header = ("double" | "float") name "(" rows "," columns ")"
static bool read_header(TableReader *r, Header *h) {
  if (!accept_word(r, "double") && !accept_word(r, "float"))
    return wrong(r, "expected a matrix such as double name(3,2)");
  skip_blanks(r, false);
  h->name = r->at;
  h->name_length = word_length(r);
  if (h->name_length == 0) return wrong(r, "expected the name of the matrix");
  r->at += h->name_length;
  if (!expect(r, '(', "after the name of the matrix") || !read_size(r, &h->rows) ||
      !expect(r, ',', "between rows and columns") || !read_size(r, &h->columns) ||
      !expect(r, ')', "after the columns"))
    return false;
  if ((double)h->rows * h->columns <= NUMBERS_MOST) return true;
  return wrong(r, "a matrix of more than %d numbers", NUMBERS_MOST);
}

// data: NULL for a matrix that is not wanted
static bool read_numbers(TableReader *r, const Header *h, double *data) {
  size_t count = (size_t)h->rows * (size_t)h->columns;
  for (size_t i = 0; i < count; i++) {
    double value;
    skip_lines(r, true);
    if (r->at >= r->end || (r->at[0] == 'd' || r->at[0] == 'f'))
      return wrong(r, "matrix %.*s(%d,%d) has %zu numbers only, not %zu", shown(h->name_length),
                   h->name, h->rows, h->columns, i, count);
    if (!read_number(r, &value)) return false;
    if (data) data[i] = value;
  }
  skip_blanks(r, true);
  return r->at >= r->end || *r->at == '\n' ||
         wrong(r, "matrix %.*s(%d,%d) has more than %zu numbers", shown(h->name_length), h->name,
               h->rows, h->columns, count);
}

static bool is_named(const Header *h, const char *name) {
  return strlen(name) == (size_t)h->name_length &&
         memcmp(h->name, name, (size_t)h->name_length) == 0;
}

static bool fail_name(TableReader *r, const char *name, const Text *known) {
  return fail(r->err, ERR_NAME, "%s has no matrix %.100s; there %s", r->file, name,
              known->length ? known->at : "is none");
}

static bool find_matrix(TableReader *r, Arena *a, const char *name, Text *known, Header *h,
                        double **data) {
  for (skip_lines(r, false); r->at < r->end; skip_lines(r, false)) {
    if (!read_header(r, h)) return false;
    bool wanted = is_named(h, name);
    if (wanted) *data = ARENA_ARRAY(a, double, (size_t)h->rows *(size_t)h->columns);
    if (!read_numbers(r, h, wanted ? *data : NULL)) return false;
    if (wanted) return true;
    if (known->length < 200)
      text_print(known, "%s%.*s", known->length ? ", " : "is ", shown(h->name_length), h->name);
  }
  return fail_name(r, name, known);
}

bool table_file_parse(Arena *a, const char *file, const char *text, size_t length, const char *name,
                      int *rows, int *columns, double **data, Err *err) {
  TableReader r = {file, text, text + length, text, 1, err};
  if (length >= 6 && memcmp(text, "MATLAB", 6) == 0)
    return fail(err, ERR_UNSUPPORTED,
                "%s is a MATLAB file; write its matrices as text, with #1 in "
                "the first line",
                file);
  if (length < 2 || memcmp(text, "#1", 2) != 0)
    return wrong(&r, "the first line of a file of tables is #1");
  Header h = {0};
  Text known;
  text_init(&known);
  bool ok = find_matrix(&r, a, name, &known, &h, data);
  if (ok) *rows = h.rows, *columns = h.columns;
  text_done(&known);
  return ok;
}

static bool ends_with(const char *path, const char *end) {
  size_t n = strlen(path), m = strlen(end);
  return n >= m && strcmp(path + n - m, end) == 0;
}

bool table_file_read(Arena *a, const char *path, const char *name, int *rows, int *columns,
                     double **data, Err *err) {
  if (ends_with(path, ".mat"))
    return fail(err, ERR_UNSUPPORTED,
                "%s is a MATLAB file; write its matrices as text, with #1 in the first line", path);
  Arena *scratch = arena_new();
  size_t length;
  const char *text = file_read(scratch, path, BYTES_MOST, &length, err);
  bool ok = text && table_file_parse(a, path, text, length, name, rows, columns, data, err);
  arena_free(scratch);
  return ok;
}
