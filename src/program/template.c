#include "program/template.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/c_locale.h"

typedef enum HoleKind {
  HOLE_NONE,
  HOLE_PARAMETER,
  HOLE_START,
  HOLE_STOP,
  HOLE_NUMBER,
  HOLE_NAME
} HoleKind;

static const struct {
  const char *name;
  HoleKind kind;
  bool formatted; // a number that a format may follow
} OWN_NAMES[] = {
    {"entrain.start", HOLE_START, true},
    {"entrain.stop", HOLE_STOP, true},
    {"entrain.experiment", HOLE_NUMBER, false},
    {"entrain.name", HOLE_NAME, false},
};

enum { OWN_COUNT = sizeof OWN_NAMES / sizeof *OWN_NAMES };

typedef struct TemplatePart { // text, then a hole
  const char *text;
  size_t length;
  HoleKind kind;
  int parameter;
  const char *format;
} TemplatePart;

struct Template {
  ARRAY(TemplatePart) parts;
  bool has_placeholders;
};

typedef struct TemplateReader {
  Arena *arena;
  const char *file, *text, *at, *end;
  const TemplateNames *names;
  Template *made;
  Err *err;
} TemplateReader;

// ---- reading

static Place place_of(const TemplateReader *r, const char *at) {
  Place place = {r->file, 1, 1};
  for (const char *c = r->text; c < at; c++) {
    place.column++;
    if (*c == '\n') place.line++, place.column = 1;
  }
  return place;
}

static void add_text(TemplateReader *r, const char *from, const char *until) {
  TemplatePart part = {.text = from, .length = (size_t)(until - from)};
  if (part.length) array_push(r->arena, &r->made->parts, part);
}

// % flags width .precision e|f|g|E|G, as in printf.
static bool is_format(const char *f) {
  if (*f++ != '%') return false;
  f += strspn(f, "-+ #0");
  size_t width = strspn(f, "0123456789"), precision = 0;
  f += width;
  if (*f == '.') precision = strspn(++f, "0123456789");
  f += precision;
  return width <= 3 && precision <= 3 && *f && strchr("efgEG", *f) && !f[1];
}

static bool bad_format(TemplateReader *r, const char *at, const char *format) {
  return fail_at(r->err, ERR_SYNTAX, place_of(r, at),
                 "'%.40s' is not a format for a number; a format is %%, flags (-+ #0), width and "
                 "precision (three digits at most) and one of e f g E G, such as %%12.5e",
                 format);
}

static bool unknown_name(TemplateReader *r, const char *at, const char *name) {
  int count = r->names->count;
  const char **known = ARENA_ARRAY(r->arena, const char *, count + OWN_COUNT);
  for (int i = 0; i < count; i++) known[i] = r->names->at[i];
  for (int i = 0; i < OWN_COUNT; i++) known[count + i] = OWN_NAMES[i].name;
  const char *nearest = nearest_name(name, known, count + OWN_COUNT);
  if (nearest)
    return fail_at(r->err, ERR_NAME, place_of(r, at),
                   "there is no parameter '%.100s'; did you mean '%.100s'?", name, nearest);
  Text list;
  text_init(&list);
  for (int i = 0; i < count && i < 8; i++) text_print(&list, "%s%.60s", i ? ", " : "", known[i]);
  fail_at(r->err, ERR_NAME, place_of(r, at),
          "there is no parameter '%.100s'; the parameters are %s%s (two braces are written {{{{)",
          name, count ? list.at : "none", count > 8 ? ", ..." : "");
  text_done(&list);
  return false;
}

// false: there is no such name.
static bool find_name(const TemplateReader *r, const char *name, TemplatePart *hole,
                      bool *formatted) {
  for (int i = 0; i < r->names->count; i++)
    if (strcmp(r->names->at[i], name) == 0) {
      *hole = (TemplatePart){.kind = HOLE_PARAMETER, .parameter = i};
      r->names->used[i] = *formatted = true;
      return true;
    }
  for (int i = 0; i < OWN_COUNT; i++)
    if (strcmp(OWN_NAMES[i].name, name) == 0) {
      *hole = (TemplatePart){.kind = OWN_NAMES[i].kind};
      *formatted = OWN_NAMES[i].formatted;
      return true;
    }
  return false;
}

static char *copy_trimmed(Arena *a, const char *from, const char *until) {
  while (from < until && (*from == ' ' || *from == '\t')) from++;
  while (from < until && (until[-1] == ' ' || until[-1] == '\t')) until--;
  return arena_copy(a, from, (size_t)(until - from));
}

// name or name:format, between the braces. A name with a colon is found first.
static bool read_hole(TemplateReader *r, const char *from, const char *until) {
  TemplatePart hole;
  bool formatted = false;
  const char *format = "%.17g", *name = copy_trimmed(r->arena, from, until);
  if (!find_name(r, name, &hole, &formatted)) {
    const char *colon = memrchr(from, ':', (size_t)(until - from));
    if (colon) name = copy_trimmed(r->arena, from, colon);
    if (!colon || !find_name(r, name, &hole, &formatted)) return unknown_name(r, from, name);
    format = arena_copy(r->arena, colon + 1, (size_t)(until - colon - 1));
    if (!is_format(format)) return bad_format(r, colon + 1, format);
    if (!formatted)
      return fail_at(r->err, ERR_SYNTAX, place_of(r, colon + 1), "'%s' takes no format", name);
  }
  hole.format = format;
  array_push(r->arena, &r->made->parts, hole);
  return r->made->has_placeholders = true;
}

// At {{, which are not four braces.
static bool read_placeholder(TemplateReader *r) {
  const char *begin = r->at;
  const char *line_end = memchr(begin, '\n', (size_t)(r->end - begin));
  size_t room = (size_t)((line_end ? line_end : r->end) - begin);
  const char *close = memmem(begin, room, "}}", 2);
  if (!close)
    return fail_at(r->err, ERR_SYNTAX, place_of(r, begin),
                   "}} is missing in this line; two braces by themselves are written {{{{");
  r->at = close + 2;
  return read_hole(r, begin + 2, close);
}

static bool starts(const TemplateReader *r, const char *braces) {
  size_t length = strlen(braces);
  return (size_t)(r->end - r->at) >= length && memcmp(r->at, braces, length) == 0;
}

Template *template_parse(Arena *a, const char *file, const char *text, size_t length,
                         const TemplateNames *names, Err *err) {
  Template *made = ARENA_NEW(a, Template);
  TemplateReader r = {a, file, text, text, text + length, names, made, err};
  while (r.at < r.end) {
    const char *next = memmem(r.at, (size_t)(r.end - r.at), "{{", 2);
    add_text(&r, r.at, next ? next : r.end);
    if (!next) break;
    r.at = next;
    if (starts(&r, "{{{{")) {
      add_text(&r, r.at, r.at + 2);
      r.at += 4;
      continue;
    }
    if (starts(&r, "{{{")) {
      add_text(&r, r.at, r.at + 1);
      r.at++;
    }
    if (!read_placeholder(&r)) return NULL;
  }
  return made;
}

bool template_has_placeholders(const Template *t) {
  return t->has_placeholders;
}

// ---- writing

double call_stop(const SimulatorCall *call) {
  return call->count ? call->times[call->count - 1] : call->start;
}

static const char *text_of(const SimulatorCall *call, int parameter) {
  for (int i = 0; i < call->text_count; i++)
    if (call->texts[i].parameter == parameter) return call->texts[i].text;
  return NULL;
}

static void write_parameter(const TemplatePart *hole, const SimulatorCall *call, Text *out) {
  assert(hole->parameter < call->parameter_count);
  const char *text = text_of(call, hole->parameter);
  if (text)
    text_add(out, text);
  else
    text_print(out, hole->format, call->parameters[hole->parameter]);
}

static void write_part(const TemplatePart *part, const SimulatorCall *call, Text *out) {
  switch (part->kind) {
  case HOLE_NONE: text_add_bytes(out, part->text, part->length); break;
  case HOLE_PARAMETER: write_parameter(part, call, out); break;
  case HOLE_START: text_print(out, part->format, call->origin + call->start); break;
  case HOLE_STOP: text_print(out, part->format, call->origin + call_stop(call)); break;
  case HOLE_NUMBER: text_print(out, "%d", call->experiment + 1); break;
  case HOLE_NAME: text_add(out, call->name ? call->name : ""); break;
  }
}

void template_write(const Template *t, const SimulatorCall *call, Text *out) {
  for (int i = 0; i < t->parts.count; i++) write_part(&t->parts.at[i], call, out);
}
