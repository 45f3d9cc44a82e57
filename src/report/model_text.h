// Declarations and equations of a model as written, and the flat model as Modelica text.
#pragma once
#include "base/text.h"
#include "model/model.h"

// An equation as written. left is NULL for a binding (Real y = x^2).
typedef struct EquationText {
  const char *name; // of the variable that is bound
  const Ast *left, *right;
} EquationText;

// By equation of the flat model; NULL if the text has other equations than the model.
EquationText *equation_texts(Arena *a, const Model *m);
// Prints left = right of an equation of the flat model, as written.
void typed_equation_print(Text *out, const Model *m, const EquationText *texts, int equation);

// The declaration of a variable, NULL if it has none.
const AstDeclaration *declaration_of(const Model *m, int variable);
// The expression that the text gives for a parameter or start value, or NULL.
const Ast *parameter_text(const Model *m, const Parameter *p);

// The model as Modelica, with the present values of parameters and start values.
void model_flat(Text *out, Model *m);
