#include "closed/worker_message.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "random_program.h"

// What a random message says, so that it can be said again and compared.
enum { PARTS = 12, ITEMS_MOST = 40 };

typedef enum Kind { BYTES, INT, NUMBER, NUMBERS, INTS, TEXT, NO_TEXT, KINDS } Kind;

typedef struct Part {
  Kind kind;
  int count;
  long whole;
  double numbers[ITEMS_MOST];
  int ints[ITEMS_MOST];
  char text[ITEMS_MOST + 1];
} Part;

static Part random_part(uint64_t *state) {
  Part p = {.kind = (Kind)random_below(state, KINDS), .count = random_below(state, ITEMS_MOST)};
  p.whole = (long)random_next(state);
  for (int i = 0; i < p.count; i++) {
    p.numbers[i] = random_number(state, true);
    p.ints[i] = (int)random_next(state);
    p.text[i] = (char)(1 + random_below(state, 255));
  }
  return p;
}

static void put_part(Message *m, const Part *p) {
  switch (p->kind) {
  case BYTES: put_bytes(m, p->text, (size_t)p->count); break;
  case INT: put_int(m, p->whole); break;
  case NUMBER: put_number(m, p->numbers[0]); break;
  case NUMBERS: put_numbers(m, p->numbers, (size_t)p->count); break;
  case INTS: put_ints(m, p->ints, p->count); break;
  case TEXT: put_text(m, p->text); break;
  default: put_text(m, NULL);
  }
}

// Reads what should be p. compare: and it must be p, bit for bit.
static void get_part(Message *m, Arena *a, const Part *p, bool compare) {
  char bytes[ITEMS_MOST + 1] = "";
  int count = p->count;
  const void *got = bytes, *wanted = p->text;
  size_t length = 0;
  double number;
  long whole;
  switch (p->kind) {
  case BYTES: get_bytes(m, bytes, length = (size_t)count); break;
  case INT:
    whole = get_int(m);
    got = &whole, wanted = &p->whole, length = sizeof whole;
    break;
  case NUMBER:
    number = get_number(m);
    got = &number, wanted = p->numbers, length = sizeof number;
    break;
  case NUMBERS:
    got = get_numbers(m, a, &count), wanted = p->numbers;
    length = (size_t)count * sizeof number;
    break;
  case INTS:
    got = get_ints(m, a, &count), wanted = p->ints;
    length = (size_t)count * sizeof(int);
    break;
  default:
    got = get_text(m, a);
    if (compare) assert_int_equal(got == NULL, p->kind == NO_TEXT);
    length = got ? strlen(got) + 1 : 0;
    if (compare && got) assert_int_equal(length, strlen(p->text) + 1);
  }
  if (!compare) return;
  assert_int_equal(count, p->count);
  if (length) assert_memory_equal(got, wanted, length);
}

static void put_random(Message *m, Part *parts, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int i = 0; i < PARTS; i++) {
    parts[i] = random_part(&state);
    put_part(m, &parts[i]);
  }
}

static void what_is_put_is_what_is_read(void **state) {
  (void)state;
  Part parts[PARTS];
  Message m;
  message_init(&m);
  for (uint64_t seed = 1; seed <= 300; seed++) {
    Arena *a = arena_new();
    message_clear(&m);
    put_random(&m, parts, seed);
    for (int i = 0; i < PARTS; i++) get_part(&m, a, &parts[i], true);
    assert_false(m.bad);
    assert_int_equal(m.next, m.length);
    arena_free(a);
  }
  message_done(&m);
}

// In memory of exactly its length, so that the sanitizers see a read beyond it.
static void read_exactly(const char *bytes, size_t length, const Part *parts, bool *bad) {
  Arena *a = arena_new();
  Message m = {.at = malloc(length ? length : 1), .length = length, .room = length};
  memcpy(m.at, bytes, length);
  for (int i = 0; i < PARTS; i++) {
    get_part(&m, a, &parts[i], false);
    assert_true(m.next <= m.length);
  }
  *bad = m.bad;
  message_done(&m);
  arena_free(a);
}

static void a_truncated_message_is_bad_and_never_read_beyond_its_end(void **state) {
  (void)state;
  Part parts[PARTS];
  Message m;
  message_init(&m);
  for (uint64_t seed = 1; seed <= 10; seed++) {
    message_clear(&m);
    put_random(&m, parts, seed);
    for (size_t length = 0; length < m.length; length++) {
      bool bad;
      read_exactly(m.at, length, parts, &bad);
      assert_true(bad);
    }
  }
  message_done(&m);
}

static void a_corrupted_message_is_never_read_beyond_its_end(void **state) {
  (void)state;
  Part parts[PARTS];
  Message m;
  message_init(&m);
  uint64_t noise = 7;
  for (uint64_t seed = 1; seed <= 2000; seed++) {
    bool bad;
    message_clear(&m);
    put_random(&m, parts, seed);
    for (int k = 0; k < 4; k++)
      m.at[random_below(&noise, (int)m.length)] = (char)random_next(&noise);
    read_exactly(m.at, m.length, parts, &bad);
  }
  message_done(&m);
}

static void after_the_end_everything_reads_as_nothing(void **state) {
  (void)state;
  Arena *a = arena_new();
  Message m;
  message_init(&m);
  put_number(&m, 5);
  assert_true(get_number(&m) == 5);
  int count = 7;
  char bytes[3] = "ab";
  assert_false(m.bad);
  assert_true(get_number(&m) == 0);
  assert_true(m.bad);
  assert_int_equal(get_int(&m), 0);
  assert_int_equal(get_count(&m, 1), 0);
  get_numbers(&m, a, &count);
  assert_int_equal(count, 0);
  assert_false(get_bytes(&m, bytes, 2));
  assert_int_equal(bytes[0], 0);
  assert_string_equal(get_text(&m, a), "");
  message_clear(&m);
  assert_false(m.bad);
  message_done(&m);
  arena_free(a);
}

static void a_count_is_no_more_than_what_can_follow(void **state) {
  (void)state;
  static const long COUNTS[] = {-1, 3, LONG_MAX, LONG_MIN, 1L << 32};
  Message m;
  message_init(&m);
  put_int(&m, 2);
  put_bytes(&m, "sixteen bytes...", 16);
  assert_int_equal(get_count(&m, 8), 2);
  for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
    message_clear(&m);
    put_int(&m, COUNTS[i]);
    put_bytes(&m, "sixteen bytes...", 16);
    assert_int_equal(get_count(&m, 8), 0);
    assert_true(m.bad);
  }
  message_done(&m);
}

static void room_for_a_message_that_is_received_is_as_long_as_asked(void **state) {
  (void)state;
  Message m;
  message_init(&m);
  for (size_t length = 0; length < 5000; length = 3 * length + 1) {
    memset(message_room(&m, length), 'x', length);
    assert_int_equal(m.length, length);
    assert_int_equal(m.next, 0);
  }
  message_done(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_put_is_what_is_read),
      cmocka_unit_test(a_truncated_message_is_bad_and_never_read_beyond_its_end),
      cmocka_unit_test(a_corrupted_message_is_never_read_beyond_its_end),
      cmocka_unit_test(after_the_end_everything_reads_as_nothing),
      cmocka_unit_test(a_count_is_no_more_than_what_can_follow),
      cmocka_unit_test(room_for_a_message_that_is_received_is_as_long_as_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
