#include "simulate/simulate_options.h"

static const OptionRow ROWS[] = {
#define OPT(type, name, default_value, least, most, meaning)                                       \
  {                                                                                                \
      #name,          OPTION_##type, offsetof(SimulateOptions, name),                              \
      #default_value, least,         most,                                                         \
      NULL,           meaning,       #least " to " #most},
#define OPT_CHOICE(name, default_value, choices, meaning)                                          \
  {#name,   OPTION_choice, offsetof(SimulateOptions, name), #default_value, 0, 0, choices,         \
   meaning, choices},
#include "simulate/simulate_options.def"
#undef OPT
#undef OPT_CHOICE
};

const OptionTable SIMULATE_OPTIONS = {.rows = ROWS, .count = sizeof ROWS / sizeof *ROWS};

void simulate_options_init(SimulateOptions *o) {
  options_defaults(&SIMULATE_OPTIONS, o);
}

void simulate_options_word(const SimulateOptions *o, const char *name,
                           char word[OPTION_WORD_SIZE]) {
  word[0] = 0;
  const OptionRow *row = options_find(&SIMULATE_OPTIONS, name);
  if (row) option_value(row, o, word);
}
