#include "live/live_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct LiveRows {
  int columns, room, count, version;
  long came, every; // one of so many is kept
  double *at;       // [row*columns + column]
};

enum { ROWS_MOST = 1000, ROWS_LEAST = 100, NUMBERS_MOST = 40000 };

LiveRows *live_rows_new(int columns) {
  LiveRows *r = must_have(calloc(1, sizeof *r));
  int room = NUMBERS_MOST / columns;
  r->columns = columns;
  r->room = room > ROWS_MOST ? ROWS_MOST : room < ROWS_LEAST ? ROWS_LEAST : room;
  r->every = 1;
  r->at = must_have(calloc((size_t)r->room * (size_t)columns, sizeof *r->at));
  return r;
}

void live_rows_free(LiveRows *r) {
  if (!r) return;
  free(r->at);
  free(r);
}

static void leave_out_every_second(LiveRows *r) {
  size_t size = (size_t)r->columns * sizeof *r->at;
  for (int i = 0; 2 * i < r->count; i++)
    memmove(r->at + (size_t)i * (size_t)r->columns, r->at + 2 * (size_t)i * (size_t)r->columns,
            size);
  r->count = (r->count + 1) / 2;
  r->every *= 2;
  r->version++;
}

void live_rows_add(LiveRows *r, const double *row) {
  if (r->came++ % r->every) return;
  if (r->count == r->room) leave_out_every_second(r);
  if ((r->came - 1) % r->every) return;
  memcpy(r->at + (size_t)r->count++ * (size_t)r->columns, row, (size_t)r->columns * sizeof *r->at);
}

int live_rows_count(const LiveRows *r) {
  return r->count;
}

int live_rows_version(const LiveRows *r) {
  return r->version;
}

void live_rows_print(const LiveRows *r, int from, Text *out) {
  for (int i = from; i < r->count; i++) {
    if (i > from) text_add(out, ",");
    live_numbers(out, r->at + (size_t)i * (size_t)r->columns, r->columns);
  }
}

void live_number(Text *out, double value) {
  if (isfinite(value))
    text_print(out, "%.6g", value);
  else
    text_add(out, "null");
}

void live_numbers(Text *out, const double *values, int count) {
  text_add(out, "[");
  for (int i = 0; i < count; i++) {
    if (i) text_add(out, ",");
    live_number(out, values[i]);
  }
  text_add(out, "]");
}

// ---------------------------------------------------------------- many points

static int part_begin(int count, int parts, int k) {
  return (int)((long)count * k / parts);
}

int live_thin(const double *y, int count, int most, double *out) {
  if (count <= most) {
    memcpy(out, y, (size_t)count * sizeof *y);
    return count;
  }
  int parts = most / 2;
  for (int k = 0; k < parts; k++) {
    int first = part_begin(count, parts, k), end = part_begin(count, parts, k + 1), low = -1,
        high = -1;
    for (int i = first; i < end; i++) {
      if (!isfinite(y[i])) continue;
      if (low < 0 || y[i] < y[low]) low = i;
      if (high < 0 || y[i] > y[high]) high = i;
    }
    bool none = low < 0, falls = high < low;
    out[2 * k] = none ? (double)NAN : y[falls ? high : low];
    out[2 * k + 1] = none ? (double)NAN : y[falls ? low : high];
  }
  return 2 * parts;
}

int live_thin_times(const double *t, int count, int most, double *out) {
  if (count <= most) {
    memcpy(out, t, (size_t)count * sizeof *t);
    return count;
  }
  int parts = most / 2;
  for (int k = 0; k < parts; k++) {
    int first = part_begin(count, parts, k), end = part_begin(count, parts, k + 1);
    out[2 * k] = t[first];
    out[2 * k + 1] = t[(first + end) / 2];
  }
  return 2 * parts;
}
