// A study with known truth: for people, for other programs, and every trial.
#pragma once
#include "study/recover.h"
#include "write/page.h"

void recover_text(Text *out, const Recover *r, PageStyle style);
void recover_json(Text *out, const Recover *r, const char *version);
// trial,succeeded,objective,objective_truth,simulations, then estimate and standard error of each number
void recover_csv(Text *out, const Recover *r);
