// What is said about free-running simulations: errors in windows, experiments for validation.
#pragma once
#include "stats/run_errors.h"
#include "write/json.h"
#include "write/page.h"

const char *fit_percent_text(Page *p, double percent);
// "windows": {"transient": {"n": ..., "rmse": ...}} of a channel; errors by window of the experiment, NULL: not known.
void run_windows_json(Json *j, const Experiment *e, const SpanError *errors);
// Members of "channels", of role validation.
void run_channels_json(Json *j, const RunErrors *r, const char *role);
void run_windows_text(Page *p, const RunErrors *r); // nothing if there are no windows
void run_failed_text(Page *p, const RunErrors *r);  // experiments that could not be simulated
void run_validation_text(Page *p, const RunErrors *r);
