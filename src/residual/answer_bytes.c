#include "residual/answer_bytes.h"

#include <string.h>

void answer_bytes(AnswerBytes *b, void *at, size_t length) {
  if (b->to) {
    text_add_bytes(b->to, at, length);
  } else if (length > b->left) {
    b->failed = true;
    b->left = 0;
  } else {
    memcpy(at, b->from, length);
    b->from += length;
    b->left -= length;
  }
}

void answer_text(AnswerBytes *b, char *at, size_t room) {
  uint32_t length = b->to ? (uint32_t)strnlen(at, room - 1) : 0;
  answer_bytes(b, &length, sizeof length);
  if (length >= room) b->failed = true;
  if (b->failed) return;
  answer_bytes(b, at, length);
  at[length] = 0;
}

BudgetMark budget_mark(const Budget *b) {
  return b ? (BudgetMark){b->used, b->exhausted} : (BudgetMark){0};
}

// Of failures all that are known are kept: those that were known before change nothing.
void answer_budget(AnswerBytes *b, Budget *budget, const BudgetMark *before, int unknowns) {
  WorkCount more = {0};
  bool exhausted = false;
  if (!budget) return;
  if (b->to) {
    more = work_count_rest(&budget->used, &before->used);
    exhausted = budget->exhausted;
  }
  answer_bytes(b, &more, sizeof more);
  answer_bytes(b, &exhausted, sizeof exhausted);
  size_t size = budget->failed ? failed_simulations_size(unknowns) : 0;
  Arena *a = arena_new();
  char *failed = arena_alloc(a, 1, size + 1);
  if (b->to && size) failed_simulations_pack(budget->failed, unknowns, failed);
  answer_bytes(b, failed, size);
  if (!b->to && !b->failed) {
    work_count_add(&budget->used, &more);
    budget->exhausted |= exhausted;
    if (size) failed_simulations_unpack(failed, unknowns, budget->failed);
  }
  arena_free(a);
}
