// One simulation over all data, or the pieces of multiple shooting.
#include "search/result_rows.h"

#include "search/shooting_rows.h"

bool result_rows(EvalWork *w, const EvalSpec *spec, const FitPieces *pieces, const double *x,
                 ResidualSink *sink, void *data) {
  if (!pieces) return evaluate_rows(w, spec, x, sink, data);
  return shooting_rows(eval_fitting(w)->problem, pieces, spec->weighting->sigma, x, sink, data);
}

const char *result_why(const EvalWork *w, const FitPieces *pieces) {
  return pieces ? "a piece of the motion cannot be simulated" : eval_why(w);
}

typedef struct ResultPoint {
  EvalWork *w;
  const EvalSpec *spec;
  const FitPieces *pieces;
  const double *x;
} ResultPoint;

static bool give_residuals(void *self, ResidualSink *sink, void *data) {
  const ResultPoint *r = self;
  return result_rows(r->w, r->spec, r->pieces, r->x, sink, data);
}

Weighting *result_weighting(EvalWork *w, const EvalSpec *spec, const FitPieces *pieces,
                            const double *x, double *change) {
  EvalSpec values = *spec;
  values.slopes = false;
  return weighting_from_residuals(spec->weighting, give_residuals,
                                  &(ResultPoint){w, &values, pieces, x}, change);
}
