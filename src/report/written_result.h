// A result of a fit that was written as JSON (fit_json), shown again.
#pragma once
#include "base/json_tree.h"
#include "problem/problem.h"
#include "write/page.h"

typedef struct WrittenResult { // lives in its arena, which the caller frees
  Arena *arena;
  const char *path; // of the JSON
  const JsonTree *root;
  const char *problem; // path of the problem file, as it was given then
  ProblemSetting *settings;
  int setting_count;
} WrittenResult;

// false: it is no JSON of a fit or of an evaluation.
bool written_result_load(WrittenResult *w, Arena *a, const char *path, Err *err);
// What it says, in the words of a report. notices: sentences that come first.
void written_result_text(Text *out, const WrittenResult *w, const char *const *notices, int count,
                         PageStyle style);
// Files that have changed since: a sentence; NULL: none has.
const char *written_result_changes(const WrittenResult *w, const MadeFrom *now, Arena *a);
