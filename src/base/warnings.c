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
