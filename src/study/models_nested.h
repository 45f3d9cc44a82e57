// Likelihood ratio tests of models that the user says are nested.
#pragma once
#include "study/models.h"

// Whether they can be nested: the larger one has more parameters. false: err says what is wrong.
bool models_nesting_suits(const ModelsRequest *q, Err *err);
void models_test_nesting(Models *m); // after all fits: fills tests
