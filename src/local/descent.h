// What the bounded local methods have in common: evaluations, acceptance, stopping tests. They differ in how they limit a
// step, which is a StepRule.
#pragma once
#include "local/curvature.h"
#include "local/linear.h"
#include "local/lsq.h"

typedef struct Descent Descent;

typedef struct StepRule {
  const char *name, *meaning;
  bool plain;                // never looks for curvature
  void (*begin)(Descent *s); // at the start, once it has slopes
  bool (*look)(
      Descent
          *s); // at every point that a step is wanted from; false: stopped; NULL: nothing to see
  void (*propose)(Descent *s);      // sets s->d, inside the bounds, and s->limited
  double (*gain)(const Descent *s); // that s->d promises; NULL: that of s->model
  // How well the model predicted: actual by predicted gain; -HUGE_VAL when the trial could not be simulated or was
  // abandoned as worse.
  void (*judge)(Descent *s, double ratio);
} StepRule;

struct Descent {
  const StepRule *rule;
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial;
  LinearModel model;     // at the point, in steps d: of the residuals, or with the curvature
  LinearModel residuals; // of the residuals alone
  Curvature *curvature;
  bool curved;                  // the model has the curvature, too
  double *curved_R, *curved_Qr; // its triangle then
  LinearWork *linear;
  double *scale;        // largest norm that each column of R has had, 1 while it has none
  double *seen;         // the same, 0 while it has none
  double *old_slope;    // at the point before
  double *slope, *norm; // R'Qr and columns of R at the point
  double *low, *high;   // bounds of d
  double *full;     // step to the minimum of the residuals' model inside the bounds: not limited
  double full_gain; // predicted
  double *aim;      // the same of the model; it is `full` when that has no curvature
  double aim_gain;
  double *d;      // proposed step
  double gain;    // predicted
  bool limited;   // d is shorter than aim
  double radius;  // of |scale d|
  double damping; // the last one used
  double raise;   // of the damping, at the next rejection
  double highest; // objective seen at accepted points
  int rejected;   // in a row
  int cap;        // how often the numbers have been held back one by one, at this point
  double promise; // full_gain without that
  double worse;   // by how much the last trial was, HUGE_VAL when it has no objective
  bool ended;
  double *newton, *down; // scratch of the dogleg
  double *hessian;       // exact, of the objective: only where a rule looks for it
  int *use;
};

void descent_run(const StepRule *rule, const Lsq *lsq, const LocalOptions *options,
                 LocalResult *result);

extern const StepRule lm_radius_rule, lm_damping_rule, lm_marquardt_rule, dogleg_rule;

// A step is taken when its gain is at least this part of what was promised.
#define DESCENT_GOOD 1e-4

// What a change of number i is compared with.
double local_size(const Lsq *lsq, const double *x, int i);
// Whether a step changes no number by more than tol, relative to its size.
bool local_is_small(const Lsq *lsq, const double *x, const double *d, double tol);
// The largest cosine between the residuals and a column of R that may move: 0 where the slope vanishes.
double local_cosine(const Lsq *lsq, const LsqPoint *p, const double *slope, const double *norm);
// Puts x inside the bounds.
void local_clamp(const Lsq *lsq, double *x);
// A start at a bound where the model cannot be simulated gets a second chance a little inside. false: it is at none.
bool local_move_off_bounds(const Lsq *lsq, double *x);
// A start at a bound where the model cannot be simulated gets a second chance a little inside. false: it is at none.
bool local_move_off_bounds(const Lsq *lsq, double *x);
// Whether a search whose start was evaluated like this ends there; sets *end.
bool local_ends_at_start(LsqEnd e, const LsqPoint *start, const LocalOptions *options,
                         LocalEnd *end);
// Whether the point is as good as wanted; sets *end.
bool local_is_good(const LsqPoint *p, const LocalOptions *options, LocalEnd *end);
// Evaluates with slopes and counts; what is not finite has failed.
LsqEnd local_eval(const Lsq *lsq, LsqPoint *p, double worth, LocalResult *result);
// The same without slopes.
LsqEnd local_value(const Lsq *lsq, LsqPoint *p, LocalResult *result);
