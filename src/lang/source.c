#include "lang/source.h"

#include <stdint.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/character.h"
#include "base/file.h"
#include "base/visible.h"

// ---- reading ----

static bool is_continuation(char c) {
  return ((unsigned char)c & 0xC0) == 0x80;
}

static bool has_continuations(const unsigned char *s, int count) {
  for (int i = 1; i <= count; i++)
    if ((s[i] & 0xC0) != 0x80) return false;
  return true;
}

// Number of bytes of the UTF-8 character at s, 0 if it is invalid (overlong forms, surrogates). The
// text ends with NUL.
static int character_bytes(const unsigned char *s) {
  if (s[0] < 0x80) return s[0] ? 1 : 0;
  if (s[0] >= 0xC2 && s[0] < 0xE0) return has_continuations(s, 1) ? 2 : 0;
  if (s[0] >= 0xE0 && s[0] < 0xF0) {
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    return has_continuations(s, 2) ? 3 : 0;
  }
  if (s[0] >= 0xF0 && s[0] < 0xF5) {
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return has_continuations(s, 3) ? 4 : 0;
  }
  return 0;
}

// Eight bytes that are all ASCII and not NUL.
static bool is_plain(const char *s) {
  const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
  uint64_t word;
  memcpy(&word, s, 8);
  return !((word | (word - ones)) & tops);
}

// Position of the first byte that is NUL or not UTF-8; length if there is none.
static size_t find_bad_byte(const char *text, size_t length) {
  size_t i = 0;
  while (i < length) {
    if (length - i >= 8 && is_plain(text + i)) {
      i += 8;
      continue;
    }
    int bytes = character_bytes((const unsigned char *)text + i);
    if (!bytes) return i;
    i += (size_t)bytes;
  }
  return length;
}

static void find_place(const char *text, size_t at, int *line, int *column) {
  *line = *column = 1;
  for (size_t i = 0; i < at; i++) {
    if (text[i] == '\n') {
      *line += 1;
      *column = 1;
    } else if (!is_continuation(text[i])) {
      *column += 1;
    }
  }
}

static bool fail_byte(const Source *s, size_t at, Err *err) {
  int line, column;
  find_place(s->text, at, &line, &column);
  Place place = {s->name, line, column};
  if (!s->text[at]) return fail_at(err, ERR_SYNTAX, place, "the text contains a NUL byte");
  return fail_at(err, ERR_SYNTAX, place,
                 "the byte 0x%02X is not part of a UTF-8 character; save the file as UTF-8",
                 (unsigned char)s->text[at]);
}

static size_t count_lines(const Source *s) {
  size_t count = 1;
  const char *end = s->text + s->length;
  for (const char *c = s->text; (c = memchr(c, '\n', (size_t)(end - c))); c++) count++;
  return count;
}

static void fill_lines(Arena *a, Source *s) {
  size_t *start = ARENA_ARRAY(a, size_t, s->line_count);
  const char *c = s->text, *end = s->text + s->length;
  for (int i = 1; i < s->line_count; i++) {
    c = (const char *)memchr(c, '\n', (size_t)(end - c)) + 1;
    start[i] = (size_t)(c - s->text);
  }
  s->line_start = start;
}

static void fail_size(const char *name, Err *err) {
  fail_at(err, ERR_LIMIT, (Place){name, 0, 0}, "the text is larger than %d MiB",
          SOURCE_BYTES_MOST >> 20);
}

Source *source_new(Arena *a, const char *name, const char *text, size_t length, Err *err) {
  static const char MARK[] = "\xEF\xBB\xBF";
  if (length >= 3 && memcmp(text, MARK, 3) == 0) {
    text += 3;
    length -= 3;
  }
  if (length > SOURCE_BYTES_MOST) {
    fail_size(name, err);
    return NULL;
  }
  Source *s = ARENA_NEW(a, Source);
  s->name = visible(a, arena_copy(a, name, strlen(name)));
  s->text = arena_copy(a, text, length);
  s->length = length;
  size_t bad = find_bad_byte(s->text, length);
  if (bad < length) {
    fail_byte(s, bad, err);
    return NULL;
  }
  size_t lines = count_lines(s);
  if (lines > SOURCE_LINES_MOST) {
    fail_at(err, ERR_LIMIT, (Place){name, 0, 0}, "the text has more than %d lines",
            SOURCE_LINES_MOST);
    return NULL;
  }
  s->line_count = (int)lines;
  fill_lines(a, s);
  return s;
}

Source *source_load(Arena *a, const char *path, Err *err) {
  Arena *scratch = arena_new();
  Err own = {0};
  size_t length;
  const char *text = file_read(scratch, path, SOURCE_BYTES_MOST + 3, &length, &own);
  Source *s = text ? source_new(a, path, text, length, err) : NULL;
  if (own.code == ERR_LIMIT)
    fail_size(path, err);
  else if (!text)
    fail(err, own.code, "%s", own.text);
  arena_free(scratch);
  return s;
}

const Source *source_of_line(const Source *s, int *line) {
  if (!s || !s->together) return s;
  int low = 0, high = s->together->at.count - 1;
  while (low < high) { // the last text that begins before the line
    int middle = (low + high + 1) / 2;
    if (s->together->at.at[middle]->lines_before < *line)
      low = middle;
    else
      high = middle - 1;
  }
  s = s->together->at.at[low];
  *line -= s->lines_before;
  return s;
}

const char *source_line_name(const Source *s, int line, char out[120]) {
  const Source *text = source_of_line(s, &line);
  const char *slash = text && text->lines_before ? strrchr(text->name, '/') : NULL;
  if (text && text->lines_before)
    c_snprintf(out, 120, "%.100s:%d", slash ? slash + 1 : text->name, line);
  else
    c_snprintf(out, 120, "%d", line);
  return out;
}

// ---- showing ----

enum {
  WIDTH = 72
}; // characters of a line that are shown; two such lines of any characters fit Err.excerpt

static const char *next_character(const char *c) {
  do c++;
  while (is_continuation(*c));
  return c;
}

static const char *skip_characters(const char *c, const char *end, int count) {
  while (count-- > 0 && c < end) c = next_character(c);
  return c;
}

typedef struct Window { // the part of a line that is shown
  const char *begin, *end;
  bool cut_left, cut_right;
  int before; // characters from begin to the place
} Window;

static Window choose_window(const char *begin, const char *end, int column) {
  Window w = {begin, end, false, false, column - 1};
  int most_before = 2 * WIDTH / 3;
  if (skip_characters(begin, end, WIDTH) < end && w.before > most_before) {
    w.begin = skip_characters(begin, end, w.before - most_before);
    w.before = most_before;
    w.cut_left = true;
  }
  w.end = skip_characters(w.begin, end, WIDTH);
  w.cut_right = w.end < end;
  return w;
}

typedef struct Out { // a text in a fixed buffer; the rest is cut off
  char *at;
  size_t length, size;
} Out;

static void put(Out *o, const char *text, size_t length) {
  if (o->length + length >= o->size) return;
  memcpy(o->at + o->length, text, length);
  o->length += length;
  o->at[o->length] = 0;
}

static void put_line(Out *o, const Window *w) {
  if (w->cut_left) put(o, "...", 3);
  for (const char *c = w->begin, *next; c < w->end; c = next) {
    next = next_character(c);
    bool hidden = character_at(c).hidden;
    put(o, hidden ? " " : c, hidden ? 1 : (size_t)(next - c));
  }
  if (w->cut_right) put(o, "...", 3);
}

static void put_caret(Out *o, const Window *w) {
  if (w->cut_left) put(o, "   ", 3);
  const char *c = w->begin;
  for (int i = 0; i < w->before; i++) {
    bool inside = c < w->end;
    put(o, inside && *c == '\t' ? "\t" : " ", 1); // a tab keeps the caret below its character
    if (inside) c = next_character(c);
  }
  put(o, "^", 1);
}

void source_excerpt(const Source *s, int line, int column, char *out, size_t size) {
  if (size) out[0] = 0;
  if (s && s->together && (line < 1 || line > s->line_count)) s = source_of_line(s, &line);
  if (!s || !size || line < 1 || line > s->line_count || column < 1) return;
  const char *begin = s->text + s->line_start[line - 1];
  const char *end = line < s->line_count ? s->text + s->line_start[line] - 1 : s->text + s->length;
  if (end > begin && end[-1] == '\r') end--;
  Window w = choose_window(begin, end, column);
  if (w.before > WIDTH) return; // behind the end of the line: nothing to point at
  Out o = {out, 0, size};
  put_line(&o, &w);
  put(&o, "\n", 1);
  put_caret(&o, &w);
}

bool source_fail_args(const Source *s, Err *err, ErrCode code, int line, int column,
                      const char *format, va_list args) {
  if (!err || err->code != ERR_NONE) return false;
  s = source_of_line(s, &line);
  fail_args(err, code, (Place){s ? s->name : NULL, line, column}, format, args);
  source_excerpt(s, line, column, err->excerpt, sizeof err->excerpt);
  return false;
}

bool source_fail(const Source *s, Err *err, ErrCode code, int line, int column, const char *format,
                 ...) {
  va_list args;
  va_start(args, format);
  source_fail_args(s, err, code, line, column, format, args);
  va_end(args);
  return false;
}
