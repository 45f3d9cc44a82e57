// A model in the words of its text: declarations and equations as written, the whole as Modelica.
#pragma once
#include "base/text.h"
#include "model/model.h"

// An equation as it stands in the text. Of a binding (Real y = x^2) left is NULL.
typedef struct EquationText {
  const char *name; // of the variable that is bound
  const Ast *left, *right;
} EquationText;

// By equation of the flat model; NULL when the text has other equations than the model.
EquationText *equation_texts(Arena *a, const Model *m);
// left = right of an equation of the flat model, as typed
void typed_equation_print(Text *out, const Model *m, const EquationText *texts, int equation);

// The declaration of a variable, NULL when it has none of its own.
const AstDeclaration *declaration_of(const Model *m, int variable);
// What the text gives for a parameter or start value: an expression, or NULL.
const Ast *parameter_text(const Model *m, const Parameter *p);

// The model as Modelica, with the values that parameters and start values have now.
void model_flat(Text *out, Model *m);
