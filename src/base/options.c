#include "base/options.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"

enum { CANDIDATES_MOST = 64 };

static double *number_of(const OptionRow *row, void *options) {
  return (double *)((char *)options + row->offset);
}

static int *int_of(const OptionRow *row, void *options) {
  return (int *)((char *)options + row->offset);
}

// The word at index, or NULL; not NUL-terminated.
static const char *word_at(const char *choices, int index, int *length) {
  const char *at = choices;
  for (int i = 0; *at; i++) {
    *length = (int)strcspn(at, " ");
    if (i == index) return at;
    at += *length;
    at += strspn(at, " ");
  }
  return NULL;
}

static int index_of(const char *choices, const char *word) {
  int length;
  const char *at;
  for (int i = 0; (at = word_at(choices, i, &length)); i++)
    if ((int)strlen(word) == length && memcmp(at, word, (size_t)length) == 0) return i;
  return -1;
}

static void add_list(const char *choices, Text *out) {
  for (const char *c = choices; *c; c++) {
    if (*c == ' ')
      text_add(out, ", ");
    else
      text_add_bytes(out, c, 1);
  }
}

static const char *nearest_choice(const OptionRow *row, const char *value,
                                  char (*words)[OPTION_WORD_SIZE]) {
  const char *candidates[CANDIDATES_MOST], *at;
  int count = 0, length;
  while (count < CANDIDATES_MOST && (at = word_at(row->choices, count, &length))) {
    c_snprintf(words[count], OPTION_WORD_SIZE, "%.*s", length, at);
    candidates[count] = words[count];
    count++;
  }
  return nearest_name(value, candidates, count);
}

static bool fail_choice(const OptionRow *row, const char *value, Err *err) {
  char words[CANDIDATES_MOST][OPTION_WORD_SIZE];
  const char *nearest = nearest_choice(row, value, words);
  Text list;
  text_init(&list);
  add_list(row->choices, &list);
  if (nearest)
    fail(err, ERR_OPTION, "%s cannot be '%s'; did you mean '%s'? It is one of %s", row->name, value,
         nearest, list.at);
  else
    fail(err, ERR_OPTION, "%s cannot be '%s'; it is one of %s", row->name, value, list.at);
  text_done(&list);
  return false;
}

static bool set_choice(const OptionRow *row, void *options, const char *value, Err *err) {
  int index = index_of(row->choices, value);
  if (index < 0) return fail_choice(row, value, err);
  *int_of(row, options) = index;
  return true;
}

static bool set_number(const OptionRow *row, void *options, const char *value, Err *err) {
  double v;
  if (!number_parse(value, &v)) {
    const char *beyond = number_beyond(value);
    if (beyond) return fail(err, ERR_OPTION, "%s: the number '%s' is %s", row->name, value, beyond);
    return fail(err, ERR_OPTION, "%s must be a number, not '%s'", row->name, value);
  }
  if (!(v >= row->least && v <= row->most)) // written so that NaN fails
    return fail(err, ERR_OPTION, "%s must be %s, not %s", row->name, row->range, value);
  if (row->type == OPTION_int && v != floor(v))
    return fail(err, ERR_OPTION, "%s must be a whole number, not %s", row->name, value);
  if (row->type == OPTION_int)
    *int_of(row, options) = (int)v;
  else
    *number_of(row, options) = v;
  return true;
}

static bool set_row(const OptionRow *row, void *options, const char *value, Err *err) {
  return row->choices ? set_choice(row, options, value, err) : set_number(row, options, value, err);
}

const OptionRow *options_find(const OptionTable *table, const char *name) {
  for (int i = 0; i < table->count; i++)
    if (strcmp(table->rows[i].name, name) == 0) return &table->rows[i];
  return NULL;
}

static bool fail_unknown(const OptionTable *table, const char *name, Err *err) {
  const char *candidates[CANDIDATES_MOST];
  int count = table->count < CANDIDATES_MOST ? table->count : CANDIDATES_MOST;
  for (int i = 0; i < count; i++) candidates[i] = table->rows[i].name;
  const char *nearest = nearest_name(name, candidates, count);
  if (nearest)
    return fail(err, ERR_OPTION, "unknown option '%s'; did you mean '%s'?", name, nearest);
  return fail(err, ERR_OPTION, "unknown option '%s'; 'entrain options' lists them", name);
}

bool options_set(const OptionTable *table, void *options, const char *name, const char *value,
                 Err *err) {
  const OptionRow *row = options_find(table, name);
  for (int i = 0; i < table->synonym_count; i++) {
    const OptionSynonym *s = &table->synonyms[i];
    if (strcmp(s->option, name) == 0 && strcmp(s->word, value) == 0) value = s->stands_for;
  }
  return row ? set_row(row, options, value, err) : fail_unknown(table, name, err);
}

void options_defaults(const OptionTable *table, void *options) {
  for (int i = 0; i < table->count; i++)
    set_row(&table->rows[i], options, table->rows[i].default_text, NULL);
}

void option_value(const OptionRow *row, const void *options, char out[OPTION_WORD_SIZE]) {
  const void *field = (const char *)options + row->offset;
  int length = 0;
  if (row->type == OPTION_double)
    number_format(*(const double *)field, out);
  else if (row->type == OPTION_int)
    c_snprintf(out, OPTION_WORD_SIZE, "%d", *(const int *)field);
  else {
    const char *word = word_at(row->choices, *(const int *)field, &length);
    c_snprintf(out, OPTION_WORD_SIZE, "%.*s", length, word ? word : "");
  }
}

static bool is_default(const OptionRow *row, const char *value) {
  double a, b;
  if (row->choices) return strcmp(value, row->default_text) == 0;
  return number_parse(value, &a) && number_parse(row->default_text, &b) && a == b;
}

void options_print_changed(const OptionTable *table, const void *options, Text *out) {
  const char *gap = "";
  for (int i = 0; i < table->count; i++) {
    char value[OPTION_WORD_SIZE];
    option_value(&table->rows[i], options, value);
    if (is_default(&table->rows[i], value)) continue;
    text_print(out, "%s%s=%s", gap, table->rows[i].name, value);
    gap = " ";
  }
}

const char *option_type_name(const OptionRow *row) {
  static const char *const NAMES[] = {"number", "integer", "choice"};
  return NAMES[row->type];
}
