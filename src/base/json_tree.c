#include "base/json_tree.h"

#include <string.h>

#include "base/names.h"
#include "base/text.h"

typedef struct JsonReader {
  Arena *arena;
  const char *file, *at;
  int line, depth;
  const char *counted; // columns up to here, from the begin of the line
  int columns;
  Err *err;
} JsonReader;

// Counts on from the last place: a file may be one long line.
static Place place(JsonReader *r) {
  for (; r->counted < r->at; r->counted++) r->columns += (*r->counted & 0xC0) != 0x80;
  return (Place){r->file, r->line, r->columns + 1};
}

static JsonTree *wrong(JsonReader *r, const char *what) {
  fail_at(r->err, ERR_SYNTAX, place(r), "%s", what);
  return NULL;
}

static void skip_blanks(JsonReader *r) {
  for (; *r->at && strchr(" \t\r\n", *r->at); r->at++)
    if (*r->at == '\n') r->line++, r->counted = r->at + 1, r->columns = 0;
}

// ---------------------------------------------------------------- texts

static int hex_digits(const char *s) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *d = s[i] ? strchr(digits, s[i]) : NULL;
    if (!d) return -1;
    value = 16 * value + (int)(d - digits) % 16;
  }
  return value;
}

static void add_utf8(Text *t, long code) {
  char out[4];
  int n = 0;
  if (code < 0x80) {
    out[n++] = (char)code;
  } else if (code < 0x800) {
    out[n++] = (char)(0xC0 | code >> 6);
    out[n++] = (char)(0x80 | (code & 0x3F));
  } else {
    if (code >= 0x10000) out[n++] = (char)(0xF0 | code >> 18);
    out[n++] = (char)(code >= 0x10000 ? 0x80 | (code >> 12 & 0x3F) : 0xE0 | code >> 12);
    out[n++] = (char)(0x80 | (code >> 6 & 0x3F));
    out[n++] = (char)(0x80 | (code & 0x3F));
  }
  text_add_bytes(t, out, (size_t)n);
}

// \u1234, two of them for characters beyond; r->at is behind the u.
static bool read_unicode(JsonReader *r, Text *t) {
  long code = hex_digits(r->at), second = -1;
  if (code >= 0xD800 && code < 0xDC00 && r->at[4] == '\\' && r->at[5] == 'u') {
    second = hex_digits(r->at + 6);
    if (second < 0xDC00 || second > 0xDFFF) second = -1;
    if (second >= 0) code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
  }
  if (code <= 0 || (code >= 0xD800 && code < 0xE000)) {
    wrong(r, "this is no character: four hexadecimal digits, not 0000, surrogates in pairs");
    return false;
  }
  r->at += second >= 0 ? 10 : 4;
  add_utf8(t, code);
  return true;
}

static bool read_escape(JsonReader *r, Text *t) {
  static const char LETTERS[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
  const char *which = *r->at ? strchr(LETTERS, *r->at) : NULL;
  if (*r->at == 'u') {
    r->at++;
    return read_unicode(r, t);
  }
  if (!which) {
    wrong(r, "there is no such escape in JSON");
    return false;
  }
  text_add_bytes(t, &MEANT[which - LETTERS], 1);
  r->at++;
  return true;
}

// r->at is at the quotation mark. NULL: not a text.
static const char *read_text(JsonReader *r) {
  Text t;
  bool fine = true;
  text_init(&t);
  for (r->at++; fine && *r->at != '"';) {
    size_t plain = strcspn(r->at, "\"\\\n\r\t");
    for (size_t i = 0; i < plain; i++)
      if ((unsigned char)r->at[i] < 0x20) plain = i;
    text_add_bytes(&t, r->at, plain);
    r->at += plain;
    if (*r->at == '\\')
      r->at++, fine = read_escape(r, &t);
    else if (*r->at != '"')
      fine = wrong(r, *r->at ? "a control character inside a text" : "a text without end") != NULL;
  }
  const char *copy = fine ? arena_copy(r->arena, t.at, t.length) : NULL;
  if (fine) r->at++;
  text_done(&t);
  return copy;
}

// ---------------------------------------------------------------- values

static JsonTree *read_value(JsonReader *r);

static JsonTree *new_tree(JsonReader *r, JsonKind kind) {
  JsonTree *n = ARENA_NEW(r->arena, JsonTree);
  n->kind = kind;
  n->text = "";
  n->at = place(r);
  return n;
}

static size_t digits(const char *s) {
  return strspn(s, "0123456789");
}

// -12.5e+3: no blanks, no +, no leading zeros, digits on both sides of the point.
static size_t number_length(const char *s) {
  const char *at = s + (*s == '-');
  size_t whole = digits(at);
  if (!whole || (whole > 1 && *at == '0')) return 0;
  at += whole;
  if (*at == '.') {
    if (!digits(at + 1)) return 0;
    at += 1 + digits(at + 1);
  }
  if (*at == 'e' || *at == 'E') {
    const char *power = at + 1 + (at[1] == '+' || at[1] == '-');
    if (!digits(power)) return 0;
    at = power + digits(power);
  }
  return (size_t)(at - s);
}

static JsonTree *read_number(JsonReader *r) {
  JsonTree *n = new_tree(r, JSON_NUMBER);
  size_t length = number_length(r->at);
  const char *text = arena_copy(r->arena, r->at, length);
  if (!length) return wrong(r, "this is not a number of JSON");
  if (!number_parse(text, &n->number)) return wrong(r, "no double can hold this number");
  r->at += length;
  return n;
}

static JsonTree *read_word(JsonReader *r) {
  static const struct {
    const char *word;
    JsonKind kind;
    double number;
  } WORDS[] = {{"null", JSON_NULL, 0}, {"true", JSON_FLAG, 1}, {"false", JSON_FLAG, 0}};
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(WORDS[i].word);
    if (strncmp(r->at, WORDS[i].word, length) != 0) continue;
    JsonTree *n = new_tree(r, WORDS[i].kind);
    n->number = WORDS[i].number;
    r->at += length;
    return n;
  }
  return wrong(r, *r->at ? "this is not JSON: a value is expected" : "the JSON ends too early");
}

// "key": in front of a member. false: it is not there.
static bool read_key(JsonReader *r, Names *keys, const char **key) {
  skip_blanks(r);
  if (*r->at != '"') return wrong(r, "a key in quotation marks is expected");
  Place at = place(r);
  *key = read_text(r);
  if (!*key) return false;
  if (names_find(keys, *key) >= 0)
    return fail_at(r->err, ERR_NAME, at, "'%.60s' is given twice in one object", *key);
  names_set(keys, *key, 1);
  skip_blanks(r);
  if (*r->at != ':') return wrong(r, "':' is expected after a key");
  r->at++;
  return true;
}

static JsonTree *read_items(JsonReader *r, JsonKind kind) {
  JsonTree *n = new_tree(r, kind);
  char end = kind == JSON_LIST ? ']' : '}';
  Names *keys = kind == JSON_MAP ? names_new(r->arena) : NULL;
  r->at++;
  skip_blanks(r);
  for (bool more = *r->at != end; more;) {
    const char *key = NULL;
    if (kind == JSON_MAP && !read_key(r, keys, &key)) return NULL;
    JsonTree *item = read_value(r);
    if (!item) return NULL;
    item->key = key;
    array_push(r->arena, &n->items, item);
    skip_blanks(r);
    more = *r->at == ',';
    if (!more && *r->at != end)
      return wrong(r, kind == JSON_LIST ? "',' or ']' is expected" : "',' or '}' is expected");
    if (more) r->at++;
  }
  r->at++;
  return n;
}

static JsonTree *read_nested(JsonReader *r) {
  if (r->depth >= JSON_TREE_DEPTH_MOST) {
    fail_at(r->err, ERR_LIMIT, place(r), "more than %d lists and objects inside each other",
            JSON_TREE_DEPTH_MOST);
    return NULL;
  }
  r->depth++;
  JsonTree *n = read_items(r, *r->at == '[' ? JSON_LIST : JSON_MAP);
  r->depth--;
  return n;
}

static JsonTree *read_value(JsonReader *r) {
  skip_blanks(r);
  if (*r->at == '[' || *r->at == '{') return read_nested(r);
  if (*r->at == '-' || digits(r->at)) return read_number(r);
  if (*r->at != '"') return read_word(r);
  JsonTree *n = new_tree(r, JSON_TEXT);
  n->text = read_text(r);
  return n->text ? n : NULL;
}

JsonTree *json_parse(Arena *a, const char *file, const char *text, Err *err) {
  JsonReader r = {.arena = a, .file = file, .at = text, .line = 1, .counted = text, .err = err};
  JsonTree *n = read_value(&r);
  if (!n) return NULL;
  skip_blanks(&r);
  return *r.at ? wrong(&r, "the JSON ends before this") : n;
}

JsonTree *json_find(const JsonTree *map, const char *key) {
  for (int i = 0; map && map->kind == JSON_MAP && i < map->items.count; i++)
    if (strcmp(map->items.at[i]->key, key) == 0) return map->items.at[i];
  return NULL;
}
