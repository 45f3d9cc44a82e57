#include "fmu/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

typedef struct XmlReader {
  Arena *arena, *scratch;
  const char *file;
  const char *const *skipped;
  XML_Parser parser;
  Names *numbers;     // of names of elements and attributes, which occur again and again
  const char **words; // by these numbers
  int room;           // of words
  XmlElement *root;   // NULL: not yet
  XmlElement *open[XML_DEPTH_MOST]; // from the root to the innermost
  int depth;
  int skipping; // depth of an element that is left out, 0: none
  int elements;
  Err *err;
} XmlReader;

static Place place_of(const XmlReader *r) {
  return (Place){r->file, (int)XML_GetCurrentLineNumber(r->parser),
                 (int)XML_GetCurrentColumnNumber(r->parser) + 1};
}

// Ends the reading.
static void stop(XmlReader *r, ErrCode code, const char *why) {
  fail_at(r->err, code, place_of(r), "%s", why);
  XML_StopParser(r->parser, XML_FALSE);
}

// One copy of each name.
static const char *word(XmlReader *r, const char *name) {
  int number = names_find(r->numbers, name);
  if (number >= 0) return r->words[number];
  number = names_count(r->numbers);
  if (number == r->room) {
    r->room = r->room ? 2 * r->room : 64;
    const char **grown = ARENA_ARRAY(r->scratch, const char *, r->room);
    if (number) memcpy(grown, r->words, (size_t)number * sizeof *grown);
    r->words = grown;
  }
  names_set(r->numbers, name, number);
  return r->words[number] = arena_copy(r->arena, name, strlen(name));
}

static bool is_skipped(const XmlReader *r, const char *name) {
  for (const char *const *s = r->skipped; s && *s; s++)
    if (strcmp(*s, name) == 0) return true;
  return false;
}

static void read_attributes(XmlReader *r, XmlElement *e, const char **pairs) {
  int count = 0;
  while (pairs[2 * count]) count++;
  XmlAttribute *list = ARENA_ARRAY(r->arena, XmlAttribute, count);
  for (int i = 0; i < count; i++) {
    size_t length = strlen(pairs[2 * i + 1]);
    if (length > XML_VALUE_MOST) {
      stop(r, ERR_LIMIT, "an attribute has more than 64 MiB");
      return;
    }
    list[i] = (XmlAttribute){word(r, pairs[2 * i]), arena_copy(r->arena, pairs[2 * i + 1], length)};
  }
  e->attributes = list;
  e->attribute_count = count;
}

static void add_element(XmlReader *r, const char *name, const char **attributes) {
  Place at = place_of(r);
  XmlElement *e = ARENA_NEW(r->arena, XmlElement);
  e->name = word(r, name);
  e->line = at.line;
  e->column = at.column;
  read_attributes(r, e, attributes);
  r->open[r->depth] = e;
  if (r->depth == 0) {
    r->root = e;
    return;
  }
  XmlElement *parent = r->open[r->depth - 1];
  if (parent->last)
    parent->last->next = e;
  else
    parent->first = e;
  parent->last = e;
}

static void XMLCALL begin_element(void *data, const char *name, const char **attributes) {
  XmlReader *r = data;
  if (r->err->code != ERR_NONE) return;
  if (r->depth == XML_DEPTH_MOST) {
    stop(r, ERR_LIMIT, "more than 100 elements inside each other");
    return;
  }
  if (r->elements++ == XML_ELEMENTS_MOST) {
    stop(r, ERR_LIMIT, "more than 10000000 elements");
    return;
  }
  if (!r->skipping && r->depth > 0 && is_skipped(r, name)) r->skipping = r->depth;
  if (!r->skipping) add_element(r, name, attributes);
  r->depth++;
}

static void XMLCALL end_element(void *data, const char *name) {
  XmlReader *r = data;
  (void)name;
  r->depth--;
  if (r->skipping == r->depth) r->skipping = 0;
}

// Entities can only be declared in a document type; without one there is nothing to expand ("billion laughs").
static void XMLCALL refuse_doctype(void *data, const char *name, const char *system,
                                   const char *public, int internal) {
  (void)name, (void)system, (void)public, (void)internal;
  stop(data, ERR_UNSUPPORTED,
       "a document type (<!DOCTYPE) and entity declarations are not allowed");
}

static void fail_syntax(XmlReader *r) {
  enum XML_Error e = XML_GetErrorCode(r->parser);
  if (e == XML_ERROR_NO_MEMORY) out_of_memory();
  fail_at(r->err, ERR_SYNTAX, place_of(r), "this is not well-formed XML: %s", XML_ErrorString(e));
}

XmlElement *xml_parse(Arena *a, const char *file, const char *text, size_t length,
                      const char *const *skipped, Err *err) {
  Err own = {0};
  XmlReader r = {.arena = a, .scratch = arena_new(), .file = file, .skipped = skipped, .err = &own};
  r.numbers = names_new(r.scratch);
  r.parser = must_have(XML_ParserCreate(NULL));
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, begin_element, end_element);
  XML_SetStartDoctypeDeclHandler(r.parser, refuse_doctype);
  if (length > INT_MAX)
    fail_at(&own, ERR_LIMIT, (Place){.file = file}, "the text has more than %d bytes", INT_MAX);
  // All at once: expat reads a token that continues in the next piece again from its beginning.
  else if (XML_Parse(r.parser, text, (int)length, XML_TRUE) != XML_STATUS_OK)
    fail_syntax(&r);
  XML_ParserFree(r.parser);
  arena_free(r.scratch);
  if (own.code == ERR_NONE) return r.root;
  if (err && err->code == ERR_NONE) *err = own;
  return NULL;
}

const char *xml_attribute(const XmlElement *e, const char *name) {
  for (int i = 0; i < e->attribute_count; i++)
    if (strcmp(e->attributes[i].name, name) == 0) return e->attributes[i].value;
  return NULL;
}

const XmlElement *xml_child(const XmlElement *e, const char *name) {
  for (const XmlElement *c = e ? e->first : NULL; c; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}
