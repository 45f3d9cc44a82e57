#include "residual/budget.h"

enum { STEPS_BETWEEN_QUESTIONS = 2000 }; // some milliseconds

long budget_left(const Budget *b) {
  return b->max_simulations - work_count_simulations(&b->used);
}

int budget_affords(const Budget *b, int evaluations, int experiments) {
  long most = budget_left(b) / experiments;
  return most >= evaluations ? evaluations : most > 0 ? (int)most : 0;
}

bool budget_owner_goes_on(const Budget *b) {
  return !b || !b->goes_on || b->goes_on(b->data);
}

bool budget_allows_more(const Budget *b) {
  return !b || (!b->exhausted && budget_left(b) > 0 && budget_owner_goes_on(b));
}

bool budget_allows_step(Budget *b) {
  return !b || ++b->steps_seen % STEPS_BETWEEN_QUESTIONS || budget_owner_goes_on(b);
}
