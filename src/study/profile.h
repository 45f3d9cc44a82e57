// Profile likelihood: each unknown is held at values beside its estimate while all others are fitted again. The rise of
// the objective shows how far the unknown may be from its estimate, without linear theory
// (Raue et al. 2009, Bioinformatics 25:1923; Bates and Watts 1988, Nonlinear Regression Analysis, chapter 6).
#pragma once
#include "residual/work_count.h"
#include "search/fit_result.h"
#include "stats/statistics.h"

// PROFILE_END(name, word, sentence): how a profile ends to one side
#define PROFILE_ENDS                                                                               \
  PROFILE_END(CROSSED, "finite", "the profile crosses the threshold")                              \
  PROFILE_END(BOUND, "bound", "the profile stays below the threshold up to the bound")             \
  PROFILE_END(RANGE, "range", "the profile stays below the threshold as far as it was followed")   \
  PROFILE_END(CONSTRAINT, "constraint", "a constraint between the parameters ends the profile")    \
  PROFILE_END(FAILED, "failed", "the others could not be fitted any further")                      \
  PROFILE_END(BUDGET, "budget", "max_simulations did not allow to fit the others any further")     \
  PROFILE_END(ROUGH, "rough", "the objective is too rough to be followed")                         \
  PROFILE_END(STOPPED, "stopped", "stopped before the end")                                        \
  PROFILE_END(NONE, "none", "the profile was not followed")

typedef enum ProfileEnd {
#define PROFILE_END(name, word, sentence) PROFILE_##name,
  PROFILE_ENDS
#undef PROFILE_END
      PROFILE_END_COUNT
} ProfileEnd;

const char *profile_end_word(ProfileEnd e);
const char *profile_end_sentence(ProfileEnd e);

// PROFILE_VERDICT(name, word): what the profile says about the unknown
#define PROFILE_VERDICTS                                                                           \
  PROFILE_VERDICT(DETERMINED, "determined")                                                        \
  PROFILE_VERDICT(OPEN, "open") /* at least one side has no end of its own */                      \
  PROFILE_VERDICT(FLAT, "flat") /* over most of the interval it does not rise at all */            \
  PROFILE_VERDICT(STRUCTURAL, "structural") /* flat, and no data of this kind would change that */ \
  PROFILE_VERDICT(UNKNOWN, "unknown")       /* failed, stopped or rough */

typedef enum ProfileVerdict {
#define PROFILE_VERDICT(name, word) PROFILE_IS_##name,
  PROFILE_VERDICTS
#undef PROFILE_VERDICT
      PROFILE_VERDICT_COUNT
} ProfileVerdict;

const char *profile_verdict_word(ProfileVerdict v);

typedef struct ProfilePoint {
  double value;     // of the unknown that is held
  double objective; // V, with the logarithms of the sigmas that are estimated
  // Likelihood ratio: what 2V rises by, in units in which the threshold is that of the profile.
  double ratio;
  double *x; // all unknowns
} ProfilePoint;

typedef struct ProfileSide {
  ProfileEnd end;
  // CROSSED: where the threshold is crossed; BOUND: the bound; else the farthest point; NaN: none.
  double at;
  double flat_to; // the profile is flat from the estimate to here
  double highest; // ratio
  bool jump;      // the profile crosses the threshold by a jump
} ProfileSide;

typedef struct ProfileCurve {
  int number;           // of problem->unknowns
  double factor;        // ratio = 2*(V - V at the estimate)/factor; see Profile
  double std_error;     // NaN: not determined
  double alone;         // the same if all others were known; NaN: the data do not show it
  double low, high;     // interval by the covariance at the profile's level; NaN: none
  double *tangent;      // by unknown: how it follows at the estimate; NaN: unknown
  ProfileSide side[2];  // below and above the estimate
  ProfilePoint *points; // by rising value, the estimate among them
  int point_count;
  ProfileVerdict verdict;
  int *moves; // unknowns that move along while the profile is flat
  int move_count;
  const char *remark; // sentences, "": nothing to say
} ProfileCurve;

typedef struct Profile {
  Arena *arena;
  const Problem *problem;
  FitResult *fit;         // whose estimates are profiled
  Statistics *statistics; // of it
  double objective;       // at the estimates, as in the points
  double level;
  // Square of the quantile of the normal law where all sigmas are given, else of Student's law: as for the intervals of
  // a fit. With weights that are not the inverse noise (unknown sigmas, other weights, a robust loss) 2V rises by a
  // multiple of what a likelihood does, and with residuals that are correlated; the factor of each curve is that multiple (Kent 1982, Biometrika 69:19), by the
  // covariance of the fit over the inverse of the second derivatives of V. Where the model is linear, profile and
  // covariance give the same interval.
  double threshold;
  double freedom; // degrees, of Student's law; HUGE_VAL: the normal law
  // Of the simulations: smaller than the problem's where their errors would blur the profiles.
  double rel_tol;
  ProfileCurve *curves;
  int count;
  int sides, sides_done; // each curve has two
  int restarts;          // times that a profile found a better optimum
  const char **notes;    // sentences about all profiles
  int note_count;
  double roughness; // standard deviation of the objective about a smooth curve near the estimates
  bool rough;       // by so much that no profile can be followed: there are none
  bool stopped, timeout; // timeout: by max_seconds
  bool limited;          // by max_simulations of the fit: sides that are left have end NONE
  WorkCount work;        // of all refits
  double seconds;
} Profile;

// The scale on which an unknown is profiled: that on which it is searched.
bool profile_in_logs(const Unknown *f, double estimate);
double profile_scaled(const Unknown *f, double estimate, double value);

void profile_free(Profile *p);
// The side has come to an end that is one of the profile, of a bound or of a constraint.
bool profile_side_is_done(const ProfileSide *s);
// The fit converged, is neither ambiguous nor doubtful where its method tells that, and all sides were done.
bool profile_is_sound(const Profile *p);
