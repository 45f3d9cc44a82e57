// Shared by the readers of 'weights'. Private to this layer.
#pragma once
#include "problem/reader.h"

typedef struct WeightSource { // a measured quantity or an input that conditions and 'over' may name
  const char *name, *unit;
  bool is_input;
  int number;     // of the input, or of the name among problem->measured
  int missing;    // values that were interpolated
  double **value; // value[experiment][instant]
} WeightSource;

typedef struct WeightReader {
  ProblemReader *r;
  const Yaml *node;
  SampleWeights *out;
  ARRAY(WeightSource) sources; // what all experiments have
} WeightReader;

// Multiplies the weights by those of the regions.
bool read_weight_regions(WeightReader *w);
// "there is no ..." with what is allowed; a variable of the model that is not measured is named as such.
bool weight_unknown_name(WeightReader *w, Place at, const char *name);
const char **weight_source_names(WeightReader *w);
