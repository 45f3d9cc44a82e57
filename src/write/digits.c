#include "write/digits.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

enum { LEAST_DIGITS = 15, MOST_DIGITS = 17 }; // %.15g also finds every shorter form

static void format_slowly(double value, char out[DIGITS_SIZE]) {
  for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS; digits++) {
    c_snprintf(out, DIGITS_SIZE, "%.*g", digits, value);
    if (c_strtod(out, NULL) == value) return;
  }
}

// A decimal number: whole * 10^-scale.
typedef struct Decimal {
  uint64_t whole;
  int scale;
} Decimal;

// A long double with a mantissa of 64 bits holds powers of ten up to 10^27 exactly.
static const long double TEN[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                  1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                  1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

enum { LEAST_EXPONENT = -10, MOST_EXPONENT = 14 }; // their scales are in the table

static Decimal decimal_of(double value, int exponent, int digits) {
  int scale = digits - 1 - exponent;
  return (Decimal){(uint64_t)llrintl((long double)value * TEN[scale]), scale};
}

typedef enum Answer { NO, YES, UNKNOWN } Answer;

// Whether the decimal reads back as value. The quotient is rounded correctly to 64 bits; rounding it again to 53 bits is
// correct unless it lies exactly between two doubles: then the last 11 bits are 100...0.
static Answer reads_as(Decimal d, double value) {
  long double quotient = (long double)d.whole / TEN[d.scale];
  uint64_t mantissa;
  memcpy(&mantissa, &quotient, sizeof mantissa);
  if ((mantissa & 0x7ff) == 0x400) return UNKNOWN;
  return (double)quotient == value ? YES : NO;
}

// Writes the digits, most significant first; returns their count.
static int print_whole(uint64_t whole, char *out) {
  char reversed[24];
  int count = 0;
  for (; whole; whole /= 10) reversed[count++] = (char)('0' + whole % 10);
  for (int i = 0; i < count; i++) out[i] = reversed[count - 1 - i];
  return count;
}

static char *append(char *out, const char *digits, int count) {
  memcpy(out, digits, (size_t)count);
  return out + count;
}

static char *append_zeros(char *out, int count) {
  memset(out, '0', (size_t)count);
  return out + count;
}

// Writes the number as %g does: 0.00012, 12.5, 1200, 1.2e-05.
static void print_decimal(Decimal d, char *out) {
  char digits[24];
  int count = print_whole(d.whole, digits),
      first = count - 1 - d.scale; // exponent of the first digit
  while (count > 1 && digits[count - 1] == '0') count--;
  if (first < -4) {
    *out++ = digits[0];
    if (count > 1) *out++ = '.';
    out = append(out, digits + 1, count - 1);
    c_snprintf(out, 8, "e-%02d", -first);
    return;
  }
  if (first < 0) {
    out = append_zeros(append(out, "0.", 2), -first - 1);
    out = append(out, digits, count);
  } else if (count <= first + 1) {
    out = append_zeros(append(out, digits, count), first + 1 - count);
  } else {
    out = append(out, digits, first + 1);
    *out++ = '.';
    out = append(out, digits + first + 1, count - first - 1);
  }
  *out = 0;
}

static bool format_fast(double size, char *out) {
  if (LDBL_MANT_DIG != 64 || !(size >= 1e-10 && size < 1e15)) return false;
  int exponent = (int)floor(log10(size));
  if (exponent < LEAST_EXPONENT || exponent > MOST_EXPONENT) return false;
  for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS; digits++) {
    Decimal d = decimal_of(size, exponent, digits);
    Answer answer = reads_as(d, size);
    if (answer == UNKNOWN) return false;
    if (answer == NO) continue;
    print_decimal(d, out);
    return true;
  }
  return false;
}

void digits_format(double value, char out[DIGITS_SIZE]) {
  if (value == 0) {
    strcpy(out, "0");
    return;
  }
  bool negative = value < 0;
  if (negative) out[0] = '-';
  if (!format_fast(fabs(value), out + negative)) format_slowly(value, out);
}
