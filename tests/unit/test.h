// What every unit test needs: cmocka, and comparison of doubles (cmocka's own casts to float).
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline void assert_close_at(double a, double b, double tol, const char *file, int line) {
  if (fabs(a - b) <= tol) return; // written so that NaN fails
  print_error("%.17g and %.17g differ by %.3g, more than %.3g\n", a, b, fabs(a - b), tol);
  _fail(file, line);
}

#define assert_close(a, b, tol) assert_close_at((a), (b), (tol), __FILE__, __LINE__)
// tol relative to |b|
#define assert_close_relative(a, b, tol)                                                           \
  assert_close_at((a), (b), (tol)*fabs(b), __FILE__, __LINE__)
