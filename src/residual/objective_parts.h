// What an Objective is made of. Private to objective.c and to the parts that evaluate it in other ways: differences.c,
// points.c, hub.c.
#pragma once
#include "residual/compiled_model.h"
#include "residual/objective.h"

typedef struct Differences Differences;

typedef struct ChannelData {
  double *scale; // by sample: sqrt(weight * quadrature)/sigma
  double *quadrature;
  double huber; // limit in the unit of the channel, HUGE_VAL = none
  double noise; // by differences, NaN = unknown
  double frequency;
  double mean;
} ChannelData;

struct Objective {
  Arena *arena;
  const Problem *problem;
  int n; // free numbers
  Rig *free, *tied;
  const Input ***data_inputs; // [experiment][measured]: the data as functions of time
  Plan **plans;
  ChannelData **data; // [experiment][channel]
  int *first_channel; // by experiment: its first place in rows over all channels
  int channel_count;
  double *sigma;
  int **
      slope_of; // [experiment][free number]: position among the parameters of the rig, -1 = none here
  // the tie
  const Coupled *coupled;
  Arena *tie_arena;
  Coupling coupling;
  double *gain, gain_integral, factor;
  double lambda, horizon;
  bool quick;
  int **active, *active_count; // [experiment]: free numbers that have a slope there
  // of an evaluation
  QrSum *qr;
  QrSum *part; // of an experiment in which few numbers are free
  double **part_column;
  double *block; // rows of slopes and residuals
  double **block_column;
  double total; // objective so far
  double worth;
  int *next;        // by channel: first sample the watch has not counted
  int watched;      // experiment
  long looked;      // steps that the watch has seen
  bool interrupted; // the last simulation was, by the listener
  long best_steps;
  char message[700];
  double *vector, *jacobian; // where rows go as well; NULL: nowhere
  char solver[48];           // of those who evaluate for it, "": nobody has
  bool cut;                  // an evaluation did not fit into the budget
  int vector_rows, vector_at;
  double *vector_R;         // n*n and n numbers
  Differences *differences; // NULL until slopes are made of them
  FitWork work;
  bool (*listener)(void *);
  void *listener_data;
  Rig *last;
  InvariantViolation violation;
  struct Hub *hub; // where simulations are made in lanes, NULL: each by itself
};

// ---------------------------------------------------------------- for the parts

Rig *objective_rig(Objective *o); // that of the present lambda
int objective_rows_in_horizon(const Objective *o, int experiment);
// The parameters of an experiment at x into the rig; times move with delays.
void objective_set_parameters(Objective *o, Rig *r, int experiment, const double *x);
// One simulation with the parameters that are set; slopes: by sensitivities.
LsqEnd objective_simulate(Objective *o, Rig *r, int experiment, bool slopes);
void objective_set_hub(Objective *o, struct Hub *h);
// Makes `to`, an Objective of the same problem, evaluate what `from` does: tie, lambda, horizon, accuracy, sigma.
void objective_follow(Objective *to, const Objective *from);

// ---------------------------------------------------------------- differences.c

// Slopes of the simulation that has just been made at x into the columns of the rig, by the differences that the options ask
// for.
LsqEnd differences_fill(Objective *o, Rig *r, int experiment, const double *x);
void differences_free(Differences *d);
