#include "base/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/visible.h"

typedef struct Anchor {
  const char *name;
  const Yaml *node;
} Anchor;

typedef struct YamlReader {
  Arena *arena, *scratch;
  const char *file, *text;
  size_t length;
  yaml_parser_t parser;
  yaml_event_t event; // the current one
  ARRAY(Anchor) anchors;
  int nodes;
  Err *err;
} YamlReader;

// ---------------------------------------------------------------- events

static Place place_of(const YamlReader *r, yaml_mark_t mark) {
  return (Place){r->file, (int)mark.line + 1, (int)mark.column + 1};
}

static bool has_tab_in_indentation(const YamlReader *r, size_t at) {
  if (at > r->length) return false;
  while (at > 0 && r->text[at - 1] != '\n') at--;
  while (at < r->length && r->text[at] == ' ') at++;
  return at < r->length && r->text[at] == '\t';
}

// A name such as wheel[2].om just before the place, inside braces: YAML takes its bracket for a list.
static bool has_index_before(const YamlReader *r, size_t at) {
  if (at > r->length) return false;
  size_t begin = at;
  while (begin > 0 && r->text[begin - 1] != '\n') begin--;
  bool brace = false;
  for (size_t i = begin; i < r->length && r->text[i] != '\n'; i++) {
    brace |= r->text[i] == '{';
    bool name = i > begin && (isalnum((unsigned char)r->text[i - 1]) || r->text[i - 1] == '_');
    if (brace && name && r->text[i] == '[') return true;
  }
  return false;
}

static bool fail_syntax(YamlReader *r) {
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) out_of_memory();
  Place at = place_of(r, p->problem_mark);
  const char *problem = p->problem ? p->problem : "it cannot be read";
  if (p->error == YAML_READER_ERROR) // it knows only the offset
    return fail_at(r->err, ERR_SYNTAX, (Place){.file = r->file}, "this is not YAML: %s", problem);
  if (has_tab_in_indentation(r, p->problem_mark.index))
    return fail_at(r->err, ERR_SYNTAX, at, "indent YAML with blanks, not with tabs");
  if (p->context && strstr(p->context, "quoted scalar") && strstr(problem, "end of stream"))
    return fail_at(r->err, ERR_SYNTAX, place_of(r, p->context_mark), "this quote is not closed");
  if (has_index_before(r, p->problem_mark.index))
    return fail_at(r->err, ERR_SYNTAX, at,
                   "a name with [ ] inside { } needs quotes in YAML: {'wheel[2].om': column}");
  if (p->context && p->context_mark.line != p->problem_mark.line)
    return fail_at(r->err, ERR_SYNTAX, at, "this is not YAML: %s (%s that begins in line %d)",
                   problem, p->context, (int)p->context_mark.line + 1);
  return fail_at(r->err, ERR_SYNTAX, at, "this is not YAML: %s", problem);
}

static bool next(YamlReader *r) {
  yaml_event_delete(&r->event);
  return yaml_parser_parse(&r->parser, &r->event) || fail_syntax(r);
}

static bool refuse(YamlReader *r, const char *what) {
  return fail_at(r->err, ERR_UNSUPPORTED, place_of(r, r->event.start_mark), "%s", what);
}

// ---------------------------------------------------------------- nodes

static Yaml *new_node(YamlReader *r, YamlKind kind, Place at) {
  if (r->nodes++ >= YAML_NODES_MOST) {
    fail_at(r->err, ERR_LIMIT, at, "more than %d values", YAML_NODES_MOST);
    return NULL;
  }
  Yaml *n = ARENA_NEW(r->arena, Yaml);
  n->kind = kind;
  n->text = "";
  n->at = at;
  return n;
}

static Yaml *copy(YamlReader *r, const Yaml *from) {
  Yaml *n = new_node(r, from->kind, from->at);
  if (!n) return NULL;
  n->text = from->text, n->quoted = from->quoted;
  n->key = from->key, n->key_at = from->key_at;
  for (int i = 0; i < from->items.count; i++) {
    Yaml *item = copy(r, from->items.at[i]);
    if (!item) return NULL;
    array_push(r->arena, &n->items, item);
  }
  return n;
}

static Yaml *read_alias(YamlReader *r) {
  const char *name = (const char *)r->event.data.alias.anchor;
  Place at = place_of(r, r->event.start_mark);
  for (int i = r->anchors.count - 1; i >= 0; i--)
    if (strcmp(r->anchors.at[i].name, name) == 0) {
      Yaml *n = copy(r, r->anchors.at[i].node);
      if (n) n->key = NULL;
      return n;
    }
  fail_at(r->err, ERR_NAME, at,
          "*%.60s is not defined: no complete value above is marked with &%.60s", name, name);
  return NULL;
}

static Yaml *read_text(YamlReader *r) {
  Yaml *n = new_node(r, YAML_TEXT, place_of(r, r->event.start_mark));
  if (!n) return NULL;
  size_t length = r->event.data.scalar.length;
  n->text = arena_copy(r->arena, (const char *)r->event.data.scalar.value, length);
  n->quoted = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  bool whole = strlen(n->text) == length;
  n->text = visible(r->arena, n->text);
  if (whole) return n;
  refuse(r, "a text cannot contain the character \\0");
  return NULL;
}

static Yaml *read_node(YamlReader *r, int depth);

static Yaml *read_list(YamlReader *r, int depth) {
  Yaml *n = new_node(r, YAML_LIST, place_of(r, r->event.start_mark));
  if (!n) return NULL;
  while (next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
    Yaml *item = read_node(r, depth);
    if (!item) return NULL;
    array_push(r->arena, &n->items, item);
  }
  return r->err->code == ERR_NONE ? n : NULL;
}

// The text of a key; NULL: an error.
static Yaml *read_key(YamlReader *r, Names *known, const Yaml *map) {
  Place at = place_of(r, r->event.start_mark);
  if (r->event.type != YAML_SCALAR_EVENT) {
    refuse(r, "a key must be a text");
    return NULL;
  }
  Yaml *key = read_node(r, 0);
  if (!key) return NULL;
  if (!key->quoted && strcmp(key->text, "<<") == 0) {
    fail_at(r->err, ERR_UNSUPPORTED, at, "merge keys (<<) are not supported; write the keys out");
    return NULL;
  }
  int before = names_find(known, key->text);
  if (before < 0) return key;
  fail_at(r->err, ERR_NAME, at, "'%.60s' is given twice; the first is in line %d", key->text,
          map->items.at[before]->key_at.line);
  return NULL;
}

static Yaml *read_map(YamlReader *r, int depth) {
  Yaml *n = new_node(r, YAML_MAP, place_of(r, r->event.start_mark));
  if (!n) return NULL;
  Names *known = names_new(r->scratch);
  while (next(r) && r->event.type != YAML_MAPPING_END_EVENT) {
    const Yaml *key = read_key(r, known, n);
    Yaml *value = key && next(r) ? read_node(r, depth) : NULL;
    if (!value) return NULL;
    value->key = key->text;
    value->key_at = key->at;
    names_set(known, key->text, n->items.count);
    array_push(r->arena, &n->items, value);
  }
  return r->err->code == ERR_NONE ? n : NULL;
}

typedef struct Marks { // &anchor and !tag of a node
  const yaml_char_t *anchor, *tag;
} Marks;

static Marks marks_of(const yaml_event_t *e) {
  if (e->type == YAML_SCALAR_EVENT) return (Marks){e->data.scalar.anchor, e->data.scalar.tag};
  if (e->type == YAML_SEQUENCE_START_EVENT)
    return (Marks){e->data.sequence_start.anchor, e->data.sequence_start.tag};
  if (e->type == YAML_MAPPING_START_EVENT)
    return (Marks){e->data.mapping_start.anchor, e->data.mapping_start.tag};
  return (Marks){0};
}

static Yaml *read_unmarked(YamlReader *r, int depth) {
  switch (r->event.type) {
  case YAML_ALIAS_EVENT: return read_alias(r);
  case YAML_SCALAR_EVENT: return read_text(r);
  case YAML_SEQUENCE_START_EVENT: return read_list(r, depth + 1);
  default: return read_map(r, depth + 1);
  }
}

static Yaml *read_node(YamlReader *r, int depth) {
  Marks marks = marks_of(&r->event);
  if (marks.tag) {
    refuse(r, "tags (!...) are not supported; leave it out");
    return NULL;
  }
  if (depth == YAML_DEPTH_MOST) {
    fail_at(r->err, ERR_LIMIT, place_of(r, r->event.start_mark),
            "more than %d lists and mappings inside each other", YAML_DEPTH_MOST);
    return NULL;
  }
  const char *anchor =
      marks.anchor ? arena_print(r->scratch, "%s", (const char *)marks.anchor) : NULL;
  Yaml *n = read_unmarked(r, depth);
  if (n && anchor) array_push(r->scratch, &r->anchors, ((Anchor){anchor, n}));
  return n;
}

// ---------------------------------------------------------------- a file

static Yaml *read_document(YamlReader *r) {
  if (!next(r) || !next(r)) return NULL; // the stream, the document
  if (r->event.type == YAML_STREAM_END_EVENT) {
    fail_at(r->err, ERR_SYNTAX, (Place){.file = r->file}, "this file is empty");
    return NULL;
  }
  Yaml *root = next(r) ? read_node(r, 0) : NULL;
  if (!root || !next(r) || !next(r)) return NULL; // its end, the end of the stream
  if (r->event.type == YAML_STREAM_END_EVENT) return root;
  refuse(r, "a second document begins here; a file may contain only one");
  return NULL;
}

Yaml *yaml_parse(Arena *a, const char *file, const char *text, size_t length, Err *err) {
  Err own = {0};
  YamlReader r = {.arena = a, .scratch = arena_new(), .text = text, .length = length, .err = &own};
  r.file = arena_copy(a, file, strlen(file));
  Yaml *root = NULL;
  if (length > YAML_BYTES_MOST) {
    fail_at(&own, ERR_LIMIT, (Place){.file = r.file}, "more than %d MiB", YAML_BYTES_MOST >> 20);
  } else {
    if (!yaml_parser_initialize(&r.parser)) out_of_memory();
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    root = read_document(&r);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
  }
  arena_free(r.scratch);
  if (own.code != ERR_NONE && err && err->code == ERR_NONE) *err = own;
  return own.code == ERR_NONE ? root : NULL;
}

Yaml *yaml_find(const Yaml *map, const char *key) {
  if (!map || map->kind != YAML_MAP) return NULL;
  for (int i = 0; i < map->items.count; i++)
    if (strcmp(map->items.at[i]->key, key) == 0) return map->items.at[i];
  return NULL;
}

bool yaml_is_null(const Yaml *n) {
  if (!n) return true;
  if (n->kind != YAML_TEXT || n->quoted) return false;
  return !*n->text || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0;
}

bool yaml_is_absent(const Yaml *n) {
  return n && yaml_is_null(n) && *n->text;
}

static Yaml *new_null(Arena *a, Place at, const char *key, Place key_at) {
  Yaml *n = ARENA_NEW(a, Yaml);
  *n = (Yaml){.kind = YAML_TEXT, .text = "", .at = at, .key = key, .key_at = key_at};
  return n;
}

bool yaml_list_to_map(Arena *a, Yaml *n, Err *err) {
  if (!n || n->kind != YAML_LIST) return true;
  for (int i = 0; i < n->items.count; i++)
    if (n->items.at[i]->kind != YAML_TEXT || yaml_is_null(n->items.at[i])) return true;
  Yaml map = *n;
  map.kind = YAML_MAP;
  map.items.at = NULL;
  map.items.count = map.items.room = 0;
  Names *known = names_new(a);
  for (int i = 0; i < n->items.count; i++) {
    const Yaml *item = n->items.at[i];
    if (names_find(known, item->text) >= 0)
      return fail_at(err, ERR_NAME, item->at, "'%.60s' is given twice", item->text);
    names_set(known, item->text, i);
    array_push(a, &map.items, new_null(a, item->at, item->text, item->at));
  }
  *n = map;
  return true;
}

// ---------------------------------------------------------------- changes by path

typedef struct Change {
  Arena *arena;
  const char *path, *place;
  const YamlSchema *schema;
  Err *err;
} Change;

static Place set_place(const Change *c) {
  return (Place){.file = c->place};
}

// Whether rest begins with the name, followed by a dot or nothing.
static bool begins_with(const char *rest, const char *name) {
  size_t length = strlen(name);
  return strncmp(rest, name, length) == 0 && (!rest[length] || rest[length] == '.');
}

static const char *behind(const char *rest, size_t length) {
  return rest[length] ? rest + length + 1 : rest + length;
}

static const char *short_key(const Change *c, const Yaml *parent, const Yaml *n) {
  for (int i = 0; i < c->schema->short_count; i++) {
    const YamlShort *s = &c->schema->shorts[i];
    bool is_parent = !s->parent || (parent && parent->key && strcmp(parent->key, s->parent) == 0);
    if (is_parent && (!s->own || (n->key && strcmp(n->key, s->own) == 0))) return s->key;
  }
  return NULL;
}

static Yaml *add_key(const Change *c, Yaml *map, const char *key) {
  Yaml *n = new_null(c->arena, set_place(c), key, set_place(c));
  array_push(c->arena, &map->items, n);
  return n;
}

static void make_empty_map(const Change *c, Yaml *n) {
  n->kind = YAML_MAP;
  n->text = "";
  n->quoted = false;
  n->at = set_place(c);
}

// Replaces a text by the mapping that it is short for.
static bool widen(const Change *c, const Yaml *parent, Yaml *n, const char *rest) {
  bool is_null = yaml_is_null(n);
  const char *key = short_key(c, parent, n);
  if (!is_null && !key)
    return fail_at(c->err, ERR_NAME, set_place(c),
                   "there can be no '%.60s' in '%.60s', which is '%.60s'", rest,
                   n->key ? n->key : "", n->text);
  Yaml old = *n;
  make_empty_map(c, n);
  if (is_null) return true;
  Yaml *inner = add_key(c, n, key);
  inner->text = old.text, inner->quoted = old.quoted, inner->at = old.at;
  return true;
}

static size_t next_name(const Change *c, const char *rest) {
  size_t length = strcspn(rest, ".");
  for (int i = 0; i < c->schema->dotted_count; i++) {
    const char *name = c->schema->dotted[i];
    if (begins_with(rest, name) && strlen(name) > length) length = strlen(name);
  }
  return length;
}

static Yaml *find_longest(const Yaml *map, const char *rest) {
  Yaml *best = NULL;
  for (int i = 0; i < map->items.count; i++) {
    Yaml *n = map->items.at[i];
    if (begins_with(rest, n->key) && (!best || strlen(n->key) > strlen(best->key))) best = n;
  }
  return best;
}

static Yaml *step_into_map(const Change *c, Yaml *map, const char **rest) {
  Yaml *n = find_longest(map, *rest);
  size_t length = n ? strlen(n->key) : next_name(c, *rest);
  if (!n && length == 1 && **rest == '0') { // the first and only one
    *rest = behind(*rest, 1);
    return map;
  }
  if (!length) {
    fail_at(c->err, ERR_USAGE, set_place(c), "a name is missing in the path '%.200s'", c->path);
    return NULL;
  }
  if (!n) n = add_key(c, map, arena_copy(c->arena, *rest, length));
  *rest = behind(*rest, length);
  return n;
}

static Yaml *step_into_list(const Change *c, const Yaml *list, const char **rest) {
  size_t length = strcspn(*rest, "."), digits = strspn(*rest, "0123456789");
  if (digits != length && list->items.count == 1) return list->items.at[0];
  char *end;
  long index = digits == length && length < 8 ? strtol(*rest, &end, 10) : -1;
  if (length && index >= 0 && index < list->items.count) {
    *rest = behind(*rest, length);
    return list->items.at[index];
  }
  fail_at(c->err, ERR_NAME, set_place(c),
          "'%.60s' is a list of %d and has no element '%.*s'; elements are numbered from 0",
          list->key ? list->key : "", list->items.count, (int)(length < 60 ? length : 60), *rest);
  return NULL;
}

static void move_all(Yaml *n, Place at) {
  n->at = n->key_at = at;
  for (int i = 0; i < n->items.count; i++) move_all(n->items.at[i], at);
}

// A value as in a file; plain texts are taken as they are, also those that a file could not have, such as *.csv.
static bool read_value(const Change *c, const char *value, Yaml *out) {
  const char *first = value + strspn(value, " "), *end = first + strlen(first);
  Err own = {0};
  while (end > first && end[-1] == ' ') end--;
  *out = (Yaml){.kind = YAML_TEXT,
                .text = visible(c->arena, arena_copy(c->arena, first, (size_t)(end - first)))};
  if (!*first || !strchr("[{'\"", *first)) return true;
  const Yaml *tree = yaml_parse(c->arena, c->place, value, strlen(value), &own);
  if (!tree) return fail_at(c->err, own.code, set_place(c), "%s", own.text);
  *out = *tree;
  move_all(out, set_place(c));
  return true;
}

static bool assign(const Change *c, const Yaml *parent, Yaml *n, const char *value) {
  const char *key = short_key(c, parent, n);
  Yaml fresh;
  if (!read_value(c, value, &fresh)) return false;
  if (fresh.kind == YAML_TEXT && !yaml_is_absent(&fresh) && n->kind == YAML_MAP && key) {
    Yaml *inner = yaml_find(n, key);
    return assign(c, n, inner ? inner : add_key(c, n, key), value);
  }
  fresh.at = set_place(c), fresh.key = n->key, fresh.key_at = n->key_at;
  *n = fresh;
  return true;
}

bool yaml_set(Arena *a, Yaml *root, const char *path, const char *value, const char *place,
              const YamlSchema *schema, Err *err) {
  Change c = {a, path, arena_copy(a, place, strlen(place)), schema, err};
  Yaml *parent = NULL, *n = root;
  int depth = 0;
  if (!*path) return fail_at(err, ERR_USAGE, set_place(&c), "the path is empty");
  for (const char *rest = path; *rest;) {
    if (depth++ > YAML_DEPTH_MOST)
      return fail_at(err, ERR_LIMIT, set_place(&c), "the path has more than %d parts",
                     YAML_DEPTH_MOST);
    if (n->kind == YAML_TEXT && !widen(&c, parent, n, rest)) return false;
    Yaml *inner = n->kind == YAML_MAP ? step_into_map(&c, n, &rest) : step_into_list(&c, n, &rest);
    if (!inner) return false;
    if (inner != n) parent = n;
    n = inner;
  }
  return assign(&c, parent, n, value);
}
