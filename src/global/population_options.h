// The options of global methods: those that users set by name (population_options.def), and what the caller says about one
// search. LocalOptions.population points to them.
#pragma once

typedef struct PopulationOptions {
#define OPT(type, name, default_value, least, most, meaning) type name;
#define OPT_CHOICE(name, default_value, choices, meaning) int name; // index of the word
#include "global/population_options.def"
#undef OPT
#undef OPT_CHOICE
  int seed;            // of all random numbers
  int sampling;        // how the first points are spread: DESIGN_... of num/design.h
  int max_simulations; // a population is no larger than this
} PopulationOptions;

// Indices of the words of choices, in the order of the .def.
enum { DE_STRATEGY_RAND, DE_STRATEGY_BEST };

// The defaults of the .def; seed 1, a Latin hypercube, populations of any size.
void population_options_init(PopulationOptions *o);
