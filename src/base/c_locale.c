#include "base/c_locale.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

locale_t c_locale(void) {
  static _Atomic(locale_t)
      kept; // a constant of the C library: all threads find the same, none frees it
  locale_t c = atomic_load_explicit(&kept, memory_order_relaxed);
  if (c) return c;
  c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  atomic_store_explicit(&kept, c, memory_order_relaxed);
  return c;
}

int c_vsnprintf(char *out, size_t size, const char *format, va_list args) {
  locale_t callers = uselocale(c_locale());
  int n = vsnprintf(out, size, format, args);
  uselocale(callers);
  if (n < 0) memory_check_errno();
  return n;
}

int c_snprintf(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = c_vsnprintf(out, size, format, args);
  va_end(args);
  return n;
}

double c_strtod(const char *text, char **end) {
  return strtod_l(text, end, c_locale());
}
