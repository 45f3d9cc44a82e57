// The options of a simulation. simulate_options.def is the list; 'entrain options' prints it.
#pragma once
#include "base/options.h"

typedef struct SimulateOptions {
#define OPT(type, name, default_value, least, most, meaning) type name;
#define OPT_CHOICE(name, default_value, choices, meaning) int name; // index of the word
#include "simulate/simulate_options.def"
#undef OPT
#undef OPT_CHOICE
} SimulateOptions;

// Words of the option index, in the order of the list.
typedef enum IndexChoice {
  INDEX_STABILISE,
  INDEX_PROJECT,
  INDEX_DIRECT,
  INDEX_INDEX3,
} IndexChoice;

extern const OptionTable SIMULATE_OPTIONS;

void simulate_options_init(SimulateOptions *o); // all defaults
// The word of a choice: simulate_options_word(o, "solver", word).
void simulate_options_word(const SimulateOptions *o, const char *name, char word[OPTION_WORD_SIZE]);
