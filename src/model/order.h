// An order of variables and equations that follows from the equations themselves, not from where they stand in the text.
// Choices between equals (which unknown is torn, which constraint becomes an invariant) follow it, so that the same model
// written in another order gives the same result.
#pragma once
#include "model/flat.h"

typedef struct ModelOrder { // places, each number once
  int *variable;
  int *equation, *initial_equation; // that of equal equations is arbitrary
} ModelOrder;

// Short equations come first. Sides of an equation may be exchanged, and terms of a sum. Names decide only between
// variables that have the same place in the same equations.
ModelOrder order_new(const Flat *f, Arena *a);
// That of the text, for models in which nothing has to be chosen.
ModelOrder order_of_text(const Flat *f, Arena *a);
