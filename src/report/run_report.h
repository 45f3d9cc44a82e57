// What is said about free-running simulations: errors in windows, experiments for validation.
#pragma once
#include "stats/pooled.h"
#include "write/json.h"
#include "write/page.h"

const char *fit_percent_text(Page *p, double percent);
// Order of channels, the worst fit first; those without one come last, the largest rmse first.
int compare_fits(double fit, double rmse, double other_fit, double other_rmse);
// Which channels are shown of many that have these fits, in that order.
const char *worst_fits_text(Page *p, int shown, const double *percent, int count);
// "windows": {"transient": {"n": ..., "rmse": ...}} of a channel; errors by window of the experiment, NULL: not known.
void run_windows_json(Json *j, const Experiment *e, const SpanError *errors);
// Members of "channels", of role validation.
void run_channels_json(Json *j, const RunErrors *r, const char *role);
// "pooled": errors of several experiments together, of both roles; empty if there are none.
void pooled_json(Json *j, Arena *a, const Problem *p, const Statistics *s, const RunErrors *run,
                 const RunErrors *validation);
void pooled_text(Page *p, const PooledErrors *e, const char *heading); // nothing if there are none
void run_windows_text(Page *p, const RunErrors *r); // nothing if there are no windows
void run_failed_text(Page *p, const RunErrors *r);  // experiments that could not be simulated
void run_validation_text(Page *p, const RunErrors *r);
