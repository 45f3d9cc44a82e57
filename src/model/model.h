// A model ready for mathematics: dx/dt = f(t, x, u, p), every variable as an expression of t, x, u, p, start values
// x0(p), events. Made once, then constant; compiled for a purpose by system.h.
#pragma once
#include <pthread.h>

#include "model/flat.h"
#include "model/order.h"
#include "model/sort.h"

// Symbols for derivatives that systems of the model are compiled with.
typedef enum HelperSymbol {
  HELPER_INPUT_SLOPE,  // first derivatives of the inputs by time
  HELPER_INPUT_SECOND, // second, where constraints were differentiated twice
  HELPER_INPUT_THIRD,  // their slopes
  HELPER_DIRECTION,
  HELPER_COUNT
} HelperSymbol;

typedef struct AddedSymbol { // of a parameter that a copy has besides those of the text
  int number;
  const char *name;
  Expr symbol;
} AddedSymbol;

// A model and all copies of it share these, so that copies made again and again, one in each fit, add nothing to the graph.
typedef struct ModelSymbols {
  IntArray helpers[HELPER_COUNT];
  ARRAY(AddedSymbol) added;
} ModelSymbols;

// What index reduction leaves of an equation that it differentiated: true along the motion, and kept so by stabilisation
// or projection.
typedef struct Invariant {
  Expr residual;  // of t, x, u, p
  int equation;   // number in flat->equations
  int level;      // how often it has been differentiated, 0: as typed
  bool redundant; // follows from the others: true by itself, and left out of what is solved
  bool combined;  // with other equations, see combine.h
} Invariant;

// What the start values have to satisfy besides the fixed ones: invariants, initial equations.
typedef struct StartCondition {
  Expr residual; // of t, u, p, with the start values in place of the states
  Expr size;     // of its terms, which the residual is small against
  int line, column;
  int invariant; // number, -1: an initial equation or a fixed value
  int without_slope; // a state that is not fixed, when all of these begin where the residual has no slope by them; or -1
} StartCondition;

typedef struct TimedEvent { // see timed.h
  const ExprTable *breaks;  // where slope*t + offset passes one of these, NULL: a whole number
  Expr slope, offset;       // of parameters and modes
} TimedEvent;

typedef struct Model {
  Arena *arena; // owns everything below
  Flat *flat;
  Graph *graph;
  ModelOrder order;   // of variables and equations, for choices between them
  int nx, nu, ne, np; // states, inputs, events, parameters
  int *state;         // variable number of each state
  int *input;         // variable number of each input
  int *input_order; // by input: its highest derivative in the equations, above 0 by index reduction
  Expr *x;          // symbols of the states
  Expr *u;          // symbols of the inputs
  Expr *f;          // derivative of each state
  Expr *x0;         // start value of each state
  Expr *value;      // by variable: its expression
  Expr *switching;  // by event, in t, x, u, p and modes
  Expr *mode0;      // by event: the mode at the start, in t, u, p
  TimedEvent *timed;
  int timed_count;
  Expr *asserts; // conditions of flat->asserts, in t, x, u, p and modes
  int assert_count;
  bool assert_varies; // some of them do; the others are true or false from the start
  SortEquation *equations;
  int equation_count;
  SortUnknown *unknowns;
  int unknown_count;
  int *unknown_variable; // by unknown: the variable it belongs to
  int *unknown_order;    // by unknown: how often that is differentiated
  Sorted sorted, initial;
  Incidence incidence;
  int index; // structural: 0 ordinary, 1 algebraic variables, 2 and above: equations were differentiated
  Invariant *invariants; // those of one equation follow each other, level by level
  int invariant_count;
  // By parameter: typed equation that is redundant at its present value only, -1 = none; NULL: all -1.
  int *redundant_at;
  // Of models with discrete variables (flat->hybrid), see at_event.c: what holds at an event, in t, x, u, p, modes and what is
  // held. States jump to `jump`, which is the state itself where nothing happens.
  Expr *live_switching; // by event
  Expr *
      needed; // by event: whether anything depends on it between events, of what is held; see needed.h
  bool some_unneeded; // some of these may be false
  Expr *held, *held0; // by flat->held: its value at an event, and at the start
  Expr *jump;
  int *jump_state, jump_count; // by jump: the state
  Expr *terminate;             // by flat->terminates
  // Symbols of the rates of Baumgarte's terms, see system_set_rates; 0 without invariants.
  Expr stabilise, stabilise_beta;
  StartCondition *conditions;
  int condition_count;
  ModelSymbols *symbols;
  // Models made from this one are made once, however often they are asked for: each would add to the graph for good.
  struct Coupled *coupled;  // couple.h
  struct Model *free_start; // extend.h
  int free_start_first;
  struct Augmented *augmented; // second.h
  struct Adjoint *adjoint;
  pthread_mutex_t *lock; // held while a system extends the graph or a message reads it
} Model;

// The first `count` symbols of a kind, which every System of the model shares, so that equal derivatives stay equal nodes.
// That of the slope of input i stands for du_i/dt wherever a System computes. The lock of the model must be held.
const Expr *model_helpers(Model *m, HelperSymbol kind, int count);

// Who simulates the model, if its equations are not ours (simulate/closed.h); NULL: we do. The states of such a model are what
// its simulator can record, and f is what is added to their slopes from outside: 0, or a feedback.
static inline struct ClosedModel *model_closed(const Model *m) {
  return m->flat->ast ? m->flat->ast->closed : NULL;
}

// The symbol of the parameter with this number that a model has besides those of its text. The lock must be held if others may
// use the model.
const AddedSymbol *model_added_symbol(Model *m, int number, const char *name);

void model_free(Model *m); // NULL is allowed
