// Answers that are recorded are those that are given again, whatever was recorded before the process died.
#include "base/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/patience.h"
#include "record_trial.h"
#include "test.h"

static uint64_t random_bits(uint64_t *seed) { // splitmix64
  uint64_t z = (*seed += 0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static size_t random_below(uint64_t *seed, size_t most) {
  return (size_t)(random_bits(seed) % most);
}

// ---- packing

// Zeros in runs of any length between bytes of any kind; few are long.
static char *random_bytes(uint64_t *seed, size_t *length) {
  *length = random_below(seed, random_below(seed, 10) ? 300 : 40000);
  char *bytes = malloc(*length + !*length); // no byte more, so that a sanitizer sees what is beyond
  assert_non_null(bytes);
  for (size_t i = 0; i < *length;) {
    bool zeros = random_below(seed, 2);
    size_t most = random_below(seed, 8) ? 6 : 5000, some = 1 + random_below(seed, most);
    for (size_t k = 0; k < some && i < *length; k++)
      bytes[i++] = (char)(zeros ? 0 : 1 + random_below(seed, 255));
  }
  return bytes;
}

static void packed_bytes_come_back(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int trial = 0; trial < 4000; trial++) {
    size_t length;
    char *bytes = random_bytes(&seed, &length), *back = malloc(length + !length);
    Text packed, whole;
    text_init(&packed);
    text_init(&whole);
    text_add(&packed, "before");
    record_pack(&packed, bytes, length);
    const char *at = packed.at + strlen("before");
    size_t size = packed.length - strlen("before");
    assert_memory_equal(packed.at, "before", strlen("before"));
    assert_true(size <= length + length / 128 + 1);
    assert_int_equal(record_unpacked_length(at, size), length);
    memset(back, 77, length);
    assert_true(record_unpack(at, size, back, length));
    assert_memory_equal(back, bytes, length);
    text_add(&whole, "x");
    assert_true(record_unpack_whole(&whole, at, size));
    assert_int_equal(whole.length, length + 1);
    assert_memory_equal(whole.at + 1, bytes, length);
    text_done(&whole);
    text_done(&packed);
    free(back);
    free(bytes);
  }
}

static void zeros_take_no_room(void **state) {
  (void)state;
  for (size_t length = 2; length < (1 << 22); length = 3 * length - 1) {
    char *zeros = calloc(length, 1), *back = malloc(length);
    Text packed;
    text_init(&packed);
    record_pack(&packed, zeros, length);
    assert_in_range(packed.length, 1, 5);
    assert_true(record_unpack(packed.at, packed.length, back, length));
    assert_memory_equal(back, zeros, length);
    text_done(&packed);
    free(zeros);
    free(back);
  }
}

// A copy on the heap that ends where the bytes end.
static char *exact(const char *bytes, size_t length) {
  char *copy = malloc(length + !length);
  assert_non_null(copy);
  memcpy(copy, bytes, length);
  return copy;
}

static void damaged_bytes_are_refused_and_never_overrun(void **state) {
  (void)state;
  uint64_t seed = 2;
  int refused = 0, other = 0;
  for (int trial = 0; trial < 4000; trial++) {
    size_t length;
    char *bytes = random_bytes(&seed, &length), *back = malloc(length + !length);
    Text packed;
    text_init(&packed);
    record_pack(&packed, bytes, length);
    if (length) {
      size_t cut = random_below(&seed, packed.length);
      char *begin = exact(packed.at, cut);
      assert_false(record_unpack(begin, cut, back, length)); // the end is missing
      free(begin);
      assert_false(record_unpack(packed.at, packed.length, back, length - 1));
      char *wrong = exact(packed.at, packed.length);
      wrong[random_below(&seed, packed.length)] ^= (char)(1 << random_below(&seed, 8));
      bool taken = record_unpack(wrong, packed.length, back, length);
      refused += !taken;
      other += taken && memcmp(back, bytes, length) != 0; // plain bytes may be any
      if (taken) assert_int_equal(record_unpacked_length(wrong, packed.length), length);
      free(wrong);
    }
    text_done(&packed);
    free(back);
    free(bytes);
  }
  assert_true(refused > 500 && other > 500);
}

static void random_bytes_do_no_harm(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int trial = 0; trial < 20000; trial++) {
    char packed[24], back[200];
    size_t size = random_below(&seed, sizeof packed + 1), room = random_below(&seed, sizeof back);
    for (size_t i = 0; i < size; i++) packed[i] = (char)random_bits(&seed);
    char *from = exact(packed, size);
    memset(back, 5, sizeof back);
    if (record_unpack(from, size, back, room))
      assert_int_equal(record_unpacked_length(from, size), room);
    for (size_t i = room; i < sizeof back; i++) assert_int_equal(back[i], 5);
    free(from);
  }
}

static void a_run_of_zeros_that_cannot_be_is_refused(void **state) {
  (void)state;
  static const unsigned char ENDLESS[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                          0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
                             UNENDED[] = {0xff, 0xff}, LONG[] = {0xff, 0xff, 0xff, 0xff, 0x7f};
  char back[10];
  Text to;
  text_init(&to);
  assert_int_equal(record_unpacked_length(ENDLESS, sizeof ENDLESS), 0);
  assert_false(record_unpack(ENDLESS, sizeof ENDLESS, back, sizeof back));
  assert_false(record_unpack_whole(&to, ENDLESS, sizeof ENDLESS));
  assert_int_equal(record_unpacked_length(UNENDED, sizeof UNENDED), 0);
  assert_false(record_unpack_whole(&to, UNENDED, sizeof UNENDED));
  assert_false(record_unpack(LONG, sizeof LONG, back, sizeof back));
  assert_int_equal(to.length, 0);
  text_done(&to);
}

// ---- columns

typedef struct OneRun {
  char before[3];
  bool good;
  int outcome;
  long work;
  double objective;
} OneRun;

static const RecordColumn COLUMNS[] = {
    {"objective", RECORD_REAL, offsetof(OneRun, objective), NULL},
    {"outcome", RECORD_INT, offsetof(OneRun, outcome), "fine poor lost"},
    {"work", RECORD_LONG, offsetof(OneRun, work), NULL},
    {"good", RECORD_BOOL, offsetof(OneRun, good), NULL},
};
static const RecordLayout LAYOUT = {"start", 16, sizeof(OneRun), COLUMNS, 4};

static void values_are_read_where_the_layout_says(void **state) {
  (void)state;
  OneRun run = {.good = true, .outcome = -7, .work = 1L << 40, .objective = -0.125};
  char bytes[sizeof run + 1];
  memcpy(bytes + 1, &run, sizeof run); // not aligned
  assert_close(record_value(&COLUMNS[0], bytes + 1), -0.125, 0);
  assert_close(record_value(&COLUMNS[1], bytes + 1), -7, 0);
  assert_close(record_value(&COLUMNS[2], bytes + 1), 0x1p40, 0);
  assert_close(record_value(&COLUMNS[3], bytes + 1), 1, 0);
  bytes[1 + offsetof(OneRun, good)] = 0;
  assert_close(record_value(&COLUMNS[3], bytes + 1), 0, 0);
}

static void a_summary_has_the_best_and_counts_the_ends(void **state) {
  (void)state;
  struct {
    char head[16];
    OneRun runs[5];
  } answer = {.runs = {{.outcome = 2, .objective = 4},
                       {.outcome = 0, .objective = nan("")},
                       {.outcome = 0, .objective = -HUGE_VAL},
                       {.outcome = -1, .objective = 3},
                       {.outcome = RECORD_WORDS, .objective = 1}}};
  RecordedJob job = {.runs = 4};
  record_summarise(&LAYOUT, &answer, &job);
  assert_close(job.best, 3, 0); // the fifth does not count, nor what is not finite
  assert_int_equal(job.ended[0], 2);
  assert_int_equal(job.ended[1], 0);
  assert_int_equal(job.ended[2], 1);
  job = (RecordedJob){.runs = 5};
  record_summarise(&LAYOUT, &answer, &job);
  assert_close(job.best, 1, 0);
  int all = 0;
  for (int k = 0; k < RECORD_WORDS; k++) all += job.ended[k];
  assert_int_equal(all, 3); // numbers that have no word are left out
  job = (RecordedJob){0};
  record_summarise(&LAYOUT, &answer, &job);
  assert_true(isnan(job.best));
}

static void words_are_found_by_their_number(void **state) {
  (void)state;
  static const char *const WORDS[] = {"converged", "uncertain", "x"};
  char out[40];
  for (int k = 0; k < 3; k++) {
    assert_true(record_word("converged uncertain x", k, out));
    assert_string_equal(out, WORDS[k]);
  }
  assert_false(record_word("converged uncertain x", 3, out));
  assert_string_equal(out, "");
  assert_false(record_word("converged uncertain x", 300, out));
  assert_false(record_word("", 0, out));
  assert_false(record_word(NULL, 0, out));
  char endless[100] = "a ";
  memset(endless + 2, 'b', 90);
  assert_true(record_word(endless, 1, out));
  assert_int_equal(strlen(out), 39);
}

static void a_negative_number_has_no_word(void **state) {
  (void)state;
  char out[40];
  assert_false(record_word("converged uncertain x", -1, out));
  assert_string_equal(out, "");
}

static const char *random_name(Arena *a, uint64_t *seed) {
  static const char LETTERS[] = "abcXYZ019_.[]()' ,\"";
  char text[20] = "";
  size_t length = 1 + random_below(seed, sizeof text - 2);
  for (size_t i = 0; i < length; i++) text[i] = LETTERS[random_below(seed, sizeof LETTERS - 1)];
  return arena_copy(a, text, length);
}

static void layouts_come_back_from_their_text(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int trial = 0; trial < 500; trial++) {
    Arena *a = arena_new();
    Text text;
    text_init(&text);
    RecordColumn columns[9];
    RecordLayout l = {random_name(a, &seed), random_below(&seed, 1 << 20),
                      random_below(&seed, 1 << 20), columns, (int)random_below(&seed, 10)};
    for (int k = 0; k < l.column_count; k++)
      columns[k] = (RecordColumn){random_name(a, &seed), (RecordType)random_below(&seed, 4),
                                  random_below(&seed, 1 << 20),
                                  random_below(&seed, 2) ? random_name(a, &seed) : NULL};
    record_layout_print(&l, &text);
    const RecordLayout *back = record_layout_parse(a, text.at);
    assert_non_null(back);
    assert_string_equal(back->kind, l.kind);
    assert_int_equal(back->first, l.first);
    assert_int_equal(back->stride, l.stride);
    assert_int_equal(back->column_count, l.column_count);
    for (int k = 0; k < l.column_count; k++) {
      const RecordColumn *c = &back->columns[k];
      assert_string_equal(c->name, columns[k].name);
      assert_int_equal(c->type, columns[k].type);
      assert_int_equal(c->offset, columns[k].offset);
      assert_int_equal(c->words != NULL, columns[k].words != NULL);
      if (c->words) assert_string_equal(c->words, columns[k].words);
    }
    text_done(&text);
    arena_free(a);
  }
}

static void a_text_that_is_no_layout_is_refused(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"",
                                      "start",
                                      "start\t1",
                                      "start\t1\t2",
                                      "start\t1\t2\nobjective\n",
                                      "start\t1\t2\nobjective\t0\n",
                                      "start\t1\t2\nobjective\t0\t8\n",
                                      "start\t1\t2\nobjective\t0\t8\t\nx\n"};
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
    if (record_layout_parse(a, TEXTS[i])) fail_msg("%s", TEXTS[i]);
  assert_non_null(record_layout_parse(a, "start\t1\t2\nobjective\t0\t8\t\n"));
  arena_free(a);
}

// FNV-1a with 64 bits; values from the authors' page.
static void digests_are_those_of_fnv(void **state) {
  (void)state;
  assert_true(record_digest(0, "", 0) == 0xcbf29ce484222325);
  assert_true(record_digest(0, "a", 1) == 0xaf63dc4c8601ec8c);
  assert_true(record_digest(0, "foobar", 6) == 0x85944171f73967e8);
  assert_true(record_digest(record_digest(0, "foo", 3), "bar", 3) == 0x85944171f73967e8);
}

// ---- items

// A computation of questions inside of questions. Some are not recorded, because they are cheap.
typedef struct Inquiry {
  long computed; // questions
  uint64_t seed; // another one is another study
} Inquiry;

static double inquire(Inquiry *q, uint64_t path, int depth) {
  RecordItem item;
  Text answer;
  text_init(&answer);
  uint64_t seed = path * 31 + q->seed, digest = random_bits(&seed) | 1;
  double value = nan("");
  switch (record_ask(&item, depth % 2 ? "odd" : "even", digest, &answer)) {
  case RECORD_COMPUTE:
    q->computed++;
    value = (double)(random_bits(&seed) >> 40);
    size_t inside = depth ? random_below(&seed, 4) : 0;
    for (size_t k = 0; k < inside; k++) value += inquire(q, path * 5 + k + 1, depth - 1) / 3;
    if (random_below(&seed, 4)) record_tell(&item, &value, sizeof value);
    break;
  case RECORD_KNOWN:
    assert_int_equal(answer.length, sizeof value);
    memcpy(&value, answer.at, sizeof value);
    break;
  case RECORD_STOP: break;
  }
  text_done(&answer);
  return value;
}

static double inquire_all(Inquiry *q, MemoryRecord *m) {
  double sum = 0;
  q->computed = 0;
  memory_again(m);
  record_begin(&m->record);
  for (uint64_t k = 0; k < 4; k++) sum = sum / 7 + inquire(q, k + 1, 4);
  record_end(&m->record);
  return sum;
}

// Wherever the first process died: the second one gets the same answers, by the same numbers, and records the same.
static void what_is_recorded_is_not_computed_again(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 12; seed++) {
    MemoryRecord *m = memory_record_new();
    Inquiry q = {.seed = seed};
    double sum = inquire_all(&q, m);
    long all = q.computed, recorded = m->order, least = all;
    int64_t numbers = m->record.next;
    assert_int_equal(numbers, all); // each question has its own
    assert_int_equal(m->adds, recorded);
    for (long kept = 0; kept <= recorded; kept++) {
      memory_forget(m, kept);
      double again = inquire_all(&q, m);
      assert_memory_equal(&again, &sum, sizeof sum);
      assert_int_equal(m->record.next, numbers);
      assert_true(q.computed <= least);
      least = q.computed;
    }
    assert_true(least < all / 2);
    memory_record_free(m);
  }
}

static void an_item_that_is_known_is_not_asked_inside(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  RecordItem outer, inner;
  Text answer;
  text_init(&answer);
  for (int turn = 0; turn < 2; turn++) {
    memory_again(m);
    record_begin(&m->record);
    RecordAsked asked = record_ask(&outer, "outer", 1, &answer);
    assert_int_equal(asked, turn ? RECORD_KNOWN : RECORD_COMPUTE);
    for (int k = 0; !turn && k < 3; k++) {
      assert_int_equal(record_ask(&inner, "inner", 2, &answer), RECORD_COMPUTE);
      record_tell(&inner, "123", 3);
    }
    if (!turn) record_tell(&outer, "sum", 3);
    if (turn) assert_string_equal(answer.at, "sum"); // without what is the record's own
    assert_int_equal(m->record.next, 4);
    assert_int_equal(m->looks, turn ? 1 : 4);
    record_end(&m->record);
  }
  text_done(&answer);
  memory_record_free(m);
}

static void without_a_record_everything_is_computed(void **state) {
  (void)state;
  RecordItem item;
  Text answer;
  text_init(&answer);
  assert_null(record_here());
  assert_int_equal(record_ask(&item, "x", 1, &answer), RECORD_COMPUTE);
  assert_close(record_item_seconds(&item), 0, 0);
  record_tell(&item, "abc", 3); // nowhere
  assert_close(record_seconds(3), 3, 0);
  text_done(&answer);
}

static void a_record_that_is_over_stops_what_asks(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  RecordItem item;
  Text answer;
  text_init(&answer);
  record_begin(&m->record);
  assert_int_equal(record_ask(&item, "x", 1, &answer), RECORD_COMPUTE);
  record_tell(&item, "abc", 3);
  m->record.next = 0;
  assert_int_equal(record_ask(&item, "x", 2, &answer), RECORD_STOP); // another question
  RecordSet set = {.layout = &LAYOUT, .count = 1};
  m->record.open_set(&m->record, 1, &set);
  assert_int_equal(record_ask(&item, "start", 0, &answer), RECORD_STOP); // it is a set
  m->record.follows = true;
  assert_int_equal(record_ask(&item, "y", 1, &answer), RECORD_STOP); // nobody opens the gate
  m->opens = true;
  assert_int_equal(record_ask(&item, "y", 1, &answer), RECORD_COMPUTE);
  m->over = true;
  assert_int_equal(record_ask(&item, "y", 1, &answer), RECORD_STOP);
  assert_int_equal(m->record.next, 5);
  assert_int_equal(answer.length, 0);
  record_end(&m->record);
  text_done(&answer);
  memory_record_free(m);
}

// What is asked after the clock or a user has ended something belongs to no other run.
static void a_cut_ends_recording(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  RecordItem first, second;
  Text answer;
  text_init(&answer);
  patience_cut(); // of something before
  record_begin(&m->record);
  assert_ptr_equal(record_here(), &m->record);
  record_ask(&first, "x", 1, &answer);
  patience_cut();
  assert_null(record_here());
  assert_int_equal(record_ask(&second, "x", 2, &answer), RECORD_COMPUTE);
  record_tell(&second, "abc", 3);
  record_tell(&first, "abc", 3);
  patience_forget_cut();
  assert_null(record_here()); // for good
  assert_true(m->record.cut);
  assert_close(record_seconds(5), 5, 0);
  RecordPlace place;
  assert_false(record_next_part(&place));
  assert_int_equal(m->adds, 0);
  assert_int_equal(m->record.next, 1);
  record_end(&m->record);
  memory_again(m);
  record_begin(&m->record); // another run
  assert_int_equal(record_ask(&first, "x", 1, &answer), RECORD_COMPUTE);
  record_tell(&first, "abc", 3);
  assert_int_equal(m->adds, 1);
  record_end(&m->record);
  text_done(&answer);
  memory_record_free(m);
}

static void a_time_that_was_measured_stays(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  for (int turn = 0; turn < 3; turn++) {
    memory_again(m);
    record_begin(&m->record);
    assert_close(record_seconds(1.5 + turn), 1.5, 0);
    assert_close(record_seconds(7.25 - turn), 7.25, 0);
    record_end(&m->record);
  }
  memory_record_free(m);
}

// ---- places

static void *ask_elsewhere(void *data) {
  RecordPlace place;
  *(bool *)data = record_here() || record_next_part(&place);
  return NULL;
}

static void a_record_belongs_to_its_thread(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  pthread_t thread;
  bool there = true;
  record_begin(&m->record);
  pthread_create(&thread, NULL, ask_elsewhere, &there);
  pthread_join(thread, NULL);
  assert_false(there);
  record_end(&m->record);
  assert_null(record_here());
  memory_record_free(m);
}

static void parts_are_counted_where_they_are(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  RecordPlace place;
  record_begin(&m->record);
  assert_true(record_next_part(&place)); // an item of its own
  assert_int_equal(place.item, 0);
  assert_int_equal(place.job, -1);
  RecordPlace before = record_enter(&m->record, 5, 8);
  assert_null(record_here()); // items are not asked inside of jobs
  for (long k = 0; k < 4; k++) {
    assert_true(record_next_part(&place));
    assert_ptr_equal(place.record, &m->record);
    assert_int_equal(place.item, 5);
    assert_int_equal(place.job, 8);
    assert_int_equal(place.part, k);
  }
  RecordPlace around = record_enter_nothing();
  assert_false(record_next_part(&place));
  assert_null(record_here());
  record_leave(around);
  assert_true(record_next_part(&place));
  assert_int_equal(place.part, 4);
  record_leave(before);
  assert_ptr_equal(record_here(), &m->record);
  assert_true(record_next_part(&place));
  assert_int_equal(place.item, 1);
  assert_int_equal(m->record.next, 2);
  record_end(&m->record);
  memory_record_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_bytes_come_back),
      cmocka_unit_test(zeros_take_no_room),
      cmocka_unit_test(damaged_bytes_are_refused_and_never_overrun),
      cmocka_unit_test(random_bytes_do_no_harm),
      cmocka_unit_test(a_run_of_zeros_that_cannot_be_is_refused),
      cmocka_unit_test(values_are_read_where_the_layout_says),
      cmocka_unit_test(a_summary_has_the_best_and_counts_the_ends),
      cmocka_unit_test(words_are_found_by_their_number),
      cmocka_unit_test(a_negative_number_has_no_word),
      cmocka_unit_test(layouts_come_back_from_their_text),
      cmocka_unit_test(a_text_that_is_no_layout_is_refused),
      cmocka_unit_test(digests_are_those_of_fnv),
      cmocka_unit_test(what_is_recorded_is_not_computed_again),
      cmocka_unit_test(an_item_that_is_known_is_not_asked_inside),
      cmocka_unit_test(without_a_record_everything_is_computed),
      cmocka_unit_test(a_record_that_is_over_stops_what_asks),
      cmocka_unit_test(a_cut_ends_recording),
      cmocka_unit_test(a_time_that_was_measured_stays),
      cmocka_unit_test(a_record_belongs_to_its_thread),
      cmocka_unit_test(parts_are_counted_where_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
