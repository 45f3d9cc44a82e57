#include "expr/table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint64_t table_hash(const double *numbers, int count) {
  uint64_t h = 0x9E3779B97F4A7C15u + (uint64_t)count;
  for (int i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    h = (h ^ bits) * 0xBF58476D1CE4E5B9u;
    h ^= h >> 29;
  }
  return h;
}

double table_address(const ExprTable *t) {
  uintptr_t address = (uintptr_t)t;
  assert(address < (uintptr_t)1 << 53); // exact as a double
  return (double)address;
}

static const ExprTable *table_at(double address) {
  return (const ExprTable *)(uintptr_t)address;
}

double table_width(const ExprTable *breaks, int piece) {
  const double *x = breaks->at;
  int n = breaks->count;
  if (n == 1) return fmax(1, fabs(x[0]));
  int k = piece < 1 ? 1 : piece < n ? piece : n - 1;
  return x[k] - x[k - 1];
}

// How many break points are not above u.
static int count_below(const ExprTable *t, double u) {
  int low = 0, high = t->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (t->at[middle] <= u)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Outside it approaches the next whole number and never gets there; rounding must not take it there either.
double table_rank(double table, double u) {
  const ExprTable *t = table_at(table);
  if (isnan(u)) return u;
  int k = count_below(t, u), n = t->count;
  double width = table_width(t, k), part;
  if (k == 0)
    part = 1 / (1 + (t->at[0] - u) / width);
  else if (k == n)
    part = 1 - 1 / (1 + (u - t->at[n - 1]) / width);
  else
    part = (u - t->at[k - 1]) / width;
  double rank = k + part;
  return rank < k + 1 ? rank : nextafter(k + 1, 0);
}

double table_lookup(double table, double i) {
  const ExprTable *t = table_at(table);
  if (isnan(i)) return i;
  if (!(i >= 1)) return t->at[0];
  return t->at[i < t->count ? (int)i : t->count - 1];
}
