// Simulations that failed, by how they ended.
#pragma once
#include "search/fit_result.h"
#include "write/json.h"
#include "write/page.h"

// One paragraph for each kind: how many of `all`, where and why for example.
void failures_text(Page *p, const Problem *problem, const FitFailure *list, int count, long all);
// "failures": [{reason, count, parameters, log}]
void failures_json(Json *j, const Problem *problem, const FitFailure *list, int count);
