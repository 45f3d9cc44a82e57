#include "residual/budget.h"

#include <stddef.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "base/text.h"

// ---------------------------------------------------------------- simulations that failed

FailedSimulation *failed_simulations_new(Arena *a, int unknowns) {
  FailedSimulation *all = ARENA_ARRAY(a, FailedSimulation, OUTCOME_COUNT);
  for (int k = 0; k < OUTCOME_COUNT; k++) all[k].x = ARENA_ARRAY(a, double, unknowns + 1);
  return all;
}

void failed_simulation_note(FailedSimulation *all, Outcome how, const double *x, int unknowns,
                            const char *message) {
  if (!all || all[how].seen) return;
  all[how].seen = true;
  memcpy(all[how].x, x, (size_t)unknowns * sizeof *x);
  c_snprintf(all[how].message, sizeof all[how].message, "%.*s", FAILED_MESSAGE - 1, message);
}

const char *failure_sentence(Arena *a, const char *message) {
  const char *log = strchr(message, '\n');
  size_t length = log ? (size_t)(log - message) : strlen(message);
  while (length && strchr(". ", message[length - 1])) length--;
  while (log && *log && strchr("\n ", *log)) log++;
  if (!log || !*log) return arena_copy(a, message, length);
  Text t;
  text_init(&t);
  text_print(&t, "%.*s; it wrote: '", (int)length, message);
  for (const char *c = log; *c; c++)
    if (*c == '\n')
      text_add(&t, " / ");
    else
      text_add_bytes(&t, c, 1);
  while (t.length && strchr(" /", t.at[t.length - 1])) t.at[--t.length] = 0;
  text_add(&t, "'");
  const char *sentence = arena_copy(a, t.at, t.length);
  text_done(&t);
  return sentence;
}

typedef struct PackedFailure {
  bool seen;
  char message[FAILED_MESSAGE];
  double x[];
} PackedFailure;

static size_t packed_size(int unknowns) {
  return sizeof(PackedFailure) + (size_t)unknowns * sizeof(double);
}

size_t failed_simulations_size(int unknowns) {
  return OUTCOME_COUNT * packed_size(unknowns);
}

void failed_simulations_pack(const FailedSimulation *from, int unknowns, void *to) {
  for (int k = 0; k < OUTCOME_COUNT; k++) {
    PackedFailure *p = (PackedFailure *)((char *)to + (size_t)k * packed_size(unknowns));
    p->seen = from[k].seen;
    if (!p->seen) continue;
    memcpy(p->message, from[k].message, sizeof p->message);
    memcpy(p->x, from[k].x, (size_t)unknowns * sizeof *p->x);
  }
}

void failed_simulations_unpack(const void *from, int unknowns, FailedSimulation *into) {
  for (int k = 0; k < OUTCOME_COUNT; k++) {
    const PackedFailure *p =
        (const PackedFailure *)((const char *)from + (size_t)k * packed_size(unknowns));
    if (p->seen) failed_simulation_note(into, (Outcome)k, p->x, unknowns, p->message);
  }
}

// ---------------------------------------------------------------- the budget

void budget_count_failed_runs(Budget *b, const ClosedRuns *runs, const double *x, int unknowns) {
  for (int k = 0; k < OUTCOME_COUNT; k++) b->used.ended[k] += runs->ended[k];
  if (runs->message[0]) failed_simulation_note(b->failed, runs->how, x, unknowns, runs->message);
}

long budget_left(const Budget *b) {
  return b->max_simulations - work_count_simulations(&b->used);
}

int budget_affords(const Budget *b, int evaluations, int experiments) {
  long most = budget_left(b) / experiments;
  return most >= evaluations ? evaluations : most > 0 ? (int)most : 0;
}

bool budget_allows(Budget *b, long simulations) {
  if (b && budget_left(b) < simulations) b->exhausted = true;
  return (!b || !b->exhausted) && patience_asks();
}
