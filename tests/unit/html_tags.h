// Reads HTML as a browser would, but forgives nothing: elements are closed in their order, attributes stand in double quotes, no '<' or '>'
// is in a text, no name is there twice, and nothing is asked of anybody.
#pragma once
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/character.h"
#include "test.h"

typedef ARRAY(const char *) TagWords;

typedef struct HtmlTags { // lives in its arena
  Arena *arena;
  TagWords names;      // of all elements that begin
  TagWords ids;        // each once
  TagWords references; // "#id" of links and clips
  TagWords figures;    // ids of <figure>, in their order
  const char *data;    // the text of <script type="application/json">; NULL: none
} HtmlTags;

static inline bool tag_is(const char *name, const char *const *list) {
  for (; *list; list++)
    if (strcasecmp(name, *list) == 0) return true;
  return false;
}

static inline bool tag_has(const TagWords *list, const char *word) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->at[i], word) == 0) return true;
  return false;
}

static inline int tag_count(const HtmlTags *t, const char *name) {
  int count = 0;
  for (int i = 0; i < t->names.count; i++) count += strcmp(t->names.at[i], name) == 0;
  return count;
}

static inline void tag_attribute(HtmlTags *t, const char *tag, const char *name,
                                 const char *value) {
  static const char *const LOADING[] = {
      "src", "srcset", "action", "formaction", "poster", "background", "data", "xlink:href", NULL};
  if (tag_is(name, LOADING) || strncasecmp(name, "on", 2) == 0)
    fail_msg("<%s %s=\"%s\">", tag, name, value);
  if (strcmp(name, "href") == 0) {
    if (value[0] != '#') fail_msg("<%s href=\"%s\">", tag, value);
    array_push(t->arena, &t->references, value);
  }
  const char *clip = strstr(value, "url(");
  if (clip) {
    if (clip[4] != '#') fail_msg("%s=\"%s\"", name, value);
    array_push(t->arena, &t->references, arena_copy(t->arena, clip + 4, strcspn(clip + 4, ")")));
  }
  if (strcmp(name, "id") == 0) {
    if (tag_has(&t->ids, value)) fail_msg("id '%s' twice", value);
    array_push(t->arena, &t->ids, value);
    if (strcmp(tag, "figure") == 0) array_push(t->arena, &t->figures, value);
  }
}

// From behind the name to behind '>'. *closed: it ends with "/>".
static inline const char *tag_attributes(HtmlTags *t, const char *tag, const char *s,
                                         bool *closed) {
  *closed = false;
  for (;;) {
    s += strspn(s, " \n");
    if (*s == '>') return s + 1;
    if (s[0] == '/' && s[1] == '>') {
      *closed = true;
      return s + 2;
    }
    size_t length = strcspn(s, "= \n>\"'<");
    const char *name = arena_copy(t->arena, s, length);
    if (!length || s[length] != '=' || s[length + 1] != '"')
      fail_msg("<%s: attribute '%.40s'", tag, s);
    s += length + 2;
    length = strcspn(s, "\"<");
    if (s[length] != '"') fail_msg("<%s %s: no end of '%.40s'", tag, name, s);
    tag_attribute(t, tag, name, arena_copy(t->arena, s, length));
    s += length + 1;
  }
}

static inline void tag_check_text(const char *s, size_t length) {
  for (const char *end = s + length; s < end;) {
    Character c = character_at(s);
    if (c.hidden) fail_msg("a character that is not shown: '%.40s'", s);
    if (*s == '>') fail_msg("a bare '>': '%.40s'", s);
    if (*s == '&') {
      size_t n = strcspn(s, ";");
      if (n > 7 || s + n >= end ||
          (s[1] != '#' && strspn(s + 1, "abcdefghijklmnopqrstuvwxyz") != n - 1))
        fail_msg("a bare '&': '%.40s'", s);
    }
    s += c.bytes;
  }
}

static inline const char *tag_begin(HtmlTags *t, TagWords *open, const char *s) {
  static const char *const EMPTY[] = {"meta", "br", "hr", NULL};
  static const char *const BLOCKS[] = {"p",      "div", "ul", "table", "details",
                                       "figure", "pre", "h1", "h2",    NULL};
  size_t length = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  const char *name = arena_copy(t->arena, s, length);
  bool closed;
  if (!length) fail_msg("no tag: '<%.40s'", s);
  if (tag_is(name, BLOCKS) && tag_has(open, "p")) fail_msg("<%s> inside of <p>", name);
  array_push(t->arena, &t->names, name);
  const char *rest = tag_attributes(t, name, s + length, &closed);
  if (closed || tag_is(name, EMPTY)) return rest;
  if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0) { // their text is no markup
    const char *end = strstr(rest, strcmp(name, "script") == 0 ? "</script>" : "</style>");
    assert_non_null(end);
    if (strstr(s, "application/json") && strstr(s, "application/json") < rest)
      t->data = arena_copy(t->arena, rest, (size_t)(end - rest));
    return strchr(end, '>') + 1;
  }
  array_push(t->arena, open, name);
  return rest;
}

static inline HtmlTags html_tags(Arena *a, const char *html) {
  HtmlTags t = {.arena = a};
  TagWords open = {0};
  while (*html) {
    size_t length = strcspn(html, "<");
    tag_check_text(html, length);
    html += length;
    if (!*html) break;
    if (strncmp(html, "<!DOCTYPE html>", 15) == 0) {
      html += 15;
    } else if (html[1] == '/') {
      length = strcspn(html, ">");
      const char *name = arena_copy(a, html + 2, length - 2);
      if (!open.count || strcmp(open.at[open.count - 1], name) != 0)
        fail_msg("</%s> ends <%s>", name, open.count ? open.at[open.count - 1] : "");
      open.count--;
      html += length + 1;
    } else {
      html = tag_begin(&t, &open, html + 1);
    }
  }
  if (open.count) fail_msg("<%s> has no end", open.at[open.count - 1]);
  for (int i = 0; i < t.references.count; i++)
    if (!tag_has(&t.ids, t.references.at[i] + 1)) fail_msg("%s leads nowhere", t.references.at[i]);
  return t;
}

// The text that a browser shows of a text without elements. Lives in a.
static inline const char *html_decoded(Arena *a, const char *s) {
  static const struct {
    const char *entity, *text;
  } ENTITIES[] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&#39;", "'"}};
  char *out = ARENA_ARRAY(a, char, strlen(s) + 1), *at = out;
  while (*s) {
    size_t i = 0, count = sizeof ENTITIES / sizeof *ENTITIES;
    while (*s == '&' && i < count &&
           strncmp(s, ENTITIES[i].entity, strlen(ENTITIES[i].entity)) != 0)
      i++;
    if (*s == '&') {
      if (i == count) fail_msg("an unknown entity: '%.40s'", s);
      *at++ = ENTITIES[i].text[0];
      s += strlen(ENTITIES[i].entity);
    } else {
      *at++ = *s++;
    }
  }
  return out;
}

// Texts that somebody may give to a name, a unit or a file.
static const char *const HOSTILE[] = {"<script>window.hacked=1</script>",
                                      "\"><img src=x onerror=window.hacked=1>",
                                      "' onmouseover='window.hacked=1",
                                      "</style></title></script>",
                                      "--> ]]> <!-- <![CDATA[",
                                      "\\u003c \\\" %s%n {{x}}",
                                      "&lt;&amp;&#60;&",
                                      "\x1b[31mred\x1b[0m \x1b]0;title\a \r\b\x7f",
                                      "\xE2\x80\xAE"
                                      "sdrawkcab \xE2\x81\xA7",
                                      "\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xc3",
                                      "\xef\xbf\xbf\xef\xbf\xbe \xc2\x9b"
                                      "31m \xe2\x80\xa8",
                                      "javascript:window.hacked=1",
                                      "../../etc/passwd",
                                      ""};
enum { HOSTILE_COUNT = sizeof HOSTILE / sizeof *HOSTILE };
