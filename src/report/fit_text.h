// A fit as text.
#pragma once
#include "report/fit_report.h"
#include "write/page.h"

void fit_text(Text *out, const FitReport *r, PageStyle style);
