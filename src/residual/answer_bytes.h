// What a computation leaves behind, as the bytes of an answer of a record (base/record.h).
#pragma once
#include "base/record.h"
#include "residual/budget.h"

// Appends numbers and texts, or takes them in the same order: one function says for both what belongs to an answer.
typedef struct AnswerBytes {
  Text *to; // NULL: bytes are taken
  const char *from;
  size_t left;
  bool failed; // there were too few
} AnswerBytes;

void answer_bytes(AnswerBytes *b, void *at, size_t length);
// A text in an array of `room` bytes.
void answer_text(AnswerBytes *b, char *at, size_t room);
// What was counted and noted since `before`; of a budget, which may be NULL.
typedef struct BudgetMark {
  WorkCount used;
  bool exhausted;
} BudgetMark;
BudgetMark budget_mark(const Budget *b);
void answer_budget(AnswerBytes *b, Budget *budget, const BudgetMark *before, int unknowns);
