#include "base/timestamp.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"

enum { DAY = 86400, BILLION = 1000000000 };

typedef struct StampScan {
  const char *at, *end;
} StampScan;

static bool take(StampScan *s, char c) {
  if (s->at == s->end || *s->at != c) return false;
  s->at++;
  return true;
}

// Exactly so many digits.
static bool digits(StampScan *s, int count, int *out) {
  int value = 0;
  for (; count > 0; count--) {
    if (s->at == s->end || (unsigned)(*s->at - '0') > 9) return false;
    value = 10 * value + (*s->at++ - '0');
  }
  *out = value;
  return true;
}

static bool is_leap(int y) {
  return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static int days_of(int y, int month) {
  static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return DAYS[month - 1] + (month == 2 && is_leap(y));
}

// Days since 1970-01-01 (H. Hinnant, chrono-compatible low-level date algorithms: years begin in March).
static int64_t days_since(int y, int month, int day) {
  y -= month <= 2;
  int era = (y >= 0 ? y : y - 399) / 400, year = y - era * 400;
  int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int of_era = year * 365 + year / 4 - year / 100 + of_year;
  return (int64_t)era * 146097 + of_era - 719468;
}

static void date_of(int64_t days, int *y, int *month, int *day) {
  days += 719468;
  int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  int of_era = (int)(days - era * 146097);
  int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int of_year = of_era - (365 * year + year / 4 - year / 100), m = (5 * of_year + 2) / 153;
  *day = of_year - (153 * m + 2) / 5 + 1;
  *month = m < 10 ? m + 3 : m - 9;
  *y = (int)(era * 400) + year + (*month <= 2);
}

static bool scan_date(StampScan *s, int64_t *days) {
  int y, month, day;
  if (!digits(s, 4, &y) || !take(s, '-') || !digits(s, 2, &month) || !take(s, '-') ||
      !digits(s, 2, &day))
    return false;
  if (y < 1 || month < 1 || month > 12 || day < 1 || day > days_of(y, month)) return false;
  *days = days_since(y, month, day);
  return true;
}

// ns; may round to a whole second
static bool scan_fraction(StampScan *s, int *ns) {
  int value = 0, count = 0;
  bool up = false;
  for (; s->at < s->end && (unsigned)(*s->at - '0') <= 9; s->at++, count++) {
    if (count < 9) value = 10 * value + (*s->at - '0');
    if (count == 9) up = *s->at >= '5';
  }
  for (int i = count; i < 9; i++) value *= 10;
  *ns = value + up;
  return count > 0;
}

// hh:mm[:ss[.fraction]]; 24:00:00 is the end of the day, second 60 a leap second.
static bool scan_clock(StampScan *s, int *seconds, int *ns) {
  int h, m, sec = 0;
  *ns = 0;
  if (!digits(s, 2, &h) || !take(s, ':') || !digits(s, 2, &m)) return false;
  if (take(s, ':')) {
    if (!digits(s, 2, &sec)) return false;
    if ((take(s, '.') || take(s, ',')) && !scan_fraction(s, ns)) return false;
  }
  *seconds = (h * 60 + m) * 60 + sec;
  return m < 60 && sec <= 60 && (h < 24 || (*seconds == DAY && *ns == 0));
}

// Z, +hh, +hhmm, +hh:mm, or nothing
static bool scan_zone(StampScan *s, bool *zoned, int *offset) {
  *offset = 0;
  *zoned = s->at < s->end;
  if (!*zoned || take(s, 'Z') || take(s, 'z')) return true;
  int sign = take(s, '-') ? -1 : take(s, '+') ? 1 : 0, h, m = 0;
  if (!sign || !digits(s, 2, &h)) return false;
  bool colon = take(s, ':');
  if ((colon || s->at < s->end) && !digits(s, 2, &m)) return false;
  *offset = sign * (h * 60 + m) * 60;
  return h < 24 && m < 60;
}

bool timestamp_parse(const char *begin, const char *end, Timestamp *out) {
  StampScan s = {begin, end};
  int64_t days;
  int seconds = 0, ns = 0, offset = 0;
  bool zoned = false;
  if (!scan_date(&s, &days)) return false;
  if (s.at < s.end) {
    if (!take(&s, 'T') && !take(&s, 't') && !take(&s, ' ')) return false;
    if (!scan_clock(&s, &seconds, &ns)) return false;
    if (s.at < s.end && *s.at == ' ') s.at++; // 12:00:00 +01:00
    if (!scan_zone(&s, &zoned, &offset) || s.at < s.end || s.at[-1] == ' ') return false;
  }
  *out = (Timestamp){days * DAY + seconds - offset + ns / BILLION, ns % BILLION, zoned};
  return true;
}

// The form of a text: 9 for digits, all else as it is.
static bool begins_as(const char *begin, const char *end, const char *form) {
  for (; *form; form++, begin++) {
    if (begin == end) return false;
    bool digit = (unsigned)(*begin - '0') <= 9;
    if (*form == '9' ? !digit : *begin != *form) return false;
  }
  return true;
}

const char *timestamp_hint(const char *begin, const char *end) {
  static const char *const OTHER[] = {"99.99.99", "9.9.99",     "9.99.99",    "99.9.99",
                                      "99/99/99", "9/9/99",     "9/99/99",    "99/9/99",
                                      "99-99-99", "9999/99/99", "9999.99.99", "99999999T",
                                      "9999-9-",  "9999-99-9",  "99:99:99"};
  StampScan s = {begin, end};
  int64_t days;
  Timestamp stamp;
  if (timestamp_parse(begin, end, &stamp)) return "";
  if (begins_as(begin, end, "9999-99-99") && !scan_date(&s, &days))
    return "; there is no such date";
  for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++)
    if (begins_as(begin, end, OTHER[i]))
      return "; times of day are written as 2016-12-31T23:59:59, with Z or +01:00 if they have a "
             "zone";
  return "";
}

const char *timestamp_format(const Timestamp *t, char out[TIMESTAMP_TEXT]) {
  int64_t days = t->seconds / DAY - (t->seconds % DAY < 0);
  int of_day = (int)(t->seconds - days * DAY), y, month, day;
  date_of(days, &y, &month, &day);
  int n = c_snprintf(out, TIMESTAMP_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d", y, month, day,
                     of_day / 3600, of_day / 60 % 60, of_day % 60);
  if (t->nanoseconds) {
    n += c_snprintf(out + n, (size_t)(TIMESTAMP_TEXT - n), ".%09d", t->nanoseconds);
    while (out[n - 1] == '0') n--;
  }
  strcpy(out + n, t->zoned ? "Z" : "");
  return out;
}

double timestamp_since(const Timestamp *t, const Timestamp *origin) {
  __extension__ typedef __int128 Wide;
  Wide ns = (Wide)(t->seconds - origin->seconds) * BILLION + (t->nanoseconds - origin->nanoseconds);
  bool fits = ns < ((Wide)1 << 53) && ns > -((Wide)1 << 53);
  return fits ? (double)ns / 1e9 : (double)((long double)ns / 1e9L);
}
