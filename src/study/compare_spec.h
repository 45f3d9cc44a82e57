// A method as it is asked for in a comparison: "homotopy:coupling=pid:gain=10", "multistart(lm,50):label=many starts".
#pragma once
#include "problem/problem.h"

typedef struct CompareSpec {
  const char *text;   // as it is asked for
  const char *label;  // what its row is called
  Problem problem;    // the problem with this method and its options; shares everything else
  const char *method; // its name without options: "multistart(lm, 50)"
  bool random;        // the result depends on the seed
  bool seeded;        // the text says which seed
} CompareSpec;

// Reads a text. Everything in *out lives in the arena or in the problem, which must outlive it. false and a sentence that
// names the wrong part and what is allowed.
bool compare_spec_read(Arena *a, const Problem *p, const char *text, CompareSpec *out, Err *err);
// The methods that are compared when nobody says which: texts for compare_spec_read, ends with NULL.
const char *const *compare_spec_usual(void);
