// Checks a problem before any fit.
#pragma once
#include "study/check.h"

Check *check_run(const Problem *p); // which must outlive it
