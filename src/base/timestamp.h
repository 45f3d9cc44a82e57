// Times of day as ISO 8601 writes them, exact to the nanosecond.
//
// 2026-03-01, 2026-03-01T12:00, 2026-03-01 12:00:00.25, 2026-03-01T12:00:00,25Z, 2026-03-01T13:00:00+01:00 (also +0100, +01).
// Years 1 to 9999 of the Gregorian calendar. Without an offset the time is taken as that of one zone without summer time.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct Timestamp {
  int64_t seconds; // since 1970-01-01T00:00:00Z, rounded down
  int nanoseconds; // 0 .. 999999999
  bool zoned;      // Z or an offset was given
} Timestamp;

// The whole text from begin to end. Digits beyond the nanosecond are rounded off.
bool timestamp_parse(const char *begin, const char *end, Timestamp *out);

// Why a text that looks like a time of day is none, to be added to a message; "": it does not look like one.
const char *timestamp_hint(const char *begin, const char *end);

enum { TIMESTAMP_TEXT = 40 };
// "2026-03-01T12:00:00.25Z", in UTC; without the Z if it has no zone.
const char *timestamp_format(const Timestamp *t, char out[TIMESTAMP_TEXT]);

double timestamp_since(const Timestamp *t, const Timestamp *origin); // s, one rounding
