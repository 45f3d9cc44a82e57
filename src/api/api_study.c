// The public library: checks before a fit, studies with known truth.
#include "api/api.h"
#include "api/api_figures.h"
#include "base/patience.h"
#include "report/check_figure.h"
#include "report/check_json.h"
#include "report/check_text.h"
#include "report/fit_figures.h"
#include "report/recover_figure.h"
#include "report/recover_report.h"
#include "study/check_run.h"

struct EntrainCheck {
  Check check; // only for the type: an EntrainCheck * points to a Check
};
struct EntrainRecover {
  Recover recover;
};

static const Check *check_of(const EntrainCheck *c) {
  return &c->check;
}
static const Recover *recover_of(const EntrainRecover *r) {
  return &r->recover;
}

EntrainCheck *entrain_check_run(const EntrainProblem *p) {
  if (!p) return NULL;
  return (EntrainCheck *)check_run(p->problem);
}

void entrain_check_free(EntrainCheck *c) {
  if (c) check_free(&c->check);
}

bool entrain_check_passed(const EntrainCheck *c) {
  if (!c) return false;
  return check_passed(check_of(c));
}
int entrain_check_count(const EntrainCheck *c) {
  if (!c) return 0;
  return check_of(c)->findings.count;
}

bool entrain_check_finding(const EntrainCheck *c, int i, EntrainFinding *out) {
  if (!c || !out) return false;
  if (i < 0 || i >= check_of(c)->findings.count) return false;
  const Finding *f = &check_of(c)->findings.at[i];
  *out = (EntrainFinding){(EntrainFindingKind)f->kind, f->topic, f->text};
  return true;
}

char *entrain_check_report(const EntrainCheck *c, int width, bool colour) {
  if (!c) return NULL;
  Text t;
  text_init(&t);
  check_text(&t, check_of(c), api_style(width, colour));
  return t.at;
}

char *entrain_check_json(const EntrainCheck *c) {
  if (!c) return NULL;
  Text t;
  text_init(&t);
  check_json(&t, check_of(c), entrain_version());
  return t.at;
}

EntrainFigures *entrain_check_figures(const EntrainCheck *c) {
  if (!c) return NULL;
  const Check *check = check_of(c);
  FigureList *l = figure_list_new();
  figure_list_add(l, "sensitivity", NULL, check_sensitivity_figure(l->arena, check));
  Patience patience = {.until = patience_until(check->problem->options.max_seconds)};
  patience_begin(&patience);
  if (check->starts) start_figures(l, check->problem);
  patience_end(&patience);
  return api_figures(l);
}

// ---------------------------------------------------------------- recover

typedef struct TrialRelay {
  EntrainTrialListener *listener;
  void *data;
} TrialRelay;

static EntrainTrials trials_of(const Recover *r) {
  return (EntrainTrials){.trials = r->trials,
                         .done = r->done,
                         .succeeded = r->succeeded,
                         .confirmed = r->confirmed,
                         .fits = r->fits,
                         .false_fits = r->false_fits,
                         .certain = r->certain,
                         .false_certain = r->false_certain,
                         .agreed = r->verdicts[FIT_AGREED],
                         .ambiguous = r->verdicts[FIT_AMBIGUOUS],
                         .doubtful = r->verdicts[FIT_DOUBTFUL],
                         .seconds = r->seconds};
}

// Sums are computed at the end of a study; listeners need them earlier.
static bool relay(void *data, const Recover *r) {
  const TrialRelay *to = data;
  EntrainTrials told = trials_of(r);
  told.succeeded = 0;
  for (int i = 0; i < r->done; i++) told.succeeded += r->ok[i];
  return !to->listener || to->listener(to->data, &told);
}

EntrainRecover *entrain_recover_run(const EntrainProblem *p, const double *truth,
                                    bool random_starts, EntrainTrialListener *listener, void *data,
                                    EntrainError *error) {
  if (!p) return api_none("problem", error);
  Err err = {0};
  TrialRelay to = {listener, data};
  Recover *r = recover_run(p->problem, truth, random_starts, relay, &to, &err);
  api_publish(&err, error);
  return (EntrainRecover *)r;
}

void entrain_recover_free(EntrainRecover *r) {
  if (r) recover_free(&r->recover);
}

void entrain_recover_trials(const EntrainRecover *r, EntrainTrials *out) {
  if (!out) return;
  *out = (EntrainTrials){0};
  if (!r) return;
  *out = trials_of(recover_of(r));
}
int entrain_recover_count(const EntrainRecover *r) {
  if (!r) return 0;
  return recover_of(r)->problem->unknown_count;
}

bool entrain_recover_unknown(const EntrainRecover *r, int i, EntrainRecovered *out) {
  if (!r || !out) return false;
  const Recover *s = recover_of(r);
  if (i < 0 || i >= s->problem->unknown_count) return false;
  const RecoverParameter *p = &s->parameters[i];
  const Unknown *f = &s->problem->unknowns[i];
  *out = (EntrainRecovered){f->name,   f->unit ? f->unit : "", p->truth,   p->mean, p->bias,
                            p->spread, p->predicted,           p->coverage};
  return true;
}

char *entrain_recover_report(const EntrainRecover *r, int width, bool colour) {
  if (!r) return NULL;
  Text t;
  text_init(&t);
  recover_text(&t, recover_of(r), api_style(width, colour));
  return t.at;
}

char *entrain_recover_json(const EntrainRecover *r) {
  if (!r) return NULL;
  Text t;
  text_init(&t);
  recover_json(&t, recover_of(r), entrain_version());
  return t.at;
}

char *entrain_recover_csv(const EntrainRecover *r) {
  if (!r) return NULL;
  Text t;
  text_init(&t);
  recover_csv(&t, recover_of(r));
  return t.at;
}

EntrainFigures *entrain_recover_figures(const EntrainRecover *r) {
  if (!r) return NULL;
  FigureList *l = figure_list_new();
  recover_figures(l, recover_of(r));
  return api_figures(l);
}
