// The public library: checks before a fit, studies with known truth.
#include <math.h>

#include "api/api.h"
#include "api/api_figures.h"
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
  if (!c) return false;
  if (i < 0 || i >= check_of(c)->findings.count) return false;
  const Finding *f = &check_of(c)->findings.at[i];
  return API_GIVE(out, EntrainFinding, (EntrainFindingKind)f->kind, f->topic, f->text);
}

bool entrain_check_state(const EntrainCheck *check, EntrainCheckState *out) {
  if (!check) return API_GIVE(out, EntrainCheckState, 0) && false;
  const Check *c = check_of(check);
  return API_GIVE(out, EntrainCheckState, .passed = check_passed(c), .starts = c->starts,
                  .stopped = c->stopped, .objective_start = c->objective_start, .floor = c->floor,
                  .rank = c->statistics ? c->statistics->rank : -1);
}

bool entrain_check_unknown(const EntrainCheck *check, int i, EntrainChecked *out) {
  if (!check || i < 0 || i >= check_of(check)->problem->unknown_count) return false;
  const Check *c = check_of(check);
  const StatParameter *s = c->statistics ? &c->statistics->parameters[i] : NULL;
  return API_GIVE(out, EntrainChecked, .name = c->problem->unknowns[i].name, .known = s != NULL,
                  .identifiable = s && s->identifiable, .inactive = s && s->inactive,
                  .relative_at_1_percent = s ? s->relative_at_1_percent : nan(""),
                  .reason = s && s->reason ? s->reason : "");
}

double entrain_check_singular_value(const EntrainCheck *check, int i) {
  const Statistics *s = check ? check_of(check)->statistics : NULL;
  return s && i >= 0 && i < s->n ? s->singular_values[i] : nan("");
}

double entrain_check_sensitivity(const EntrainCheck *check, int channel, int unknown) {
  const Check *c = check ? check_of(check) : NULL;
  if (!c || !c->sensitivity || unknown < 0 || unknown >= c->problem->unknown_count) return nan("");
  int channels = 0;
  for (int e = 0; e < c->problem->experiment_count; e++)
    channels += c->problem->experiments[e].channel_count;
  if (channel < 0 || channel >= channels) return nan("");
  return c->sensitivity[(size_t)channel * (size_t)c->problem->unknown_count + (size_t)unknown];
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
  return (EntrainTrials){.size = sizeof(EntrainTrials),
                         .trials = r->trials,
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
  if (!to->listener) return true;
  PatienceLeft around = patience_leave();
  return patience_return(around, to->listener(to->data, &told));
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

bool entrain_recover_trials(const EntrainRecover *r, EntrainTrials *out) {
  EntrainTrials trials = r ? trials_of(recover_of(r)) : (EntrainTrials){0};
  return api_give(out, &trials, sizeof trials) && r;
}

bool entrain_recover_trial(const EntrainRecover *recover, int i, EntrainTrial *out) {
  if (!recover || i < 0 || i >= recover_of(recover)->done) return false;
  const Recover *r = recover_of(recover);
  size_t row = (size_t)i * (size_t)r->problem->unknown_count;
  return API_GIVE(out, EntrainTrial, .succeeded = r->ok[i], .fits = r->fit[i],
                  .outcome = fit_outcome_word(r->outcome[i]),
                  .verdict = r->confirmed ? fit_verdict_word(r->verdict[i]) : "",
                  .objective = r->objectives[i], .objective_truth = r->objectives_truth[i],
                  .simulations = r->work[i], .values = r->estimates + row,
                  .std_errors = r->std_errors + row);
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
  return API_GIVE(out, EntrainRecovered, f->name, f->unit ? f->unit : "", p->truth, p->mean,
                  p->bias, p->spread, p->predicted, p->coverage, p->bias_t);
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
