// Options by name. A .def file lists them once (OPT and OPT_CHOICE, see simulate/simulate_options.def); from it come the
// struct, and the rows by which options are set from text, checked, listed and printed.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

typedef enum OptionType {
  OPTION_double,
  OPTION_int,
  OPTION_choice
} OptionType; // as the .def spells them

typedef struct OptionRow {
  const char *name;
  OptionType type;
  size_t offset;            // of the field in the struct; a choice is an int, the index of the word
  const char *default_text; // as in the .def
  double least, most;       // of numbers and integers, both included
  const char *choices;      // words separated by blanks; NULL for numbers
  const char *meaning;
  const char *range; // "1e-13 to 0.1"; of a choice: the words
} OptionRow;

// The rows of a .def: #define OPT(type, name, ...) OPTION_ROW(FitOptions, type, name, __VA_ARGS__), and likewise OPT_CHOICE.
#define OPTION_ROW(Struct, type, name, default_value, least, most, meaning)                        \
  {#name, OPTION_##type, offsetof(Struct, name), #default_value, least, most,                      \
   NULL,  meaning,       #least " to " #most},
#define OPTION_ROW_CHOICE(Struct, name, default_value, choices, meaning)                           \
  {#name, OPTION_choice, offsetof(Struct, name), #default_value, 0, 0, choices, meaning, choices},

// Another word for a choice: accepted, never listed or printed.
typedef struct OptionSynonym {
  const char *option, *word, *stands_for;
} OptionSynonym;

typedef struct OptionTable {
  const OptionRow *rows;
  int count;
  const OptionSynonym *synonyms; // may be NULL
  int synonym_count;
} OptionTable;

// The functions below work on the struct that belongs to the table.
void options_defaults(const OptionTable *table, void *options);
// If the name is unknown or the value is not allowed, the options do not change.
bool options_set(const OptionTable *table, void *options, const char *name, const char *value,
                 Err *err);
const OptionRow *options_find(const OptionTable *table, const char *name); // NULL: unknown
// "rel_tol=1e-08 solver=bdf": those that differ from their defaults, in the order of the table.
void options_print_changed(const OptionTable *table, const void *options, Text *out);

enum { OPTION_WORD_SIZE = 32 };
void option_value(const OptionRow *row, const void *options, char out[OPTION_WORD_SIZE]);
const char *option_type_name(const OptionRow *row); // number, integer, choice
