#include "code/live.h"

#include "test.h"

static void next_uses_are_found_and_unused_instructions_are_not_needed(void **state) {
  (void)state;
  Instr code[] = {
      {.op = OP_INPUT},               // 0
      {.op = OP_INPUT, .index = 1},   // 1
      {.op = OP_ADD, .a = 0, .b = 1}, // 2
      {.op = OP_MUL, .a = 2, .b = 2}, // 3: only for 4
      {.op = OP_SIN, .a = 3},         // 4: nobody wants it
      {.op = OP_SUB, .a = 2, .b = 0}, // 5
      {.op = OP_RESULT, .a = 5},      // 6
  };
  Program p = {.code = code, .count = 7, .input_counts = {2}, .result_count = 1};
  Arena *arena = arena_new();
  const LiveValue *live = live_find(&p, arena);
  assert_false(live[3].is_needed || live[4].is_needed);
  assert_true(live[2].is_needed && live[5].is_needed && live[6].is_needed);
  assert_int_equal(live[0].first, 2);
  assert_int_equal(live[2].first, 5);
  assert_int_equal(live[2].next[0], 5);
  assert_int_equal(live[2].next[1], LIVE_NEVER);
  assert_int_equal(live[5].next[0], LIVE_NEVER);
  arena_free(arena);
}

static void a_relation_stays_a_mask_only_while_nobody_computes_with_it(void **state) {
  (void)state;
  Instr code[] = {
      {.op = OP_INPUT},                          // 0
      {.op = OP_LT, .a = 0, .b = 0},             // 1: decides
      {.op = OP_LE, .a = 0, .b = 0},             // 2: decides, and is a result
      {.op = OP_AND, .a = 1, .b = 2},            // 3: decides
      {.op = OP_SELECT, .a = 3, .b = 0, .c = 0}, // 4
      {.op = OP_RESULT, .a = 4},
      {.op = OP_RESULT, .a = 2, .index = 1},
  };
  Program p = {.code = code, .count = 7, .input_counts = {1}, .result_count = 2};
  Arena *arena = arena_new();
  const LiveValue *live = live_find(&p, arena);
  assert_true(live[1].stays_mask && live[3].stays_mask);
  assert_false(live[2].stays_mask || live[4].stays_mask || live[0].stays_mask);
  arena_free(arena);
}

static void a_fetched_slot_can_be_read_again_until_it_may_change(void **state) {
  (void)state;
  Instr code[] = {
      {.op = OP_FETCH, .index = 0},          // 0: last used before the block
      {.op = OP_FETCH, .index = 1},          // 1: used after the block
      {.op = OP_FETCH, .index = 2},          // 2: used after slot 2 is stored anew
      {.op = OP_FETCH, .index = 3},          // 3: used by the very store that changes it
      {.op = OP_STORE, .a = 0, .index = 2},  // 4
      {.op = OP_STORE, .a = 3, .index = 3},  // 5
      {.op = OP_RESULT, .a = 2},             // 6
      {.op = OP_BLOCK},                      // 7
      {.op = OP_RESULT, .a = 1, .index = 1}, // 8
  };
  Program p = {.code = code, .count = 9, .result_count = 2, .work_count = 4, .block_count = 1};
  Arena *arena = arena_new();
  const LiveValue *live = live_find(&p, arena);
  assert_true(live[0].can_read_again && live[3].can_read_again);
  assert_false(live[1].can_read_again || live[2].can_read_again);
  arena_free(arena);
}

static void sincos_is_needed_for_its_second_result(void **state) {
  (void)state;
  Instr code[] = {{.op = OP_INPUT},
                  {.op = OP_SINCOS, .a = 0},
                  {.op = OP_SECOND, .a = 1},
                  {.op = OP_RESULT, .a = 2}};
  Program p = {.code = code, .count = 4, .input_counts = {1}, .result_count = 1};
  Arena *arena = arena_new();
  const LiveValue *live = live_find(&p, arena);
  assert_true(live[1].is_needed && live[2].is_needed);
  assert_int_equal(live[1].first, LIVE_NEVER);
  arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(next_uses_are_found_and_unused_instructions_are_not_needed),
      cmocka_unit_test(a_relation_stays_a_mask_only_while_nobody_computes_with_it),
      cmocka_unit_test(a_fetched_slot_can_be_read_again_until_it_may_change),
      cmocka_unit_test(sincos_is_needed_for_its_second_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
