// The noise test compares the objective with what noise of the estimated size leaves:
// V <= factor*(1 + c/sqrt(N - n))*V_noise*(N - n)/N with N samples and n unknowns. The residuals of each channel must pass Ljung
// and Box's test of autocorrelation and Wald and Wolfowitz' test of runs (num/residual_tests.h). Results at the numerical
// floor need neither.
#include "search/certificate.h"

#include <math.h>

#include "base/c_locale.h"
#include "num/residual_tests.h"
#include "search/result_rows.h"

// Of the variation of the data: what interpolation and integration may leave.
static const double NUMERICAL_FLOOR = 1e-7;
static const double NEAR_FLOOR = 1.5, SCATTER = 4;

double certificate_floor(const Weighting *w, double horizon) {
  double noise = noise_objective(w, horizon), data = data_objective(w, horizon);
  double slack = 1 + SCATTER * sqrt(2 / fmax(2, sample_count(w->data->problem, horizon)));
  if (isnan(noise)) noise = 0;
  return NEAR_FLOOR * slack * noise + NUMERICAL_FLOOR * data;
}

// Objective and estimate of the noise are means of N squares: their ratio scatters by about 3/sqrt(N), by half of that when
// the noise is known.
static const double LIMIT_SCATTER = 9, LIMIT_SCATTER_GIVEN = 4.5;

double certificate_limit(const Weighting *w) {
  const Problem *p = w->data->problem;
  double samples = sample_count(p, 1), left = fmax(samples - p->unknown_count, 0);
  double scatter = noise_is_given(p) ? LIMIT_SCATTER_GIVEN : LIMIT_SCATTER;
  double slack = 1 + scatter / sqrt(fmax(left, 1));
  double noise = noise_objective(w, 1) / fmax(samples, 1);
  return p->options.floor_factor * slack * noise * left;
}

// Samples beyond the unknowns that are needed to tell anything of noise.
enum { LEFT_LEAST = 20, LEFT_LEAST_GIVEN = 5 };

bool certificate_samples_are_few(const Problem *p) {
  int least = noise_is_given(p) ? LEFT_LEAST_GIVEN : LEFT_LEAST;
  return sample_count(p, 1) < p->unknown_count + least;
}

// Where samples are far apart, differences show the motion as well as the noise.
static const double NOISE_SHARE = 0.1;

bool certificate_noise_is_known(const Weighting *w) {
  double data = data_objective(w, 1);
  return data > 0 && !certificate_samples_are_few(w->data->problem) &&
         noise_objective(w, 1) <= NOISE_SHARE * data;
}

// As many unknowns as samples fit anything.
bool certificate_is_exact(const Weighting *w, double objective) {
  const Problem *p = w->data->problem;
  double data = data_objective(w, 1);
  return data > 0 && objective <= NUMERICAL_FLOOR * data &&
         sample_count(p, 1) >= 2 * p->unknown_count + 5;
}

// ---------------------------------------------------------------- residuals that look like noise

typedef struct CutResiduals { // by channel, cut where the Huber loss leaves the square
  const Weighting *w;
  double **at;
  int *count;
  double objective; // half the sum of their squares
  long beyond;      // how many were cut
} CutResiduals;

static void keep_rows(void *data, const ResidualBlock *b) {
  CutResiduals *rows = data;
  if (b->channel < 0) return; // a gap between pieces
  int at = channel_number(rows->w->data, b->experiment, b->channel);
  double huber = rows->w->channels[at].huber;
  const double *residual = b->column[rows->w->data->problem->unknown_count];
  for (int j = 0; j < b->rows; j++) {
    double r = residual[j], limit = huber < HUGE_VAL ? huber * b->scale[j] : HUGE_VAL;
    if (fabs(r) > limit) r = copysign(limit, r), rows->beyond++;
    rows->at[at][b->first + j] = r;
    rows->objective += r * r / 2;
  }
  rows->count[at] = b->first + b->rows;
}

// Noise shows as much of a pattern only once in a million cases.
static const double UNLIKELY = 1e-6;

static bool looks_like_noise(const double *r, int n) {
  double neighbours = ljung_box_p(r, n), runs = runs_p(r, n); // NaN: too few to tell
  return !(neighbours < UNLIKELY) && !(runs < UNLIKELY);
}

// The Huber loss leaves outliers out of account: a few, not the bulk, which tells noise from a wrong optimum.
static const double OUTLIERS_MOST = 1.0 / 3;

// Whether residuals are of the size of the noise, outliers apart, and show no pattern.
static bool is_noise(EvalWork *work, const EvalSpec *spec, const FitPieces *pieces,
                     const double *x) {
  const Weighting *w = spec->weighting;
  const Problem *p = w->data->problem;
  int channels = w->data->channel_count;
  Arena *a = arena_new();
  CutResiduals rows = {.w = w,
                       .at = ARENA_ARRAY(a, double *, channels + 1),
                       .count = ARENA_ARRAY(a, int, channels + 1)};
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      rows.at[channel_number(w->data, e, c)] =
          ARENA_ARRAY(a, double, p->experiments[e].channels[c].count + 1);
  bool noise = result_rows(work, spec, pieces, x, keep_rows, &rows) &&
               rows.objective <= certificate_limit(w) &&
               (double)rows.beyond <= OUTLIERS_MOST * sample_count(p, 1);
  for (int k = 0; k < channels; k++) noise = noise && looks_like_noise(rows.at[k], rows.count[k]);
  arena_free(a);
  return noise;
}

bool certificate_holds(EvalWork *work, const EvalSpec *spec, const FitPieces *pieces,
                       const double *x, double objective) {
  const Weighting *w = spec->weighting;
  if (certificate_is_exact(w, objective)) return true;
  bool robust = w->data->problem->options.loss == LOSS_HUBER; // the objective counts outliers, too
  return certificate_noise_is_known(w) && (robust || objective <= certificate_limit(w)) &&
         is_noise(work, spec, pieces, x);
}

// ---------------------------------------------------------------- words

void certificate_explain(FitResult *r, const Weighting *w, const char *by, double objective) {
  const Problem *p = w->data->problem;
  if (r->pieces)
    c_snprintf(r->why, sizeof r->why,
               "in %d pieces whose ends meet (largest gap %.2g of the range of a state) the model "
               "follows the data at the level of their noise (objective %.4g, noise %.4g); the "
               "motion is too sensitive for one simulation over the whole time",
               fit_piece_count(p, r->pieces), r->pieces->gap, objective, r->floor);
  else if (certificate_is_exact(w, objective))
    c_snprintf(r->why, sizeof r->why,
               "the free model follows the data to %.2g of their own variation (%s): no other "
               "optimum can do better",
               objective > 0 ? sqrt(objective / data_objective(w, 1)) : 0, by);
  else
    c_snprintf(
        r->why, sizeof r->why,
        "the objective of the free model, %.4g,%s is at the level that the noise of the data alone "
        "explains (%.4g, %s), and the residuals show no "
        "pattern (%s)",
        objective, p->options.loss == LOSS_HUBER ? " outliers apart," : "", r->floor,
        noise_is_given(p) ? "by the sigma that was given" : "estimated from their differences", by);
}

void certificate_explain_doubt(FitResult *r, const Weighting *w, const double *x,
                               double objective) {
  const Problem *p = w->data->problem;
  size_t room = sizeof r->why;
  if (objective == HUGE_VAL)
    c_snprintf(r->why, room, "there is no result");
  else if (!problem_satisfied(p, x))
    c_snprintf(
        r->why, room,
        "the parameters do not satisfy the constraints, so they are no result: check whether the "
        "violated ones can hold together, or begin elsewhere");
  else if (!isfinite(r->floor) || certificate_samples_are_few(p))
    c_snprintf(r->why, room,
               "there are too few samples to tell noise from motion: nothing says whether this "
               "optimum is the best one; a sigma for each channel would");
  else if (!(data_objective(w, 1) > 0))
    c_snprintf(r->why, room,
               "the data do not change at all: nothing in them tells noise from motion, or one "
               "optimum from another");
  else if (!certificate_noise_is_known(w))
    c_snprintf(r->why, room,
               "neighbouring samples differ so much (as noise of objective %.4g would) that noise "
               "cannot be told from motion: the data are very noisy, or too far apart in time; "
               "another optimum may fit better",
               r->floor);
  else if (objective <= certificate_limit(w))
    c_snprintf(r->why, room,
               "the objective %.4g is at the level of the noise (%.4g), but the residuals show a "
               "pattern: the model misses something that the data show, or another optimum fits "
               "better",
               objective, r->floor);
  else
    c_snprintf(r->why, room,
               "the objective %.4g is above the %.4g that the noise of the data alone explains: "
               "another optimum may fit better, or the model misses something that the data show",
               objective, r->floor);
}
