// Any bytes as a table of data (CSV, or a MAT file), with a problem that splits it, thins it out and takes start values from
// it. The first line, if it begins with @, chooses how: @ and letters, each a key of the experiment. Nothing may crash or
// run away; a table has whole rows and columns, and what is accepted as a problem has samples whose times increase.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "problem/read_problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool law) {
  if (!law) abort();
}

// ---------------------------------------------------------------- files

static char folder[64];
static const char MODEL[] = "model M\n"
                            "  parameter Real k = 2;\n"
                            "  input Real u;\n"
                            "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(x) = v;\n"
                            "  der(v) = u - k*x;\n"
                            "end M;\n";
static const char *const NAMES[] = {"model.mo", "data.csv", "data.mat"};

static void name_file(const char *name, char out[128]) {
  snprintf(out, 128, "%s/%s", folder, name);
}

static void remove_folder(void) {
  char path[128];
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    name_file(NAMES[i], path);
    unlink(path);
  }
  rmdir(folder);
}

static void write_file(const char *name, const void *bytes, size_t length) {
  char path[128];
  name_file(name, path);
  FILE *f = fopen(path, "wb");
  check(f != NULL);
  fwrite(bytes, 1, length, f);
  fclose(f);
}

static void make_folder(void) {
  if (folder[0]) return;
  snprintf(folder, sizeof folder, "%s", "/tmp/entrain-fuzz-XXXXXX");
  check(mkdtemp(folder) != NULL);
  atexit(remove_folder);
  write_file("model.mo", MODEL, sizeof MODEL - 1);
}

// ---------------------------------------------------------------- laws

static void check_table(const char *text, size_t size) {
  Arena *a = arena_new();
  Err err = {0};
  const Table *t = table_parse(a, "<fuzz>", text, size, &err);
  check(t ? err.code == ERR_NONE : err.code != ERR_NONE && err.text[0]);
  for (int c = 0; t && c < t->columns; c++) {
    check(t->names[c][0] && table_find(t, t->names[c]) == c);
    for (int r = 0; r < t->rows; r++) {
      check(!isinf(t->column[c][r]));
      if (t->texts && t->texts[c]) check(t->texts[c][r] != NULL && isnan(t->column[c][r]));
      if (r) check(t->line[r] > t->line[r - 1]);
    }
  }
  arena_free(a);
}

// ---------------------------------------------------------------- problems

// What a letter of the first line adds to the experiment.
static const struct {
  char letter;
  const char *yaml;
} KEYS[] = {
    {'t', "  time: t\n"},
    {'m', "  time: {column: t, unit: ms}\n"},
    {'e', "  time: {column: t, unit: ms, epoch: true}\n"},
    {'n', "  time: {column: t, unit: ns, epoch: true}\n"},
    {'p', "  time: {period: 0.1, start: 3}\n"},
    {'r', "  time: row\n"},
    {'c', "  split: {column: w}\n"},
    {'o', "  split: {column: w, only: [a, 1], validation: 1}\n"},
    {'d', "  split: {every: 1.5}\n"},
    {'g', "  split: {gaps: 0.7, validation: 2}\n"},
    {'3', "  every: 3\n"},
    {'s', "  every: {samples: 4, filter: sharp}\n"},
    {'a', "  every: {samples: 2, filter: mean}\n"},
    {'u', "  unscored: 2\n"},
    {'w', "  window: [0.3, 4]\n"},
    {'i', "  inputs: {u: u}\n"},
    {'h', "  interpolation: hold\n"},
    {'x', "  set: {x.start: data, v.start: data}\n"},
    {'y', "  set: {x.start: {data: 4}, v.start: {data: 9}}\n"},
};

static void check_samples(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    for (int i = 0; i < x->time_count; i++) {
      check(isfinite(x->times[i]));
      if (i) check(x->times[i] > x->times[i - 1]);
    }
  }
}

static void check_problem(const char *letters, const char *file) {
  char text[2000];
  Err err = {0};
  size_t used =
      (size_t)snprintf(text, sizeof text,
                       "model: model.mo\nestimate: {k: {start: 2, min: 0, max: 9}}\n"
                       "experiments:\n  data: %s\n  measure: {x: {column: x, factor: 2}}\n",
                       file);
  for (; *letters; letters++)
    for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++)
      if (KEYS[k].letter == *letters && used + strlen(KEYS[k].yaml) < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", KEYS[k].yaml);
  Problem *p = problem_parse("<fuzz>", folder, text, used, NULL, 0, &err);
  check(p ? err.code == ERR_NONE : err.code != ERR_NONE && err.text[0]);
  if (p) check_samples(p);
  problem_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  char letters[24] = "";
  make_folder();
  const char *end = size && text[0] == '@' ? memchr(text, '\n', size) : NULL;
  if (end) {
    snprintf(letters, sizeof letters, "%.*s", (int)(end - text - 1), text + 1);
    size -= (size_t)(end + 1 - text);
    text = end + 1;
  }
  bool is_mat = strchr(letters, 'M') != NULL;
  if (!is_mat) check_table(text, size);
  write_file(is_mat ? "data.mat" : "data.csv", text, size);
  check_problem(letters, is_mat ? "data.mat" : "data.csv");
  return 0;
}
