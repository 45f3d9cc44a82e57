#include "report/failures.h"

#include "residual/budget.h"

// "near k = 3, c = 0.1: "
static const char *place_of(Page *p, const Problem *problem, const double *x) {
  enum { NAMED_MOST = 6 };
  int n = problem->unknown_count;
  if (!x || !n) return "";
  Text t;
  text_init(&t);
  for (int i = 0; i < n && i < NAMED_MOST; i++)
    text_print(&t, "%s%s = %s", i ? ", " : "near ", problem->unknowns[i].name,
               page_digits(p, x[i], 4));
  text_add(&t, n > NAMED_MOST ? " ...: " : ": ");
  const char *place = arena_copy(p->arena, t.at, t.length);
  text_done(&t);
  return place;
}

void failures_text(Page *p, const Problem *problem, const FitFailure *list, int count, long all) {
  for (int k = 0; k < count; k++) {
    const FitFailure *f = &list[k];
    const char *why = f->log ? failure_sentence(p->arena, f->log) : "";
    page_paragraph(p, 2, "",
                   arena_print(p->arena, "%ld of %ld simulations ended in %s%s%s%s.", f->count, all,
                               f->reason, why[0] ? ", for example " : "",
                               why[0] ? place_of(p, problem, f->x) : "", why));
  }
}

void failures_json(Json *j, const Problem *problem, const FitFailure *list, int count) {
  json_open(j, "failures", '[', count > 0);
  for (int k = 0; k < count; k++) {
    const FitFailure *f = &list[k];
    json_open(j, NULL, '{', false);
    json_text(j, "reason", f->reason);
    json_whole(j, "count", f->count);
    if (f->x)
      json_numbers(j, "parameters", f->x, problem->unknown_count);
    else
      json_text(j, "parameters", NULL);
    json_text(j, "log", f->log);
    json_close(j);
  }
  json_close(j);
}
