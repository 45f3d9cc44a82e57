// Fits several models to the same data and compares them.
#pragma once
#include "study/models.h"

// NULL and err if they cannot be compared. Problems and nesting must outlive it.
Models *models_run(const ModelsRequest *q, ModelsListener *listener, void *data, Err *err);
void models_free(Models *m);
bool models_all_usable(const Models *m); // every fit ran and may be used
double aicc_of(double aic, int parameters,
               long samples); // Hurvich and Tsai (1989); NaN: too few samples
