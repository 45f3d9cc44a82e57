// Nothing here asks whether rows or columns stand first in the file: for each matrix there are two numbers, and one of them is
// that of the samples.
#include "base/mat_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

enum {
  COLUMNS_MOST = 100000,
  LIST_MOST = 330,    // characters, so that a message has room for it
  CLEARLY_MORE = 4,   // so many times more numbers in one direction: they are the samples
  SOMEWHAT_MORE = 2,  // the same where nothing else tells
  INCREASES_LEAST = 4 // samples: fewer increase by chance
};

static bool has_numbers(const MatFound *f) {
  return f->kind == MAT_NUMBERS && f->rows && f->columns;
}
static bool is_vector(const MatFound *f) {
  return f->rows == 1 || f->columns == 1;
}
static uint64_t longer(const MatFound *f) {
  return f->rows > f->columns ? f->rows : f->columns;
}
static uint64_t shorter(const MatFound *f) {
  return f->rows > f->columns ? f->columns : f->rows;
}

// One direction alone can be that of the samples. Of a vector it is the longer one.
static bool is_clear(const MatFound *f) {
  return is_vector(f) || longer(f) / CLEARLY_MORE >= shorter(f);
}

// A matrix of as many rows as columns does not show which of them are the samples.
static bool has_length(const MatFound *f, uint64_t n) {
  if (!has_numbers(f)) return false;
  return is_vector(f) ? longer(f) == n : f->rows != f->columns && (f->rows == n || f->columns == n);
}

static uint64_t quantities(const MatFound *f, uint64_t samples) {
  return f->rows == samples ? f->columns : f->rows;
}

// Sample i of quantity k of a matrix.
static double value_at(const MatFound *f, uint64_t samples, uint64_t i, uint64_t k) {
  return f->rows == samples ? f->numbers[k * f->rows + i] : f->numbers[i * f->rows + k];
}

// ---------------------------------------------------------------- how many samples

// How many other arrays may have so many samples.
static int count_others(const MatFoundList *list, const MatFound *but, uint64_t n) {
  int count = 0;
  for (int i = 0; i < list->count; i++) {
    const MatFound *f = &list->at[i];
    count += f != but && has_length(f, n) && (!is_clear(f) || longer(f) == n);
  }
  return count;
}

// As times do.
static bool increases(const MatFound *f, uint64_t samples, uint64_t k) {
  if (samples < INCREASES_LEAST) return false;
  for (uint64_t i = 1; i < samples; i++)
    if (!(value_at(f, samples, i, k) > value_at(f, samples, i - 1, k))) return false;
  return true;
}

// Of a matrix whose quantity k (from 0) is the time. 0: it cannot be told.
static uint64_t samples_of_matrix(const MatFoundList *list, const MatFound *f, uint64_t k) {
  uint64_t more = longer(f), less = shorter(f);
  if (more == less) return 0;
  if (is_clear(f)) return more;
  if (k >= less) return less; // there are at least k + 1 quantities
  bool more_rise = increases(f, more, k), less_rise = increases(f, less, k);
  if (more_rise != less_rise) return more_rise ? more : less;
  int more_others = count_others(list, f, more), less_others = count_others(list, f, less);
  if (!more_others != !less_others) return more_others ? more : less;
  return more / SOMEWHAT_MORE >= less ? more : 0;
}

typedef struct TableLength {
  uint64_t rows;           // 0: there is none
  int first;               // the array that has the time, -1: none
  const MatFound *unclear; // what hinders; NULL: nothing
} TableLength;

// name[2] is a quantity of a matrix: the number from 1; 0: it is none of f.
static uint64_t number_in_name(const MatFound *f, const char *name) {
  size_t n = strlen(f->name);
  char *end;
  if (!has_numbers(f) || is_vector(f) || strncmp(f->name, name, n) != 0 || name[n] != '[') return 0;
  uint64_t k = strtoull(name + n + 1, &end, 10);
  return end > name + n + 1 && strcmp(end, "]") == 0 && k <= longer(f) ? k : 0;
}

// That of the array with this name.
static TableLength length_of_named(const MatFoundList *list, const char *name) {
  for (int i = 0; i < list->count; i++) {
    const MatFound *f = &list->at[i];
    if (has_numbers(f) && is_vector(f) && strcmp(f->name, name) == 0)
      return (TableLength){longer(f), i, NULL};
  }
  for (int i = 0; i < list->count; i++) {
    const MatFound *f = &list->at[i];
    uint64_t k = number_in_name(f, name);
    if (!k) continue;
    uint64_t n = samples_of_matrix(list, f, k - 1);
    if (!n) return (TableLength){0, -1, f};
    if (k <= quantities(f, n)) return (TableLength){n, i, NULL};
  }
  return (TableLength){0, -1, NULL};
}

// The most frequent length above 1; of equals, the longest.
static TableLength usual_length(const MatFoundList *list) {
  TableLength best = {0, -1, NULL};
  int most = 0;
  for (int i = 0; i < list->count; i++) {
    const MatFound *f = &list->at[i];
    for (int side = 0; side < (is_clear(f) ? 1 : 2); side++) {
      uint64_t n = side ? shorter(f) : longer(f);
      int times = n > 1 ? count_others(list, NULL, n) : 0;
      if (times > most || (times && times == most && n > best.rows)) best.rows = n, most = times;
    }
  }
  for (int i = 0; i < list->count;
       i++) { // where the other direction of a matrix has as much for it
    const MatFound *f = &list->at[i];
    uint64_t other = quantities(f, best.rows);
    if (!has_length(f, best.rows) || is_clear(f) || count_others(list, NULL, other) < most)
      continue;
    uint64_t n = samples_of_matrix(list, f, 0);
    return n ? (TableLength){n, -1, NULL} : (TableLength){0, -1, f};
  }
  for (int i = list->count; !best.rows && i-- > 0;) {
    const MatFound *f = &list->at[i];
    if (has_numbers(f) && f->rows == f->columns && f->rows > 1) best.unclear = f;
  }
  return best;
}

static TableLength length_of_table(const MatFoundList *list, const char *length_of) {
  if (length_of) return length_of_named(list, length_of);
  TableLength l = length_of_named(list, "t");
  if (l.first < 0) l = length_of_named(list, "time");
  return l.first < 0 ? usual_length(list) : l;
}

// ---------------------------------------------------------------- messages

static void describe_arrays(const MatFoundList *list, Text *out) {
  static const char *const WORDS[] = {"", " complex", " no numbers"};
  for (int i = 0; i < list->count; i++) {
    const MatFound *f = &list->at[i];
    if (out->length > LIST_MOST) {
      text_print(out, ", and %d more", list->count - i);
      break;
    }
    bool either = has_numbers(f) && f->rows > 1 && f->rows == f->columns;
    text_print(out, "%s%.60s (%llux%llu%s%s)", i ? ", " : "", f->name, (unsigned long long)f->rows,
               (unsigned long long)f->columns, WORDS[f->kind <= MAT_SOMETHING_ELSE ? f->kind : 2],
               either ? ": samples in rows or columns?" : "");
  }
}

static Table *fail_length(const char *path, const MatFoundList *list, const char *length_of,
                          const MatFound *unclear, Err *err) {
  Text names;
  text_init(&names);
  describe_arrays(list, &names);
  const char *has = names.length ? names.at : "nothing";
  if (unclear && unclear->rows == unclear->columns)
    fail(err, ERR_DATA,
         "%.200s: whether the rows or the columns of '%.60s' (%llux%llu) are the samples cannot be "
         "told; save the time and each quantity as a vector of its own",
         path, unclear->name, (unsigned long long)unclear->rows,
         (unsigned long long)unclear->columns);
  else if (unclear)
    fail(err, ERR_DATA,
         "%.200s: '%.60s' (%llux%llu) may have %llu samples or %llu; save the time as a vector of "
         "its own, and name it under 'time'",
         path, unclear->name, (unsigned long long)unclear->rows,
         (unsigned long long)unclear->columns, (unsigned long long)longer(unclear),
         (unsigned long long)shorter(unclear));
  else if (length_of)
    fail(err, ERR_NAME, "%.200s has no array of numbers '%.100s' with samples; it has: %s", path,
         length_of, has);
  else
    fail(err, ERR_DATA, "%.200s has no arrays with samples; it has: %s", path, has);
  text_done(&names);
  return NULL;
}

// ---------------------------------------------------------------- columns

typedef struct TableColumns {
  ARRAY(const char *) names;
  ARRAY(const double *) columns;
} TableColumns;

static void add_columns(Arena *a, const MatFound *f, uint64_t rows, TableColumns *out) {
  if (is_vector(f)) {
    array_push(a, &out->names, f->name);
    array_push(a, &out->columns, f->numbers);
    return;
  }
  for (uint64_t k = 0; k < quantities(f, rows) && k < COLUMNS_MOST; k++) {
    const double *column = f->numbers + k * f->rows;
    if (f->rows != rows) {
      double *copy = ARENA_RAW(a, double, rows + 1);
      for (uint64_t i = 0; i < rows; i++) copy[i] = value_at(f, rows, i, k);
      column = copy;
    }
    array_push(a, &out->names, arena_print(a, "%s[%llu]", f->name, (unsigned long long)k + 1));
    array_push(a, &out->columns, column);
  }
}

// Who uses a column with an infinite value gets the error.
static const Err *const *faults(Arena *a, const char *path, const TableColumns *all,
                                uint64_t rows) {
  const Err **fault = NULL;
  for (int c = 0; c < all->names.count; c++)
    for (uint64_t i = 0; i < rows; i++) {
      if (!isinf(all->columns.at[c][i])) continue;
      if (!fault) fault = ARENA_ARRAY(a, const Err *, all->names.count);
      Err *one = ARENA_NEW(a, Err);
      fail_at(one, ERR_DATA, (Place){.file = path},
              "row %llu of '%.80s' is infinite; NaN is a missing value", (unsigned long long)i + 1,
              all->names.at[c]);
      fault[c] = one;
      break;
    }
  return fault;
}

static Table *table_of(Arena *a, const char *path, const MatFoundList *list, int first,
                       uint64_t rows) {
  TableColumns all = {0};
  Names *by_name = names_new(a);
  Text left_out;
  MatFoundList others = {0};
  if (first >= 0) add_columns(a, &list->at[first], rows, &all);
  for (int i = 0; i < list->count; i++) {
    const MatFound *f = &list->at[i];
    if (i == first) continue;
    if (has_length(f, rows))
      add_columns(a, f, rows, &all);
    else
      array_push(a, &others, *f);
  }
  int *line = ARENA_ARRAY(a, int, rows + 1);
  for (uint64_t i = 0; i < rows; i++) line[i] = (int)i + 1;
  for (int i = all.names.count; i-- > 0;) names_set(by_name, all.names.at[i], i);
  text_init(&left_out);
  describe_arrays(&others, &left_out);
  Table *t = ARENA_NEW(a, Table);
  *t = (Table){.file = path,
               .rows = (int)rows,
               .columns = all.names.count,
               .names = all.names.at,
               .column = all.columns.at,
               .line = line,
               .by_name = by_name,
               .fault = faults(a, path, &all, rows)};
  t->left_out = others.count ? arena_copy(a, left_out.at, left_out.length) : NULL;
  text_done(&left_out);
  return t;
}

Table *mat_table(Arena *a, const char *path, const MatFoundList *list, const char *length_of,
                 Err *err) {
  TableLength l = length_of_table(list, length_of);
  bool fits = l.rows >= 1 && l.rows < INT32_MAX;
  if (!fits) return fail_length(path, list, length_of, l.unclear, err);
  return table_of(a, arena_copy(a, path, strlen(path)), list, l.first, l.rows);
}
