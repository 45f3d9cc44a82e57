// One simulation of one experiment at a point, as an EvalSpec wants it: with or without the feedback, over a part of the data,
// given up early when its residuals are already too large.
#pragma once
#include "residual/budget.h"
#include "residual/fitting.h"

typedef enum EvalEnd {
  EVAL_DONE,
  EVAL_ABANDONED, // the objective is above abandon_above
  EVAL_FAILED,    // the simulation failed: simulation_why says how
  EVAL_STOPPED,   // the budget is used up, or patience is
} EvalEnd;

// What is wanted of one evaluation: a value, copied freely. eval_spec gives the usual one.
typedef struct EvalSpec {
  double lambda;              // of the feedback: 1 coupled to the data .. 0 the free model
  double strength;            // of the feedback: factor of the gains, see feedback_set
  const FeedbackGains *gains; // of the feedback; NULL: those that follow from the data alone
  double horizon;             // share of each experiment that counts, 0 < horizon <= 1
  bool quick;                 // simulate with less accuracy, while far from the optimum
  bool slopes;                // derivatives are wanted, too
  bool free_run;              // simulations from the start values, whatever option residual says
  double abandon_above;       // objective above which a simulation may be given up; HUGE_VAL: never
  long step_limit;            // of the integrator in one experiment; 0: as the options say
  const struct ClosedSlopes *closed_slopes; // of closed models; NULL: those of the fitting
  const Weighting *weighting;               // of residuals
  Budget *budget;                           // counts the work; NULL: nobody counts
} EvalSpec;

// The free model over all data, with full accuracy and the first weighting; values only.
EvalSpec eval_spec(const Fitting *f, Budget *budget);
bool eval_spec_is_full(const EvalSpec *s); // free model, all data, full accuracy
// Whether the model of this lambda can be simulated with less accuracy than asked for.
bool eval_has_quick(const Fitting *f, double lambda);
// A limit for trials once a run of `steps` steps has succeeded: a trial that needs many times as many leads nowhere.
long eval_step_limit(const Fitting *f, long steps);

// Largest violation of the invariants of the model over some simulations; see Trajectory in simulate.h. of, sens_of: numbers
// of the invariants, -1: there is none. relative: against the size of their terms.
typedef struct InvariantViolation {
  double largest, largest_sens;
  int of, sens_of;
  double relative;
} InvariantViolation;

// Who makes simulations: NULL means simulate_run, alone. The lane scheduler makes several at once.
typedef struct SimulationOrder {
  ModelRun *run;
  int experiment;
  bool slopes, quick;
  const SimulateRequest *request;
} SimulationOrder;
typedef struct Simulator {
  void (*run)(struct Simulator *self, const SimulationOrder *order);
} Simulator;

typedef struct PartialObjective { // while a simulation runs
  const EvalSpec *spec;
  int experiment;
  const ModelRun *run;
  double total; // objective so far
  int *next;    // by channel: first sample that is not yet counted
} PartialObjective;

typedef struct SimulationWork { // scratch of one thread
  Arena *arena;
  const Fitting *fitting;
  Simulator *simulator;
  SampleTimes **times; // by experiment: those of the fitting, or own ones where delays move them
  FromDataWork *from_data; // NULL: not needed
  ModelRun *free;
  struct CoupledRun { // [1]: with gains of their own
    const Feedback *feedback;
    ModelRun *run; // NULL until needed
  } coupled[2];
  PartialObjective partial;
  // What the last simulations left behind:
  InvariantViolation violation; // the largest since it was last cleared
  char solver[48];    // of the last one of the free model that another worker made, "": none
  char message[1304]; // why the last one that failed did; behind it what a closed simulator wrote
  char remark[700];   // about one that did not, since the first experiment was simulated last
} SimulationWork;

// simulator: NULL, or who makes the simulations. Keeps the pointers.
SimulationWork *simulation_work_new(const Fitting *f, Simulator *simulator);
void simulation_work_free(SimulationWork *w); // NULL is allowed

// Puts the parameters of an experiment at x into the run that the spec needs, and moves the sample times by the delays.
ModelRun *simulation_set(SimulationWork *w, const EvalSpec *spec, int experiment, const double *x);
// Simulates with the parameters that are set. slopes: by sensitivity equations. total: objective of what came before.
EvalEnd simulation_run(SimulationWork *w, const EvalSpec *spec, ModelRun *r, int experiment,
                       bool slopes, double total);
int simulation_rows(const SimulationWork *w, const EvalSpec *spec, int experiment);
// Inputs of the model that the run simulates.
const Input *const *simulation_inputs(const SimulationWork *w, const ModelRun *r, int experiment);
// The integrator of the last simulation of the free model ("" when nothing is integrated), its steps.
void simulation_solver(const SimulationWork *w, char name[48], long *steps, long *rejected);
void simulation_clear_violation(SimulationWork *w);
void simulation_note_violation(SimulationWork *w, const Trajectory *t);
// The loss of a residual, without the factor scale^2: r^2/2, beyond the Huber limit |r|*limit - limit^2/2.
double residual_loss(double residual, double huber);
