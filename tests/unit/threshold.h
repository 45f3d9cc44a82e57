// Tests at both sides of a threshold. A test hands in a question of one number that is answered yes below the threshold and no
// above it, and the threshold it claims. A constant that moves by more than a hundredth then makes the test fail.
#pragma once
#include <stdbool.h>

#include "test.h"

typedef bool Question(void *data, double number);

static inline void assert_turns_at(Question *question, void *data, double last_yes, double first_no,
                                   const char *file, int line) {
  bool yes = question(data, last_yes), no = !question(data, first_no);
  if (yes && no) return;
  if (!yes) print_error("no at %.9g already\n", last_yes);
  if (!no) print_error("yes at %.9g still\n", first_no);
  _fail(file, line);
}

// Yes at 0.99 of the threshold, no at 1.01 of it.
#define assert_threshold(question, data, threshold)                                                \
  assert_turns_at((question), (data), 0.99 * (threshold), 1.01 * (threshold), __FILE__, __LINE__)
// Yes above the threshold, no below it.
#define assert_threshold_from_above(question, data, threshold)                                     \
  assert_turns_at((question), (data), 1.01 * (threshold), 0.99 * (threshold), __FILE__, __LINE__)
// Where the number counts something: the last one with yes and the first one with no.
#define assert_turns(question, data, last_yes, first_no)                                           \
  assert_turns_at((question), (data), (last_yes), (first_no), __FILE__, __LINE__)
