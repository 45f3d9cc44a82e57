#include "report/fit_trace.h"

#include <math.h>

#include "write/cells.h"

struct FitTrace {
  Arena *arena;
  const Problem *problem;
  ARRAY(FitTracePoint) points;
};

FitTrace *fit_trace_new(const Problem *p) {
  Arena *a = arena_new();
  FitTrace *t = ARENA_NEW(a, FitTrace);
  t->arena = a;
  t->problem = p;
  return t;
}

void fit_trace_free(FitTrace *t) {
  if (t) arena_free(t->arena);
}

int fit_trace_count(const FitTrace *t) {
  return t->points.count;
}

const FitTracePoint *fit_trace_point(const FitTrace *t, int i) {
  return &t->points.at[i];
}

static bool is_repeated(const FitTrace *t, const FitTracePoint *last, const FitProgress *p) {
  return strcmp(last->stage, p->stage) == 0 && last->lambda == p->lambda &&
         last->iteration == p->iteration && last->objective == p->objective &&
         memcmp(last->x, p->x, (size_t)t->problem->unknown_count * sizeof *p->x) == 0;
}

void fit_trace_add(FitTrace *t, const FitProgress *p) {
  if (p->objective == HUGE_VAL) return; // no step yet
  const FitTracePoint *last = t->points.count ? &t->points.at[t->points.count - 1] : NULL;
  if (last && is_repeated(t, last, p)) return;
  bool same_stage = last && strcmp(last->stage, p->stage) == 0;
  FitTracePoint now = {.lambda = p->lambda, .objective = p->objective, .iteration = p->iteration};
  if (p->work) now.simulations = p->work->simulations + p->work->sensitivity_simulations;
  now.stage = same_stage ? last->stage : arena_copy(t->arena, p->stage, strlen(p->stage));
  now.x = ARENA_ARRAY(t->arena, double, t->problem->unknown_count + 1);
  memcpy(now.x, p->x, (size_t)t->problem->unknown_count * sizeof *p->x);
  array_push(t->arena, &t->points, now);
}

static void add_number(Text *out, double value) {
  text_add(out, ",");
  cells_number(out, value);
}

void fit_trace_csv(const FitTrace *t, Text *out) {
  text_add(out, "stage,lambda,iteration,objective");
  for (int i = 0; i < t->problem->unknown_count; i++) {
    text_add(out, ",");
    cells_text(out, t->problem->unknowns[i].name);
  }
  text_add(out, "\n");
  for (int k = 0; k < t->points.count; k++) {
    const FitTracePoint *p = &t->points.at[k];
    cells_text(out, p->stage);
    add_number(out, p->lambda);
    add_number(out, p->iteration);
    add_number(out, p->objective);
    for (int i = 0; i < t->problem->unknown_count; i++) add_number(out, p->x[i]);
    text_add(out, "\n");
  }
}
