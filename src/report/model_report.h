// Describes a model: as a summary, as Modelica, as sorted equations, as JSON or as a graph.
#pragma once
#include "base/text.h"
#include "model/model.h"

// In the order of EntrainReport in entrain.h.
typedef enum ModelReport {
  MODEL_SUMMARY,
  MODEL_FLAT,
  MODEL_EQUATIONS,
  MODEL_JSON,
  MODEL_DOT
} ModelReport;

void model_report(Text *out, Model *m,
                  ModelReport what); // compiles the model to count its operations
