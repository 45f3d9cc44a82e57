#include "residual/budget.h"

#include <stddef.h>

#include "base/patience.h"

long budget_left(const Budget *b) {
  return b->max_simulations - work_count_simulations(&b->used);
}

int budget_affords(const Budget *b, int evaluations, int experiments) {
  long most = budget_left(b) / experiments;
  return most >= evaluations ? evaluations : most > 0 ? (int)most : 0;
}

bool budget_allows_more(const Budget *b) {
  return (!b || (!b->exhausted && budget_left(b) > 0)) && patience_asks();
}
