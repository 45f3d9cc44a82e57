// Problems made from a problem to see what it lacks: inputs interpolated otherwise, more terms in the equations, more unknowns. They share
// everything else with it and live in the arena.
#pragma once
#include "model/soften.h"
#include "problem/problem.h"

// With residual: prediction, the same by the integrator.
Problem *problem_by_integrator(Arena *a, const Problem *p);
// Where residuals begin at the data: the data with so much more noise as differences of the channels show, times sign; the same
// numbers with each sign. NULL: it cannot be made.
Problem *problem_with_noise(Arena *a, const Problem *p, double sign);

// Those inputs in all experiments.
Problem *problem_with_interpolation(Arena *a, const Problem *p, const bool *input, InputKind kind);

// With smooth laws in place of relations, see soften.h; NULL: it cannot be made. Its model is in the arena.
Problem *problem_softened(Arena *a, const Problem *p, const Soft *softs, int count);

typedef enum TermKind {
  TERM_CONSTANT,
  TERM_INPUT,
  TERM_INPUT_SQUARE,
  TERM_STATE,
  TERM_STATE_CUBE,
  TERM_STATE_SIGN
} TermKind;

typedef struct EquationTerm { // der(state) = f + factor * size * kind(of)
  int state;
  TermKind kind;
  int of;         // state or input
  double size;    // of der(state), so that factors are numbers around 1
  double of_size; // of the state or input
} EquationTerm;

// Terms that the equations may lack: each state and input in the equations of states that are not just the rate of another.
// size: of the states, of their derivatives, of the inputs; 0: it does not change, and there is no term with it. Returns how
// many, no more than `most`; 0 where constraints hold between states, or where there would be more.
int equation_terms(const Problem *p, const double *size, const double *rate, const double *input,
                   EquationTerm *terms, int most);
// The state whose derivative is this one, -1: there is none.
int state_of_rate(const Model *m, int rate);
const char *equation_term_text(Arena *a, const Problem *p, const EquationTerm *t); // sign(v)
const char *state_name(const Problem *p, int state);
const char *input_name(const Problem *p, int input);
// Start values of states that are not estimated; those of models whose states obey constraints do not count, nor those that
// parameters follow from, or before a given restart.
typedef struct FixedStart {
  int experiment, state, parameter;
  double value;
} FixedStart;
// Returns how many, 0 where there would be more than `most`.
int fixed_starts(const Problem *p, FixedStart *starts, int most);
// With these as unknowns behind those of the problem.
Problem *problem_with_starts(Arena *a, const Problem *p, const FixedStart *starts, int count);

// With the factors of the terms as unknowns behind those of the problem, 0 at the start.
Problem *problem_with_terms(Arena *a, const Problem *p, const EquationTerm *terms, int count);
