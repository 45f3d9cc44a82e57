#include "write/rounded.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

enum {
  DIGITS_MOST = 8,    // of a value
  INTERVAL_MOST = 8,  // of the ends of an interval
  UNKNOWN_DIGITS = 6, // of a value whose error is unknown
  FIXED_LEAST = -4,   // exponents from here on are written without e
  FIXED_MOST = 6,
};

// 1.2e-07 -> 1.2e-7
static void shorten_exponent(char *text) {
  char *e = strchr(text, 'e');
  if (!e) return;
  int exponent = atoi(e + 1);
  c_snprintf(e, 8, "e%d", exponent);
}

static void drop_zeros(char *text) {
  char *point = strchr(text, '.'), *e = strchr(text, 'e');
  if (!point) return;
  char *end = e ? e : text + strlen(text), *last = end;
  while (last[-1] == '0') last--;
  if (last[-1] == '.') last--;
  memmove(last, end, strlen(end) + 1);
}

static int exponent_of(double value) {
  return value == 0 ? 0 : (int)floor(log10(fabs(value)));
}

// value rounded to a multiple of 10^-decimals; decimals may be below 0.
static void print_decimals(double value, int decimals, char out[ROUNDED_SIZE]) {
  int exponent = exponent_of(value);
  bool fixed = value == 0 || (exponent >= FIXED_LEAST && exponent <= FIXED_MOST);
  int mantissa = exponent + decimals;
  if (fixed && decimals >= 0) {
    c_snprintf(out, ROUNDED_SIZE, "%.*f", decimals > 17 ? 17 : decimals, value);
  } else if (fixed) {
    double unit = pow(10, -decimals);
    c_snprintf(out, ROUNDED_SIZE, "%.0f", rint(value / unit) * unit);
  } else {
    c_snprintf(out, ROUNDED_SIZE, "%.*e", mantissa < 0 ? 0 : mantissa > 16 ? 16 : mantissa, value);
    shorten_exponent(out);
  }
  if (strspn(out, "-0.") == strlen(out) && out[0] == '-') memmove(out, out + 1, strlen(out));
}

static bool not_a_number(double value, char *out) {
  if (isfinite(value)) return false;
  strcpy(out, isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
  return true;
}

void rounded_digits(double value, int digits, char out[ROUNDED_SIZE]) {
  if (not_a_number(value, out)) return;
  int exponent = exponent_of(value);
  print_decimals(value, digits - 1 - exponent, out);
  drop_zeros(out);
}

// Number of decimals that shows two digits of the error.
static int decimals_for(double error) {
  return 1 - exponent_of(error);
}

static int most_decimals(double value, int digits) {
  return digits - 1 - exponent_of(value);
}

void rounded_value(double value, double error, char out[ROUNDED_SIZE]) {
  if (not_a_number(value, out)) return;
  if (!(error > 0) || !isfinite(error)) {
    rounded_digits(value, UNKNOWN_DIGITS, out);
    return;
  }
  int decimals = decimals_for(error), most = most_decimals(value, DIGITS_MOST);
  if (exponent_of(value) > FIXED_MOST && decimals >= 0 && decimals <= most_decimals(value, 15)) {
    c_snprintf(out, ROUNDED_SIZE, "%.*f", decimals, value); // a time since 1970
    return;
  }
  if (value != 0 && decimals > most) {
    rounded_digits(value, DIGITS_MOST, out);
    return;
  }
  print_decimals(fabs(value) < 1e-3 * error ? 0 : value, decimals, out);
}

void rounded_error(double error, char out[ROUNDED_SIZE]) {
  if (!not_a_number(error, out)) print_decimals(error, decimals_for(error), out);
}

void rounded_interval(double value, double low, double high, char out[ROUNDED_INTERVAL_SIZE]) {
  char a[ROUNDED_SIZE], b[ROUNDED_SIZE];
  double half = (high - low) / 2, size = fmax(fabs(low), fabs(high));
  if (isnan(low) || isnan(high)) {
    strcpy(out, "-");
    return;
  }
  if (!(half > 0) || !isfinite(half)) {
    rounded_digits(low, UNKNOWN_DIGITS, a);
    rounded_digits(high, UNKNOWN_DIGITS, b);
  } else if (decimals_for(half) > most_decimals(size, INTERVAL_MOST)) {
    rounded_digits(fmax(high - value, value - low), 2, a);
    c_snprintf(out, ROUNDED_INTERVAL_SIZE, "± %s", a);
    return;
  } else {
    print_decimals(low, decimals_for(half), a);
    print_decimals(high, decimals_for(half), b);
  }
  c_snprintf(out, ROUNDED_INTERVAL_SIZE, "%s .. %s", a, b);
}

void rounded_seconds(double seconds, char out[ROUNDED_SIZE]) {
  if (seconds >= 120)
    c_snprintf(out, ROUNDED_SIZE, "%.0f min %.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
  else if (seconds >= 1)
    c_snprintf(out, ROUNDED_SIZE, "%.*g s", seconds < 99.5 ? 2 : 3, seconds);
  else if (seconds >= 1e-3)
    c_snprintf(out, ROUNDED_SIZE, "%.*g ms", seconds < 0.0995 ? 2 : 3, 1e3 * seconds);
  else
    c_snprintf(out, ROUNDED_SIZE, "%.*g us", seconds < 9.95e-5 ? 2 : 3, 1e6 * seconds);
}
