#include "base/csv.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/c_locale.h"
#include "base/file.h"
#include "base/names.h"
#include "base/patience.h"
#include "base/text.h"
#include "base/visible.h"

enum {
  NUMBER_MOST = 1000, // characters; 800 digits decide the rounding of any double
  SHOWN_MOST = 40,    // bytes of a cell in a message
  LISTED_MOST = 8,    // column names in a message
};

typedef struct CsvReader {
  Arena *arena, *scratch; // for the table, for this call
  const char *file;
  const char *at, *end;             // the text not yet read
  const char *begin, *eol;          // the current line without its end
  int line, skipped;                // characters of the line before begin
  double *const *values;            // of the table, by column
  char separator;                   // ' ': any number of blanks and tabs
  bool closed;                      // the header ends with a separator
  bool blank_rows;                  // rows of empty cells count
  bool empty_lines;                 // they are rows of empty cells: there is one column
  int skipped_lines, first_skipped; // empty ones so far, and the first of them
  // The last two comments before the first line, from the # to the end of the line: NULL, none.
  struct Comment {
    const char *begin, *eol;
    int line;
  } comment[2];
  struct CellMoments *moments; // by column
  const char ***texts;         // by column, then by row; NULL: it has numbers so far
  const char ***words;         // the same of words for missing values; NULL: none so far
  const Err **fault;           // by column: why it cannot be used; NULL: nothing so far
  Err *err;
} CsvReader;

// What a column far from 0, or of times of day, holds beyond doubles.
typedef struct CellMoments {
  double *since; // NULL: nothing yet
  int count;     // values there are in it
  bool broken;   // a value is not exact
  ColumnOrigin origin;
} CellMoments;

// A cell without the blanks around it; of a quoted cell the text between the quotes, where "" means ".
typedef struct Cell {
  const char *begin, *end;
  bool quoted;
} Cell;

typedef ARRAY(Cell) Cells;

// ---- numbers

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; // all exact

#if LDBL_MANT_DIG == 64
static const long double LONG_POWERS[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                          1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                          1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                          1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

// digits * 10^exponent with one rounding to 64 bits; false if that could change the rounding to 53.
static bool scale_long(uint64_t digits, int exponent, double *value) {
  if (exponent < -27 || exponent > 27) return false;
  long double x = (long double)digits;
  if (exponent < 0)
    x /= LONG_POWERS[-exponent];
  else
    x *= LONG_POWERS[exponent];
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int beyond = (int)(bits & 0x7ff); // the half of the last place is 0x400
  if (beyond >= 0x3ff && beyond <= 0x401) return false;
  *value = (double)x;
  return true;
}
#else
static bool scale_long(uint64_t digits, int exponent, double *value) {
  (void)digits, (void)exponent, (void)value;
  return false;
}
#endif

// W. D. Clinger, How to read floating point numbers accurately (1990): exact factors, one rounding.
static bool scale(uint64_t digits, int exponent, double *value) {
  if (digits == 0) {
    *value = 0;
    return true;
  }
  if (digits > (uint64_t)1 << 53 || exponent < -22 || exponent > 22)
    return scale_long(digits, exponent, value);
  if (exponent < 0)
    *value = (double)digits / POWERS[-exponent];
  else
    *value = (double)digits * POWERS[exponent];
  return true;
}

static bool convert_slowly(const char *begin, const char *end, double *value) {
  char copy[NUMBER_MOST + 1];
  size_t length = (size_t)(end - begin);
  if (length > NUMBER_MOST) return false;
  memcpy(copy, begin, length);
  copy[length] = 0;
  char *comma = strchr(copy, ',');
  if (comma) *comma = '.';
  *value = c_strtod(copy, NULL);
  return true;
}

typedef struct Digits {
  uint64_t value;
  int count, exponent; // of the value
  bool any, cut;       // cut: there were more than fit
} Digits;

static const char *scan_digits(const char *p, const char *end, bool fraction, Digits *d) {
  for (; p < end && (unsigned)(*p - '0') <= 9; p++) {
    d->any = true;
    if (d->count < 19) {
      d->value = 10 * d->value + (unsigned)(*p - '0');
      d->count += d->value != 0;
      d->exponent -= fraction;
    } else {
      d->cut = d->cut || *p != '0';
      d->exponent += !fraction;
    }
  }
  return p;
}

// NULL: there is an e without exponent.
static const char *scan_exponent(const char *p, const char *end, int *exponent) {
  if (p == end || (*p != 'e' && *p != 'E')) return p;
  p++;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || (unsigned)(*p - '0') > 9) return NULL;
  int value = 0;
  for (; p < end && (unsigned)(*p - '0') <= 9; p++)
    if (value < 100000) value = 10 * value + (*p - '0');
  *exponent += negative ? -value : value;
  return p;
}

// Reads the longest decimal number at p, correctly rounded. Returns its end, or NULL.
static const char *scan_number(const char *p, const char *end, bool comma, double *value) {
  const char *begin = p;
  Digits d = {0};
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  p = scan_digits(p, end, false, &d);
  if (p < end && (*p == '.' || (comma && *p == ','))) p = scan_digits(p + 1, end, true, &d);
  if (!d.any) return NULL;
  p = scan_exponent(p, end, &d.exponent);
  if (!p) return NULL;
  if (d.cut || !scale(d.value, d.exponent, value))
    return convert_slowly(begin, p, value) ? p : NULL;
  if (negative) *value = -*value;
  return p;
}

static bool is_number(const CsvReader *r, Cell c, double *value) {
  return scan_number(c.begin, c.end, r->separator == ';', value) == c.end;
}

static bool is_word(Cell c, const char *word) {
  size_t length = strlen(word);
  return (size_t)(c.end - c.begin) == length &&
         strncasecmp_l(c.begin, word, length, c_locale()) == 0;
}

static bool is_missing(Cell c) {
  if (!c.quoted && c.begin < c.end && (*c.begin == '-' || *c.begin == '+')) // -nan, as printf says
    return is_word((Cell){c.begin + 1, c.end, false}, "nan");
  return c.begin == c.end || is_word(c, "nan") || is_word(c, "na");
}

// Among texts these are words as any others.
static bool is_word_for_missing(Cell c) {
  static const char *const WORDS[] = {"n/a", "n.a.", "#n/a", "null", "none"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    if (is_word(c, WORDS[i])) return true;
  return false;
}

// ---- far from 0

// From here on the rounding of doubles matters for times: 1e8 s with ns.
static const double FAR = 1e8;

__extension__ typedef __int128 Wide;

// digits * 10^exponent of a plain number; false: too many digits.
static bool read_decimal(const char *p, const char *end, bool comma, ColumnOrigin *out) {
  Digits d = {0};
  out->negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  p = scan_digits(p, end, false, &d);
  if (p < end && (*p == '.' || (comma && *p == ','))) p = scan_digits(p + 1, end, true, &d);
  if (d.cut || !scan_exponent(p, end, &d.exponent) || d.value > INT64_MAX) return false;
  out->digits = d.value, out->exponent = d.exponent;
  return true;
}

static Wide power_of_ten(int n) {
  Wide x = 1;
  for (; n > 0; n--) x *= 10;
  return x;
}

// a - b, with one rounding if the result has no more than 16 digits.
static bool difference(const ColumnOrigin *a, const ColumnOrigin *b, double *out) {
  int low = a->exponent < b->exponent ? a->exponent : b->exponent;
  int up_a = a->exponent - low, up_b = b->exponent - low;
  if (up_a > 18 || up_b > 18 || low < -22 || low > 22) return false;
  Wide x = (Wide)a->digits * power_of_ten(up_a), y = (Wide)b->digits * power_of_ten(up_b);
  x = (a->negative ? -x : x) - (b->negative ? -y : y);
  *out = low < 0 ? (double)((long double)x / (long double)POWERS[-low]) : (double)x * POWERS[low];
  if (x < ((Wide)1 << 53) && x > -((Wide)1 << 53) && low < 0) *out = (double)x / POWERS[-low];
  return true;
}

bool column_since(const ColumnOrigin *o, const char *text, double *out) {
  ColumnOrigin here = {0};
  const char *end = text + strlen(text);
  double value;
  return scan_number(text, end, false, &value) == end && read_decimal(text, end, false, &here) &&
         difference(&here, o, out);
}

static CellMoments *moments_of(CsvReader *r, int column, int rows) {
  CellMoments *m = &r->moments[column];
  if (!m->since) m->since = ARENA_ARRAY(r->arena, double, rows);
  return m;
}

static void note_number(CsvReader *r, int column, int row, int most, const char *p,
                        const char *end) {
  CellMoments *m = moments_of(r, column, most);
  ColumnOrigin here = {0};
  if (m->broken) return;
  m->broken = !read_decimal(p, end, r->separator == ';', &here);
  if (m->count == 0) m->origin = here;
  m->broken = m->broken || m->origin.is_stamp || !difference(&here, &m->origin, &m->since[row]);
  m->count++;
}

// ---- lines and cells

static bool is_blank(const CsvReader *r, char c) {
  return c == ' ' || (c == '\t' && r->separator != '\t');
}

static const char *skip_blanks(const CsvReader *r, const char *p) {
  while (p < r->eol && is_blank(r, *p)) p++;
  return p;
}

static bool is_separator(const CsvReader *r, char c) {
  return r->separator == ' ' ? is_blank(r, c) : c == r->separator;
}

// Where a cell ends whose text ends at p: at a separator, of many blanks at the last one, or at the end of the line. NULL:
// other text follows.
static const char *end_of_cell(const CsvReader *r, const char *p) {
  const char *next = skip_blanks(r, p);
  if (next == r->eol || (r->separator != ' ' && *next == r->separator)) return next;
  return r->separator == ' ' && next > p ? next - 1 : NULL;
}

// #N/A in the first cell begins no comment.
static bool is_comment(const CsvReader *r, const char *first) {
  const char *end = first;
  while (end < r->eol && !is_separator(r, *end) && !is_blank(r, *end)) end++;
  return first < r->eol && *first == '#' && !is_word_for_missing((Cell){first, end, false});
}

// To the next line that is neither empty, where that does not count, nor a comment.
static bool next_line(CsvReader *r) {
  while (r->at < r->end) {
    r->begin = r->at;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->eol = newline ? newline : r->end;
    r->at = newline ? newline + 1 : r->end;
    r->line++;
    if (r->eol > r->begin && r->eol[-1] == '\r') r->eol--;
    const char *first = skip_blanks(r, r->begin);
    if (first == r->eol && !r->empty_lines) {
      if (!r->skipped_lines++) r->first_skipped = r->line;
      continue;
    }
    if (!is_comment(r, first)) return true;
    r->comment[0] = r->comment[1];
    r->comment[1] = (struct Comment){first, r->eol, r->line};
  }
  return false;
}

static Place place(const CsvReader *r, const char *p) {
  int column = 1 + r->skipped;
  for (const char *c = r->begin; c < p; c++) column += ((unsigned char)*c & 0xc0) != 0x80;
  return (Place){r->file, r->line, column};
}

// Returns the end of the cell at p: a separator or the end of the line. NULL: the quotes are wrong.
static const char *read_cell(CsvReader *r, const char *p, Cell *c) {
  p = skip_blanks(r, p);
  *c = (Cell){p, p, p < r->eol && *p == '"'};
  if (c->quoted) {
    for (p++; p < r->eol && (*p != '"' || (p + 1 < r->eol && p[1] == '"')); p++) p += *p == '"';
    if (p == r->eol) {
      fail_at(r->err, ERR_DATA, place(r, c->begin), "the quote is not closed in this line");
      return NULL;
    }
    c->begin++;
    c->end = p++;
    const char *next = end_of_cell(r, p);
    if (!next)
      fail_at(r->err, ERR_DATA, place(r, skip_blanks(r, p)),
              "a separator must follow the closing quote");
    return next;
  }
  while (p < r->eol && !is_separator(r, *p)) p++;
  for (c->end = p; c->end > c->begin && is_blank(r, c->end[-1]); c->end--) continue;
  return end_of_cell(r, p);
}

static const char *copy_cell(Arena *a, Cell c) {
  char *copy = arena_copy(a, c.begin, (size_t)(c.end - c.begin)), *to = copy;
  if (!c.quoted) return visible(a, copy);
  for (const char *from = copy; *from; from++) {
    *to++ = *from;
    if (from[0] == '"' && from[1] == '"') from++;
  }
  *to = 0;
  return visible(a, copy);
}

static int count_words(const CsvReader *r) {
  int count = 0;
  bool quoted = false, inside = false;
  for (const char *p = r->begin; p < r->eol; p++) {
    bool blank = !quoted && is_blank(r, *p);
    count += !blank && !inside;
    inside = !blank;
    quoted ^= *p == '"';
  }
  return count;
}

static int count_cells(const CsvReader *r) {
  int count = 1;
  bool quoted = false;
  if (r->separator == ' ') return count_words(r);
  for (const char *p = r->begin; p < r->eol; p++) {
    quoted ^= *p == '"';
    count += !quoted && *p == r->separator;
  }
  return count;
}

// A cell for a message: shortened.
static const char *show(Cell c, char out[SHOWN_MOST + 4]) {
  size_t length = (size_t)(c.end - c.begin), n = length < SHOWN_MOST ? length : SHOWN_MOST;
  while (n > 0 && n < length && ((unsigned char)c.begin[n] & 0xc0) == 0x80) n--;
  memcpy(out, c.begin, n);
  strcpy(out + n, n < length ? "..." : "");
  return out;
}

// ---- header

// The first of tab, semicolon, comma and blanks that gives both lines the same number of cells; else the most frequent, but
// not blanks, which may be parts of names.
static char choose_separator(CsvReader first, const CsvReader *row) {
  static const char CANDIDATES[] = "\t;, ";
  char best = ',';
  int most = 1;
  for (const char *c = CANDIDATES; *c; c++) {
    CsvReader second = row ? *row : first;
    first.separator = second.separator = *c;
    int cells = count_cells(&first);
    if (cells > 1 && row && count_cells(&second) == cells) return *c;
    if (cells > most && *c != ' ') {
      most = cells;
      best = *c;
    }
  }
  return best;
}

static bool split_line(CsvReader *r, Cells *cells) {
  const char *p = r->begin;
  for (;; p++) {
    Cell c;
    p = read_cell(r, p, &c);
    if (!p) return false;
    array_push(r->scratch, cells, c);
    if (p == r->eol) return true;
  }
}

// Numbers, times of day and missing values, not only the last.
static bool are_values(const CsvReader *r, const Cells *cells) {
  bool number = false;
  for (int i = 0; i < cells->count; i++) {
    double value;
    Timestamp stamp;
    Cell c = cells->at[i];
    if (timestamp_parse(c.begin, c.end, &stamp)) {
      number = true;
      continue;
    }
    bool missing = is_missing(c) || is_word_for_missing(c);
    if (c.quoted || !(is_number(r, c, &value) || missing)) return false;
    number = number || !missing;
  }
  return number;
}

static bool fail_numbers(CsvReader *r, const Cells *cells) {
  char sample[64] = "time";
  for (int i = 1; i < cells->count && i < 4; i++)
    c_snprintf(sample + strlen(sample), 8, "%cx%d", r->separator, i);
  if (cells->count > 4) c_snprintf(sample + strlen(sample), 8, "%c...", r->separator);
  return fail_at(r->err, ERR_DATA, place(r, r->begin),
                 "the first row contains numbers; write a header row with the names of the"
                 " columns above it, such as: %s",
                 sample);
}

static bool add_name(CsvReader *r, Names *names, const char *name, Cell c) {
  int number = names_count(names) + 1, other = names_find(names, name);
  if (!*name) return fail_at(r->err, ERR_DATA, place(r, c.begin), "column %d has no name", number);
  if (other >= 0)
    return fail_at(r->err, ERR_NAME, place(r, c.begin), "columns %d and %d have the same name '%s'",
                   other + 1, number, name);
  names_set(names, name, number - 1);
  return true;
}

// pandas.DataFrame.to_csv leaves the name of the index out, which is the first column.
static bool is_index(const Cells *cells, int columns, int i) {
  const Cell *c = &cells->at[i];
  if (i || columns < 2 || c->begin != c->end) return false;
  for (int k = 1; k < columns; k++)
    if (is_word(cells->at[k], "index")) return false;
  return true;
}

static bool add_names(CsvReader *r, Table *t, const Cells *cells) {
  Cell last = cells->at[cells->count - 1];
  r->closed = cells->count > 1 && last.begin == last.end && !last.quoted;
  t->columns = cells->count - r->closed;
  const char **copies = ARENA_ARRAY(r->arena, const char *, t->columns);
  Names *names = names_new(r->arena);
  for (int i = 0; i < t->columns; i++) {
    t->has_index = t->has_index || is_index(cells, t->columns, i);
    copies[i] = i == 0 && t->has_index ? "index" : copy_cell(r->arena, cells->at[i]);
    if (!add_name(r, names, copies[i], cells->at[i])) return false;
  }
  t->names = copies;
  t->by_name = names;
  return true;
}

// ---- units

static bool is_plain_unit(Cell c) {
  return is_word(c, "1") || is_word(c, "-");
}

// A word that does not look like a number.
static bool looks_like_unit(Cell c) {
  if (c.begin == c.end || is_plain_unit(c)) return true;
  if (is_missing(c) || is_word(c, "inf")) return false;
  bool reciprocal = c.end - c.begin > 2 && c.begin[0] == '1' && c.begin[1] == '/';
  return reciprocal || !strchr("0123456789+-.,", *c.begin);
}

static bool is_units_row(const Cells *cells) {
  bool word = false;
  for (int i = 0; i < cells->count; i++) {
    Cell c = cells->at[i];
    if (!looks_like_unit(c)) return false;
    word = word || (c.begin < c.end && !is_plain_unit(c) && !is_word_for_missing(c));
  }
  return word;
}

// [m/s] and (m/s) mean m/s.
static Cell without_brackets(Cell c) {
  if (c.end - c.begin < 2) return c;
  char first = *c.begin, last = c.end[-1];
  if ((first == '[' && last == ']') || (first == '(' && last == ')')) {
    c.begin++;
    c.end--;
  }
  return c;
}

static bool fail_ragged(CsvReader *r, const Table *t, const char *p) {
  int cells = count_cells(r);
  return fail_at(r->err, ERR_DATA, place(r, p), "this row has %d cell%s, but the header has %d",
                 cells, cells == 1 ? "" : "s", t->columns + r->closed);
}

static void add_units(CsvReader *r, Table *t, const Cells *cells) {
  const char **units = ARENA_ARRAY(r->arena, const char *, t->columns);
  for (int i = 0; i < t->columns; i++)
    units[i] = copy_cell(r->arena, without_brackets(cells->at[i]));
  t->units = units;
}

// Reads a row of units; leaves a row of numbers unread.
static bool read_units(CsvReader *r, Table *t) {
  CsvReader before = *r;
  Cells cells = {0};
  if (!next_line(r)) return true;
  if (!split_line(r, &cells)) return false;
  if (!is_units_row(&cells)) {
    *r = before;
    return true;
  }
  if (cells.count != t->columns + r->closed) return fail_ragged(r, t, r->eol);
  add_units(r, t, &cells);
  return true;
}

// ---- headers in comments, as numpy.savetxt writes them

static int filled(const Cells *cells) { // without a last one that is empty
  Cell last = cells->at[cells->count - 1];
  return cells->count - (cells->count > 1 && last.begin == last.end && !last.quoted);
}

// The reader at the text of a comment.
static CsvReader at_comment(const CsvReader *row, const struct Comment *c) {
  CsvReader h = *row;
  Err *none = NULL;
  h.begin = c->begin, h.eol = c->eol, h.line = c->line, h.err = none;
  while (h.begin < h.eol && (*h.begin == '#' || is_blank(&h, *h.begin))) h.begin++, h.skipped++;
  return h;
}

static bool are_bracketed(const Cells *cells, int count) {
  bool any = false;
  for (int i = 0; i < count; i++) {
    Cell c = cells->at[i];
    if (c.begin == c.end) continue;
    if (without_brackets(c).begin == c.begin) return false;
    any = true;
  }
  return any;
}

static bool split_comment(CsvReader *h, int cells, Cells *out) {
  return h->begin < h->eol && split_line(h, out) && filled(out) == cells && !are_values(h, out);
}

// The last comment before the numbers holds the names, or names stand above units in brackets. row: the first numbers.
static bool header_from_comments(CsvReader *r, Table *t, const Cells *row) {
  if (!r->comment[1].begin) return fail_numbers(r, row);
  CsvReader h = at_comment(r, &r->comment[1]), above = h;
  Cells numbers = {0}, cells = {0}, names = {0};
  char separator = choose_separator(h, r);
  if (separator != r->separator) r->separator = separator;
  h.separator = separator;
  if (!split_line(r, &numbers)) return false;
  int count = filled(&numbers);
  if (!split_comment(&h, count, &cells)) return fail_numbers(r, row);
  bool units = r->comment[0].begin && are_bracketed(&cells, count);
  if (units) {
    above = at_comment(r, &r->comment[0]);
    units = split_comment(&above, count, &names);
  }
  CsvReader *at = units ? &above : &h;
  at->err = r->err;
  bool ok = add_names(at, t, units ? &names : &cells);
  r->closed = at->closed;
  if (ok && units) add_units(r, t, &cells);
  return ok;
}

static bool read_header(CsvReader *r, Table *t) {
  CsvReader before = *r, second;
  Cells cells = {0};
  if (!next_line(r)) {
    return fail_at(r->err, ERR_DATA, (Place){.file = r->file},
                   "the file contains no table; it must begin with a row of column names");
  }
  second = *r;
  bool two = next_line(&second);
  r->separator = choose_separator(*r, two ? &second : NULL);
  if (!split_line(r, &cells)) return false;
  if (!are_values(r, &cells)) return add_names(r, t, &cells) && read_units(r, t);
  if (!header_from_comments(r, t, &cells)) return false;
  before.separator = r->separator, before.closed = r->closed;
  *r = before; // the numbers are read once more, as a row
  return true;
}

// ---- rows

static const char *hint(const CsvReader *r, const Table *t, Cell c) {
  size_t length = (size_t)(c.end - c.begin);
  if (t->columns == 1 && length > 0 &&
      (memchr(c.begin, ' ', length) || memchr(c.begin, '\t', length)))
    return "; columns are separated by comma, semicolon, tab or blanks, alike in the header and in "
           "all rows";
  if (r->separator == '\t' && length > 0 && memchr(c.begin, ',', length))
    return "; a decimal comma needs semicolons between the columns";
  if (length > 1 && strchr("0123456789.+-", *c.begin) &&
      (memchr(c.begin, 'D', length) || memchr(c.begin, 'd', length)))
    return "; exponents are written with e, as in 1.5e3";
  return timestamp_hint(c.begin, c.end);
}

// Who uses the column gets the first fault as an error; who does not reads on.
static void spoil(CsvReader *r, int column, Place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void spoil(CsvReader *r, int column, Place at, const char *format, ...) {
  va_list args;
  if (r->fault[column]) return;
  Err *fault = ARENA_NEW(r->arena, Err);
  va_start(args, format);
  fail_args(fault, ERR_DATA, at, format, args);
  va_end(args);
  r->fault[column] = fault;
}

// A time of day. All of a column have a zone, or none.
static void note_stamp(CsvReader *r, const Table *t, int column, int most, Cell c,
                       const Timestamp *stamp, double *value) {
  CellMoments *m = moments_of(r, column, most);
  ColumnOrigin *o = &m->origin;
  char shown[SHOWN_MOST + 4];
  *value = (double)stamp->seconds + 1e-9 * stamp->nanoseconds;
  if (m->count == 0) *o = (ColumnOrigin){.is_stamp = true, .stamp = *stamp};
  m->since[t->rows] = timestamp_since(stamp, &o->stamp);
  m->count++;
  if (!o->is_stamp)
    spoil(r, column, place(r, c.begin),
          "'%s' is a time of day, but column '%s' has numbers above it", show(c, shown),
          t->names[column]);
  else if (o->stamp.zoned != stamp->zoned)
    spoil(r, column, place(r, c.begin),
          "'%s' has %s zone (Z, +01:00), but the times above it in column '%s' have %s",
          show(c, shown), stamp->zoned ? "a" : "no", t->names[column],
          stamp->zoned ? "none" : "one");
}

// A word, not a number that is misspelt.
static bool is_text(Cell c) {
  unsigned char first = (unsigned char)*c.begin;
  bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first >= 0x80;
  return (letter || first == '_' || c.quoted) && !is_word(c, "inf") && !is_word(c, "infinity");
}

static bool has_numbers(const CsvReader *r, const Table *t, int column, double *const *values) {
  if (r->moments[column].count) return true;
  for (int i = 0; i < t->rows; i++)
    if (!isnan(values[column][i])) return true;
  return false;
}

// The texts of a column in which nothing but missing values is so far.
static const char **no_texts(CsvReader *r, const Table *t, int most) {
  const char **texts = ARENA_ARRAY(r->arena, const char *, most + 1);
  for (int i = 0; i < t->rows; i++) texts[i] = "";
  return texts;
}

// Keeps a text in a column of texts, and begins one where no number is above it.
static bool note_text(CsvReader *r, const Table *t, int column, int most, Cell c) {
  if (!r->texts[column]) {
    if (!is_text(c) || has_numbers(r, t, column, r->values)) return false;
    r->texts[column] = r->words[column] ? r->words[column] : no_texts(r, t, most);
  }
  r->texts[column][t->rows] = copy_cell(r->arena, c);
  return true;
}

// Of a column that has no texts so far.
static void note_word(CsvReader *r, const Table *t, int column, int most, Cell c) {
  if (!r->words[column]) r->words[column] = no_texts(r, t, most);
  r->words[column][t->rows] = copy_cell(r->arena, c);
}

// Reads the cell at p if it is not a plain number. Returns its end, or NULL.
static const char *read_odd_cell(CsvReader *r, const Table *t, const char *p, int column, int most,
                                 double *value) {
  Cell c;
  char shown[SHOWN_MOST + 4];
  Timestamp stamp;
  double number = 0;
  p = read_cell(r, p, &c);
  *value = (double)NAN;
  if (!p || r->fault[column]) return p;
  bool texts = r->texts[column] != NULL, is_value = is_number(r, c, &number);
  if (is_missing(c)) {
    if (texts) r->texts[column][t->rows] = "";
    if (r->words[column]) r->words[column][t->rows] = "";
    return p;
  }
  if (texts && note_text(r, t, column, most, c)) return p;
  if (is_word_for_missing(c)) {
    note_word(r, t, column, most, c);
    return p;
  }
  if (is_value && isfinite(number)) {
    *value = number;
    if (fabs(number) >= FAR) note_number(r, column, t->rows, most, c.begin, c.end);
    return p;
  }
  if (timestamp_parse(c.begin, c.end, &stamp)) {
    note_stamp(r, t, column, most, c, &stamp, value);
    return p;
  }
  if (!is_value && note_text(r, t, column, most, c)) return p;
  spoil(r, column, place(r, c.begin), "'%s' %s (column '%s')%s", show(c, shown),
        is_value ? "is too large" : "is not a number", t->names[column], hint(r, t, c));
  return p;
}

static const char *read_value(CsvReader *r, const Table *t, const char *p, int column, int most,
                              double *value) {
  const char *first = skip_blanks(r, p);
  const char *last = scan_number(first, r->eol, r->separator == ';', value);
  if (r->texts[column] || r->fault[column]) last = NULL; // 12 is a text there, too
  if (last && isfinite(*value)) {
    const char *end = end_of_cell(r, last);
    if (end && fabs(*value) >= FAR) note_number(r, column, t->rows, most, first, last);
    if (end) return end;
  }
  return read_odd_cell(r, t, p, column, most, value);
}

// A separator may follow the last cell, in the header or not.
static bool read_row(CsvReader *r, const Table *t, int most, double **column) {
  const char *p = r->begin;
  for (int c = 0; c < t->columns; c++) {
    if (c > 0 && p == r->eol) return fail_ragged(r, t, p);
    p = read_value(r, t, c > 0 ? p + 1 : p, c, most, &column[c][t->rows]);
    if (!p) return false;
  }
  if (p == r->eol) return true;
  if (r->separator != ' ' && skip_blanks(r, p + 1) == r->eol) return true;
  return fail_ragged(r, t, p);
}

// Upper bound on the number of rows: by the lines left, and by the separators that a row needs.
static int count_rows_at_most(const CsvReader *r, const Table *t) {
  size_t lines = 1, bytes = (size_t)(r->end - r->at), most = bytes / (size_t)t->columns + 1;
  for (const char *p = r->at; (p = memchr(p, '\n', (size_t)(r->end - p))); p++) lines++;
  return (int)(lines < most ? lines : most);
}

// A row of empty cells, as spreadsheets leave them below a table.
static bool is_hollow(const CsvReader *r) {
  const char *p = r->begin;
  while (p < r->eol && (*p == r->separator || is_blank(r, *p))) p++;
  return p == r->eol;
}

static void spoil_mixed(CsvReader *r, const Table *t, int column) {
  const CellMoments *m = &r->moments[column];
  int row = 0; // the first that is not a time of day; since is 0 there, too
  while (row < t->rows && (isnan(t->column[column][row]) || m->since[row] != 0 ||
                           t->column[column][row] == (double)m->origin.stamp.seconds +
                                                         1e-9 * m->origin.stamp.nanoseconds))
    row++;
  spoil(r, column, (Place){r->file, t->line[row < t->rows ? row : 0], 1},
        "column '%s' has times of day and numbers", t->names[column]);
}

// Columns in which all values are far from 0, or times of day.
static void keep_moments(CsvReader *r, Table *t) {
  ColumnOrigin *kept = NULL;
  for (int c = 0; c < t->columns; c++) {
    CellMoments *m = &r->moments[c];
    if (!m->since || r->fault[c]) continue;
    int present = 0;
    for (int i = 0; i < t->rows; i++) present += !isnan(t->column[c][i]);
    if (m->origin.is_stamp && m->count != present) spoil_mixed(r, t, c);
    if (m->broken || m->count != present) continue;
    if (!kept) t->origin = kept = ARENA_ARRAY(r->arena, ColumnOrigin, t->columns);
    kept[c] = m->origin;
    kept[c].since = m->since;
  }
}

enum { WORK_OF_CELL = 50 }; // for patience

static bool read_rows(CsvReader *r, Table *t) {
  int most = count_rows_at_most(r, t);
  double **column = ARENA_ARRAY(r->arena, double *, t->columns);
  int *line = ARENA_ARRAY(r->arena, int, most);
  for (int c = 0; c < t->columns; c++) column[c] = ARENA_ARRAY(r->arena, double, most);
  t->column = (const double *const *)column;
  t->line = line;
  r->moments = ARENA_ARRAY(r->scratch, CellMoments, t->columns);
  r->texts = ARENA_ARRAY(r->arena, const char **, t->columns);
  r->words = ARENA_ARRAY(r->scratch, const char **, t->columns);
  r->fault = ARENA_ARRAY(r->arena, const Err *, t->columns);
  r->values = column;
  r->empty_lines = r->blank_rows && t->columns == 1;
  int filled = 0; // rows to the last that is not blank
  while (next_line(r)) {
    if (!patience_lasts(WORK_OF_CELL * (long)t->columns))
      return fail_at(r->err, ERR_STOPPED, (Place){.file = r->file}, "stopped while it was read");
    bool blank = is_hollow(r);
    if (blank && !r->blank_rows) continue;
    if (t->rows == most) return fail_ragged(r, t, r->eol); // too short for its cells
    if (!read_row(r, t, most, column)) return false;
    if (!t->rows) r->skipped_lines = 0;
    line[t->rows++] = r->line;
    if (blank) continue;
    filled = t->rows;
    t->skipped_lines = r->skipped_lines, t->first_skipped = r->first_skipped;
  }
  t->rows = filled;
  keep_moments(r, t);
  for (int c = 0; c < t->columns; c++) {
    if (r->texts[c]) t->texts = (const char *const *const *)r->texts;
    if (r->fault[c]) t->fault = r->fault;
  }
  return true;
}

// ---- the table

static bool check_encoding(CsvReader *r) {
  size_t length = (size_t)(r->end - r->at);
  if (length >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
  if (length >= 2 && (memcmp(r->at, "\xff\xfe", 2) == 0 || memcmp(r->at, "\xfe\xff", 2) == 0))
    return fail_at(r->err, ERR_DATA, (Place){.file = r->file},
                   "this is UTF-16 text; save it as UTF-8");
  length = (size_t)(r->end - r->at);
  const char *nul = memchr(r->at, 0, length);
  if (nul) {
    r->begin = r->at, r->line = 1;
    for (const char *p = r->at; (p = memchr(p, '\n', (size_t)(nul - p))); r->line++) r->begin = ++p;
    return fail_at(r->err, ERR_DATA, place(r, nul),
                   "there is a NUL byte: the file is damaged, or no UTF-8 text");
  }
  if (!memchr(r->at, '\n', length) && memchr(r->at, '\r', length))
    return fail_at(r->err, ERR_DATA, (Place){.file = r->file},
                   "its lines end with CR only; save it with LF or CR LF");
  return true;
}

static bool read_table(CsvReader *r, Table *t) {
  if (r->end - r->at > INT_MAX)
    return fail_at(r->err, ERR_LIMIT, (Place){.file = r->file}, "more than 2 GB of text");
  return check_encoding(r) && read_header(r, t) && read_rows(r, t);
}

static Table *parse(Arena *a, const char *file, const char *text, size_t length, bool blank_rows,
                    Err *err) {
  Table *t = ARENA_NEW(a, Table);
  t->file = visible(a, arena_copy(a, file, strlen(file)));
  CsvReader r = {.arena = a, .file = t->file, .at = text, .end = text + length, .err = err};
  r.blank_rows = blank_rows;
  r.scratch = arena_new();
  bool ok = read_table(&r, t);
  t->separator = r.separator;
  arena_free(r.scratch);
  return ok ? t : NULL;
}

Table *table_parse(Arena *a, const char *file, const char *text, size_t length, Err *err) {
  return parse(a, file, text, length, false, err);
}

Table *table_parse_rows(Arena *a, const char *file, const char *text, size_t length, Err *err) {
  return parse(a, file, text, length, true, err);
}

static Table *load(Arena *a, const char *path, bool blank_rows, Err *err) {
  Arena *scratch = arena_new();
  size_t length;
  const char *text = file_read(scratch, path, INT_MAX, &length, err);
  Table *t = text ? parse(a, path, text, length, blank_rows, err) : NULL;
  arena_free(scratch);
  return t;
}

Table *table_load(Arena *a, const char *path, Err *err) {
  return load(a, path, false, err);
}

Table *table_load_rows(Arena *a, const char *path, Err *err) {
  return load(a, path, true, err);
}

Table *table_rows(Arena *a, const Table *t, int from, int to) {
  Table *out = ARENA_NEW(a, Table);
  const double **column = ARENA_ARRAY(a, const double *, t->columns + 1);
  const char *const **texts = ARENA_ARRAY(a, const char *const *, t->columns + 1);
  for (int i = 0; i < t->columns + t->has_row_times; i++) column[i] = t->column[i] + from;
  for (int i = 0; i < t->columns && t->texts; i++)
    texts[i] = t->texts[i] ? t->texts[i] + from : NULL;
  *out = *t;
  out->column = column, out->line = t->line + from, out->rows = to - from;
  out->texts = t->texts ? texts : NULL;
  out->origin = NULL; // its differences are those of all rows
  return out;
}

int table_find(const Table *t, const char *name) {
  return names_find(t->by_name, name);
}

const char *const *table_texts(const Table *t, int column) {
  return t->texts && column < t->columns ? t->texts[column] : NULL;
}

const char *table_cell(Arena *a, const Table *t, int row, int column) {
  Err unused = {0};
  size_t length;
  const char *text = t->separator ? file_read(a, t->file, INT_MAX, &length, &unused) : NULL,
             *p = NULL;
  if (!text || column >= t->columns) return "";
  CsvReader r = {.at = text, .end = text + length, .eol = text, .err = &unused};
  r.separator = t->separator;
  for (int line = 0; line < t->line[row]; line++) {
    r.begin = line ? r.eol + 1 : text;
    if (r.begin >= r.end) return "";
    r.eol = memchr(r.begin, '\n', (size_t)(r.end - r.begin));
    if (!r.eol) r.eol = r.end;
  }
  if (r.eol > r.begin && r.eol[-1] == '\r') r.eol--;
  Cell c = {text, text, false};
  for (int i = 0; i <= column; i++) {
    if (i && p == r.eol) return "";
    p = read_cell(&r, i ? p + 1 : r.begin, &c);
    if (!p) return "";
  }
  char shown[SHOWN_MOST + 4];
  const char *out = show(c, shown);
  return visible(a, arena_copy(a, out, strlen(out)));
}

const Err *table_fault(const Table *t, int column) {
  return t->fault && column < t->columns ? t->fault[column] : NULL;
}

static void list_names(const Table *t, Text *out) {
  for (int i = 0; i < t->columns && i < LISTED_MOST; i++)
    text_print(out, "%s'%s'", i ? ", " : "", t->names[i]);
  if (t->columns > LISTED_MOST) text_print(out, ", and %d more", t->columns - LISTED_MOST);
}

int table_require(const Table *t, const char *name, Err *err) {
  int column = table_find(t, name);
  Place file = {.file = t->file};
  const Err *fault = column < 0 ? NULL : table_fault(t, column);
  if (fault && err && err->code == ERR_NONE) *err = *fault;
  if (fault) return -1;
  if (column >= 0 && !table_texts(t, column)) return column;
  if (column >= 0) {
    fail_at(err, ERR_DATA, file, "column '%s' has texts, not numbers", name);
    return -1;
  }
  const char *nearest = nearest_name(name, t->names, t->columns);
  if (nearest) {
    fail_at(err, ERR_NAME, file, "there is no column '%s'; did you mean '%s'?", name, nearest);
    return -1;
  }
  Text list;
  text_init(&list);
  list_names(t, &list);
  fail_at(err, ERR_NAME, file, "there is no column '%s'; the columns are %s", name, list.at);
  text_done(&list);
  return -1;
}
