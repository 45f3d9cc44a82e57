#include "base/warnings.h"

#include <string.h>

#include "base/c_locale.h"

static bool is_known(const Warnings *w, const Err *warning) {
  for (int i = 0; i < w->list.count; i++) {
    const Err *e = &w->list.at[i];
    if (e->line == warning->line && e->column == warning->column &&
        strcmp(e->file, warning->file) == 0 && strcmp(e->text, warning->text) == 0)
      return true;
  }
  return false;
}

void warn_args(Warnings *w, Place at, const char *excerpt, const char *format, va_list args) {
  if (!w) return;
  Err warning = {0};
  fail_args(&warning, ERR_NONE, at, format, args);
  if (is_known(w, &warning)) return;
  if (w->list.count == WARNINGS_MOST) {
    w->left_out++;
    return;
  }
  c_snprintf(warning.excerpt, sizeof warning.excerpt, "%s", excerpt ? excerpt : "");
  array_push(w->arena, &w->list, warning);
}

void warn_at(Warnings *w, Place at, const char *excerpt, const char *format, ...) {
  va_list args;
  va_start(args, format);
  warn_args(w, at, excerpt, format, args);
  va_end(args);
}

// ---------------------------------------------------------------- many of the same

enum { SAME_MOST = 2, LINES_NAMED = 3 };

// Numbers of the warnings with the text of the first one, which is the first of them.
static int list_same(const Warnings *w, int first, int *number) {
  int count = 0;
  for (int i = first; i < w->list.count; i++)
    if (strcmp(w->list.at[i].text, w->list.at[first].text) == 0) number[count++] = i;
  return count;
}

// " (the same in lines 4, 5, 6 and 36 more)"; without lines only their number.
static void name_others(const Warnings *w, const int *number, int count) {
  Err *first = &w->list.at[number[0]];
  char *to = first->text + strlen(first->text), *end = first->text + sizeof first->text;
  bool lines = true;
  for (int i = 0; i < count; i++) {
    const Err *e = &w->list.at[number[i]];
    lines = lines && e->line && strcmp(e->file, first->file) == 0;
  }
  if (!lines) {
    c_snprintf(to, (size_t)(end - to), " (the same in %d more places)", count - 1);
    return;
  }
  int named = count - 1 < LINES_NAMED ? count - 1 : LINES_NAMED, more = count - 1 - named;
  char list[100] = "";
  for (int i = 1, used = 0; i <= named; i++)
    used += c_snprintf(list + used, sizeof list - (size_t)used, "%s%d",
                       i == 1                ? ""
                       : i == named && !more ? " and "
                                             : ", ",
                       w->list.at[number[i]].line);
  if (more)
    c_snprintf(to, (size_t)(end - to), " (the same in lines %s and %d more)", list, more);
  else
    c_snprintf(to, (size_t)(end - to), " (the same in lines %s)", list);
}

static void drop(Warnings *w, int number) {
  memmove(&w->list.at[number], &w->list.at[number + 1],
          (size_t)(w->list.count - number - 1) * sizeof *w->list.at);
  w->list.count--;
}

void warnings_sum(Warnings *w) {
  int number[WARNINGS_MOST];
  for (int i = 0; i < w->list.count; i++) {
    int count = list_same(w, i, number);
    if (count <= SAME_MOST) continue;
    name_others(w, number, count);
    for (int k = count - 1; k > 0; k--) drop(w, number[k]);
  }
}

void warning_format(const Err *warning, char *out, int size) {
  int n = 0;
  if (warning->file[0] && warning->line)
    n = c_snprintf(out, (size_t)size, "%s:%d:%d: ", warning->file, warning->line, warning->column);
  else if (warning->file[0])
    n = c_snprintf(out, (size_t)size, "%s: ", warning->file);
  if (n < 0 || n >= size) return;
  const char *gap = warning->excerpt[0] ? "\n" : "";
  c_snprintf(out + n, (size_t)(size - n), "warning: %s%s%s", warning->text, gap, warning->excerpt);
}
