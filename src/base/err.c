#include "base/err.h"

#include <string.h>

#include "base/c_locale.h"
#include "base/visible.h"

static const struct {
  int status;
  const char *meaning;
} TABLE[] = {
#define ERR(name, status, meaning) {status, meaning},
#include "base/err.def"
#undef ERR
};

bool fail_args(Err *err, ErrCode code, Place at, const char *format, va_list args) {
  if (!err || err->code != ERR_NONE) return false;
  err->code = code;
  err->line = at.line;
  err->column = at.column;
  c_snprintf(err->file, sizeof err->file, "%s", at.file ? at.file : "");
  c_vsnprintf(err->text, sizeof err->text, format, args);
  visible_fixed(err->file, sizeof err->file);
  visible_fixed(err->text, sizeof err->text);
  return false;
}

bool fail(Err *err, ErrCode code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_args(err, code, (Place){0}, format, args);
  va_end(args);
  return false;
}

bool fail_at(Err *err, ErrCode code, Place at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_args(err, code, at, format, args);
  va_end(args);
  return false;
}

int err_exit_status(ErrCode code) {
  return TABLE[code].status;
}

const char *err_meaning(ErrCode code) {
  return TABLE[code].meaning;
}

void err_format(const Err *err, char *out, int size) {
  int n = 0;
  if (err->file[0] && err->line)
    n = c_snprintf(out, (size_t)size, "%s:%d:%d: ", err->file, err->line, err->column);
  else if (err->file[0])
    n = c_snprintf(out, (size_t)size, "%s: ", err->file);
  if (n < 0 || n >= size) return;
  const char *gap = err->excerpt[0] ? "\n" : "";
  c_snprintf(out + n, (size_t)(size - n), "error: %s%s%s", err->text, gap, err->excerpt);
}
