// A study with known truth as text, JSON, and a CSV file of all trials.
#pragma once
#include "study/recover.h"
#include "write/page.h"

void recover_text(Text *out, const Recover *r, PageStyle style);
void recover_json(Text *out, const Recover *r, const char *version);
// trial,succeeded,objective,objective_truth,simulations, then estimate and standard error of each unknown
void recover_csv(Text *out, const Recover *r);
