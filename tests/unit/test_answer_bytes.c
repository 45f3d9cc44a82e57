// What is taken from the bytes of an answer is what was put into them, and bytes that are cut are found out.
#include "residual/answer_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct Left { // what some computation leaves behind
  double numbers[3];
  int whole;
  char name[12], empty[4], full[6];
} Left;

static void answer(AnswerBytes *b, Left *l) {
  answer_bytes(b, l->numbers, sizeof l->numbers);
  answer_text(b, l->name, sizeof l->name);
  answer_bytes(b, &l->whole, sizeof l->whole);
  answer_text(b, l->empty, sizeof l->empty);
  answer_text(b, l->full, sizeof l->full);
}

static const Left LEFT = {{0.1, -0.0, 5e-324}, -7, "a name", "", "12345"};

static void assert_left(const Left *l) {
  assert_memory_equal(l->numbers, LEFT.numbers, sizeof l->numbers);
  assert_int_equal(l->whole, LEFT.whole);
  assert_string_equal(l->name, LEFT.name);
  assert_string_equal(l->empty, LEFT.empty);
  assert_string_equal(l->full, LEFT.full);
}

static void what_was_put_in_comes_out(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Left l = LEFT, back;
  AnswerBytes put = {.to = &t};
  answer(&put, &l);
  answer(&put, &l);
  assert_false(put.failed);
  assert_left(&l);
  AnswerBytes take = {.from = t.at, .left = t.length};
  for (int k = 0; k < 2; k++) {
    memset(&back, 'z', sizeof back);
    answer(&take, &back);
    assert_false(take.failed);
    assert_left(&back);
  }
  assert_int_equal(take.left, 0);
  answer(&take, &back);
  assert_true(take.failed);
  text_done(&t);
}

static void bytes_that_are_cut_are_found_out(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  Left l = LEFT, back;
  answer(&(AnswerBytes){.to = &t}, &l);
  for (size_t length = 0; length < t.length; length++) {
    char *cut = malloc(length + !length); // no byte more
    memcpy(cut, t.at, length);
    AnswerBytes take = {.from = cut, .left = length};
    answer(&take, &back);
    assert_true(take.failed);
    free(cut);
  }
  text_done(&t);
}

static void a_text_that_is_too_long_is_found_out(void **state) {
  (void)state;
  for (uint32_t length = 0; length < 12; length++) {
    char bytes[40] = "", room[8];
    memset(bytes + sizeof length, 'x', 20);
    memcpy(bytes, &length, sizeof length);
    memset(room, 'y', sizeof room);
    AnswerBytes take = {.from = bytes, .left = sizeof bytes};
    answer_text(&take, room, 5);
    assert_int_equal(take.failed, length >= 5);
    if (!take.failed) assert_int_equal(strlen(room), length);
    for (int i = 5; i < 8; i++) assert_int_equal(room[i], 'y');
  }
}

// ---- budgets

enum { UNKNOWNS = 2 };

static void spend(Budget *b, long simulations, Outcome how, double x, const char *message) {
  double at[UNKNOWNS] = {x, -x};
  b->used.simulations += simulations;
  b->used.rhs += 10 * simulations;
  b->used.saved += 0.5;
  b->used.ended[how]++;
  if (b->failed) failed_simulation_note(b->failed, how, at, UNKNOWNS, message);
}

static Budget budget_new(Arena *a, bool keeps) {
  return (Budget){.max_simulations = 100,
                  .failed = keeps ? failed_simulations_new(a, UNKNOWNS) : NULL};
}

static void assert_same_failures(const Budget *a, const Budget *b) {
  for (int how = 0; a->failed && how < OUTCOME_COUNT; how++) {
    assert_int_equal(a->failed[how].seen, b->failed[how].seen);
    if (!a->failed[how].seen) continue;
    assert_string_equal(a->failed[how].message, b->failed[how].message);
    assert_memory_equal(a->failed[how].x, b->failed[how].x, UNKNOWNS * sizeof(double));
  }
}

// Who takes the answer has counted the same as who computed it, whatever was spent before.
static void what_was_spent_since_a_mark_is_spent_again(void **state) {
  (void)state;
  for (int keeps = 0; keeps < 2; keeps++)
    for (int exhausted = 0; exhausted < 2; exhausted++) {
      Arena *a = arena_new();
      Text t;
      text_init(&t);
      Budget one = budget_new(a, keeps), two = budget_new(a, keeps);
      spend(&one, 3, 1, 0.25, "before");
      spend(&two, 3, 1, 0.25, "before");
      BudgetMark mark = budget_mark(&one), other = budget_mark(&two);
      spend(&one, 4, 2, 0.5, "a new one");
      spend(&one, 1, 1, 0.75, "of a kind that was known");
      one.exhausted = exhausted;
      answer_budget(&(AnswerBytes){.to = &t}, &one, &mark, UNKNOWNS);
      AnswerBytes take = {.from = t.at, .left = t.length};
      answer_budget(&take, &two, &other, UNKNOWNS);
      assert_false(take.failed);
      assert_int_equal(take.left, 0);
      assert_int_equal(two.used.simulations, 8);
      assert_memory_equal(&one.used, &two.used, sizeof one.used);
      assert_int_equal(two.exhausted, exhausted);
      assert_int_equal(two.max_simulations, 100);
      assert_same_failures(&one, &two);
      if (keeps) assert_string_equal(two.failed[1].message, "before");
      // Cut bytes change nothing.
      Budget three = two;
      AnswerBytes cut = {.from = t.at, .left = t.length - 1};
      answer_budget(&cut, &two, &other, UNKNOWNS);
      assert_true(cut.failed);
      assert_memory_equal(&two.used, &three.used, sizeof two.used);
      text_done(&t);
      arena_free(a);
    }
}

static void without_a_budget_there_is_nothing_to_say(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  BudgetMark mark = budget_mark(NULL);
  answer_budget(&(AnswerBytes){.to = &t}, NULL, &mark, UNKNOWNS);
  assert_int_equal(t.length, 0);
  assert_int_equal(mark.used.simulations, 0);
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_put_in_comes_out),
      cmocka_unit_test(bytes_that_are_cut_are_found_out),
      cmocka_unit_test(a_text_that_is_too_long_is_found_out),
      cmocka_unit_test(what_was_spent_since_a_mark_is_spent_again),
      cmocka_unit_test(without_a_budget_there_is_nothing_to_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
