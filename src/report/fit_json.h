// A fit as JSON.
#pragma once
#include "report/fit_report.h"
#include "write/json.h"

void fit_json(Text *out, const FitReport *r, const char *version);
void fit_json_identifiability(Json *j, const Statistics *s); // a member; also used by check
void fit_json_optima(Json *j, const FitResult *r);           // a member; also of profiles
