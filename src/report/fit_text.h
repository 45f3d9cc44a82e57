// A fit for people.
#pragma once
#include "report/fit_report.h"
#include "write/page.h"

void fit_text(Text *out, const FitReport *r, PageStyle style);
