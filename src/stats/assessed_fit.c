#include "stats/assessed_fit.h"

#include "stats/assess.h"

AssessedFit assessed_fit_run(const Problem *p, const double *start, FitListener *listener,
                             void *data) {
  AssessedFit f = {.fitting = fitting_new(p)};
  f.work = eval_work_new(f.fitting, p->options.threads, NULL);
  f.result = fit_run_on(p, f.work, start, listener, data);
  f.weighting = assess_weighting(f.result, f.work);
  f.statistics = assess_fit(f.result, f.work, f.weighting);
  return f;
}

void assessed_fit_done(AssessedFit *f) {
  statistics_free(f->statistics);
  weighting_free(f->weighting);
  fit_free(f->result);
  eval_work_free(f->work);
  fitting_free(f->fitting);
}
