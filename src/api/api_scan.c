// The public library: scans of the objective.
#include <math.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "report/scan_figure.h"
#include "report/scan_report.h"
#include "report/scan_screen.h"

struct EntrainScan {
  ObjectiveScan scan; // only for the type: an EntrainScan * points to an ObjectiveScan
};

static const ObjectiveScan *scan_of(const EntrainScan *s) {
  return &s->scan;
}

static EntrainScanState state_of(const ObjectiveScan *s) {
  return (EntrainScanState){.size = sizeof(EntrainScanState),
                            .points = s->points * s->lambda_count,
                            .done = s->done,
                            .failed = s->failed,
                            .seconds = s->work.seconds,
                            .whole = s->cut == FIT_CUT_NOTHING,
                            .failed_why = s->failures.count ? s->failures.at[0].log : ""};
}

typedef struct ScanRelay {
  EntrainScanListener *listener;
  void *data;
} ScanRelay;

static bool relay(void *data, const ObjectiveScan *s) {
  const ScanRelay *to = data;
  EntrainScanState told = state_of(s);
  told.whole = false;
  if (!to->listener) return true;
  PatienceLeft around = patience_leave();
  return patience_return(around, to->listener(to->data, &told));
}

static bool is_complete(const EntrainScanRequest *q, EntrainError *error) {
  if (q->axis_count < 1 || q->axis_count > SCAN_AXES || !q->axes)
    return api_missing("axis, or there are more than two,", error);
  for (int k = 0; k < q->axis_count; k++)
    if (!q->axes[k].name) return api_missing("name of an axis", error);
  return q->lambda_count >= 0 || api_missing("number of lambdas", error);
}

EntrainScan *entrain_scan_run(const EntrainProblem *problem, const EntrainScanRequest *given,
                              EntrainScanListener *listener, void *data, EntrainError *error) {
  if (!problem) return api_none("problem", error);
  if (!given) return api_none("request", error);
  Err err = {0};
  EntrainScanRequest full, *q = &full;
  if (!API_TAKE(q, EntrainScanRequest, given, &err)) return api_fine(&err, error), NULL;
  if (!is_complete(q, error)) return NULL;
  ScanRelay to = {listener, data};
  ScanAxis axes[SCAN_AXES];
  for (int k = 0; k < q->axis_count; k++)
    axes[k] = (ScanAxis){.name = q->axes[k].name,
                         .from = q->axes[k].from,
                         .to = q->axes[k].to,
                         .count = q->axes[k].count,
                         .log = q->axes[k].log};
  ScanRequest request = {
      axes,      q->axis_count,   q->lambda_count ? q->lambda : NULL, q->lambda_count,
      q->values, q->log_objective};
  ObjectiveScan *s = scan_run(problem->problem, &request, relay, &to, &err);
  api_publish(&err, error);
  return (EntrainScan *)s;
}

void entrain_scan_free(EntrainScan *s) {
  if (s) scan_free(&s->scan);
}

bool entrain_scan_state(const EntrainScan *s, EntrainScanState *out) {
  EntrainScanState state = s ? state_of(scan_of(s)) : (EntrainScanState){0};
  return api_give(out, &state, sizeof state) && s;
}

double entrain_scan_objective(const EntrainScan *scan, int lambda, int point) {
  if (!scan) return nan("");
  const ObjectiveScan *s = scan_of(scan);
  if (lambda < 0 || lambda >= s->lambda_count || point < 0 || point >= s->points) return nan("");
  return s->objective[(size_t)lambda * (size_t)s->points + (size_t)point];
}

int entrain_scan_best(const EntrainScan *scan, int lambda) {
  if (!scan || lambda < 0 || lambda >= scan_of(scan)->lambda_count) return -1;
  return scan_of(scan)->best[lambda];
}

// ---------------------------------------------------------------- the grid

int entrain_scan_point_count(const EntrainScan *s) {
  return s ? scan_of(s)->points : 0;
}

int entrain_scan_axis_count(const EntrainScan *s) {
  return s ? scan_of(s)->axis_count : 0;
}

bool entrain_scan_axis(const EntrainScan *s, int i, EntrainScanAxis *out) {
  if (!out || i < 0 || i >= entrain_scan_axis_count(s)) return false;
  const ScanAxis *a = &scan_of(s)->axes[i];
  *out = (EntrainScanAxis){a->name, a->from, a->to, a->count, a->log};
  return true;
}

double entrain_scan_value(const EntrainScan *s, int point, int axis) {
  if (point < 0 || point >= entrain_scan_point_count(s)) return nan("");
  if (axis < 0 || axis >= entrain_scan_axis_count(s)) return nan("");
  const ScanAxis *axes = scan_of(s)->axes;
  for (int k = 0; k < axis; k++) point /= axes[k].count;
  return scan_value(&axes[axis], point % axes[axis].count);
}

int entrain_scan_lambda_count(const EntrainScan *s) {
  return s ? scan_of(s)->lambda_count : 0;
}

double entrain_scan_lambda(const EntrainScan *s, int i) {
  return i >= 0 && i < entrain_scan_lambda_count(s) ? scan_of(s)->lambda[i] : nan("");
}

int entrain_scan_failure_count(const EntrainScan *s) {
  return s ? scan_of(s)->failures.count : 0;
}

bool entrain_scan_failure(const EntrainScan *s, int i, EntrainFailure *out) {
  return s && api_give_failure(scan_of(s)->failures.at, scan_of(s)->failures.count, i, out);
}

// ---------------------------------------------------------------- texts and pictures

char *entrain_scan_report(const EntrainScan *s, int width, bool colour) {
  if (!s) return NULL;
  Text t;
  text_init(&t);
  scan_text(&t, scan_of(s), api_style(width, colour));
  return t.at;
}

char *entrain_scan_plot(const EntrainScan *s, int width, int height, bool colour) {
  if (!s) return NULL;
  Text t;
  text_init(&t);
  scan_screen(&t, scan_of(s), api_size(height), api_style(width, colour));
  return t.at;
}

char *entrain_scan_csv(const EntrainScan *s) {
  if (!s) return NULL;
  Text t;
  text_init(&t);
  scan_csv(&t, scan_of(s));
  return t.at;
}

char *entrain_scan_svg(const EntrainScan *s) {
  if (!s) return NULL;
  Arena *a = arena_new();
  return api_svg(scan_figure(a, scan_of(s)), a);
}

char *entrain_scan_png(const EntrainScan *s, size_t *length) {
  if (!s) return NULL;
  Arena *a = arena_new();
  return api_png(scan_figure(a, scan_of(s)), a, length);
}

EntrainFigures *entrain_scan_figures(const EntrainScan *s) {
  if (!s) return NULL;
  FigureList *l = figure_list_new();
  figure_list_add(l, "scan", NULL, scan_figure(l->arena, scan_of(s)));
  return api_figures(l);
}
