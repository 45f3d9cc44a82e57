// An estimate minimises V. Another objective W of the same unknowns (another integrator, other data) has its minimum near
// x - H^-1 (grad W - grad V), H = R'R of V: one Gauss-Newton step from where V has its own.
//
// Noise n of the data goes into states and samples. Terms of grad W that are linear in n have mean 0; the mean of those that are
// quadratic is the bias. The mean of W with +n and of W with -n has no linear terms, and its quadratic ones are sums over
// many samples. Noise that is added to data which have noise already moves the estimate on about as much as that has
// moved it (simulation and extrapolation: Cook and Stefanski, J. Am. Stat. Assoc. 89 (1994) 1314). It also raises W by as much
// as that has raised V: where W - V is larger than V, differences of the data took rough motion for noise, and the
// variance of the noise is V/(W - V) of what they show at most.
#include "stats/begins_at_data.h"

#include <math.h>

#include "base/patience.h"
#include "residual/varied_problem.h"

typedef struct Gradient {
  double *R, *Qr, *g;
  double objective;
} Gradient;

static Gradient gradient_room(Analysis *an) {
  size_t n = (size_t)an->s->n;
  return (Gradient){ARENA_ARRAY(an->scratch, double, n *n + 1),
                    ARENA_ARRAY(an->scratch, double, n + 1),
                    ARENA_ARRAY(an->scratch, double, n + 1), 0};
}

// The objective and g = R'Qr at x, times `part`, added to what is there.
static bool add_gradient(Analysis *an, EvalWork *w, const Weighting *weighting, double part,
                         Gradient *to) {
  int n = an->s->n;
  EvalSpec spec = eval_spec(eval_fitting(w), NULL);
  EvalPoint at = {.R = to->R, .Qr = to->Qr};
  spec.weighting = weighting;
  spec.slopes = true;
  if (evaluate(w, &spec, an->x, &at) != EVAL_DONE) return false;
  to->objective += part * at.objective;
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++) to->g[i] += part * to->R[k * n + i] * to->Qr[k];
  return true;
}

static bool add_gradient_of(Analysis *an, const Problem *other, double part, Gradient *to) {
  if (!other || !patience_asks()) return false;
  Fitting *f = fitting_new(other);
  EvalWork *w = eval_work_new(f, 1, NULL);
  Weighting *weighting = weighting_new(f->data, an->weighting->sigma);
  bool done = add_gradient(an, w, weighting, part, to);
  weighting_free(weighting);
  eval_work_free(w);
  fitting_free(f);
  return done;
}

// Solves R'R d = g in place. false: some direction is not seen at all.
static bool solve(const double *R, int n, double *g) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(R[i * n + i]) > 0)) return false;
    for (int k = 0; k < i; k++) g[i] -= R[k * n + i] * g[k];
    g[i] /= R[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) g[i] -= R[i * n + k] * g[k];
    g[i] /= R[i * n + i];
  }
  return true;
}

// g: grad W - grad V, of which this part counts.
static EstimateShift largest_shift(Analysis *an, const double *R, double *g, double part) {
  EstimateShift s = {0};
  if (!solve(R, an->s->n, g)) return s;
  for (int k = 0; k < an->s->n; k++) {
    double error = an->s->parameters[k].std_error, errors = part * fabs(g[k]) / error;
    if (!isfinite(errors) || errors <= s.errors) continue;
    s = (EstimateShift){true, k, -part * g[k], errors, part};
  }
  return s;
}

static EstimateShift shift_towards(Analysis *an, const Problem *const *others, int count,
                                   bool noise) {
  Gradient own = gradient_room(an), other = gradient_room(an);
  if (!add_gradient(an, an->work, an->weighting, 1, &own)) return (EstimateShift){0};
  for (int i = 0; i < count; i++)
    if (!add_gradient_of(an, others[i], 1.0 / count, &other)) return (EstimateShift){0};
  for (int k = 0; k < an->s->n; k++) other.g[k] -= own.g[k];
  double rise = other.objective - own.objective;
  double part = noise && rise > own.objective ? own.objective / rise : 1;
  return largest_shift(an, own.R, other.g, part);
}

EstimateShift shift_by_integrator(Analysis *an) {
  const Problem *other = problem_by_integrator(an->scratch, an->p);
  return shift_towards(an, &other, 1, false);
}

EstimateShift shift_by_noise(Analysis *an) {
  const Problem *pair[] = {problem_with_noise(an->scratch, an->p, 1),
                           problem_with_noise(an->scratch, an->p, -1)};
  return shift_towards(an, pair, 2, true);
}
