#include "lang/name.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#include "lang/lex.h"

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_reserved(const char *name, size_t length) {
  if (length == 4 && strncmp(name, "time", 4) == 0) return true;
  for (int k = TOKEN_ALGORITHM; k < TOKEN_COUNT; k++) {
    const char *word = token_text((TokenKind)k);
    if (strlen(word) == length && strncmp(word, name, length) == 0) return true;
  }
  return false;
}

// Behind a plain name that starts at s, s itself if there is none.
static const char *plain_end(const char *s) {
  const char *c = s;
  if (!is_letter(*c)) return s;
  while (is_letter(*c) || is_digit(*c)) c++;
  return c;
}

// Behind a quoted name that starts at s, s itself if it has no end.
static const char *quoted_end(const char *s) {
  const char *c = s + 1;
  for (; *c && *c != '\''; c++)
    if (*c == '\\' && c[1]) c++;
  return *c ? c + 1 : s;
}

static const char *index_end(const char *s) {
  for (;;) {
    const char *c = s + 1;
    if (*s != '[' || !is_digit(*c)) return s;
    while (is_digit(*c) || (*c == ',' && is_digit(c[1]))) c++;
    if (*c != ']') return s;
    s = c + 1;
  }
}

bool name_is_plain(const char *name) {
  if (*name == '\'') return *quoted_end(name) == 0 && !strchr(name, '.') && !strchr(name, '[');
  const char *end = plain_end(name);
  return end > name && !*end && !is_reserved(name, (size_t)(end - name));
}

bool name_is_path(const char *name) {
  for (;;) {
    const char *end = *name == '\'' ? quoted_end(name) : plain_end(name);
    if (end == name) return false;
    end = index_end(end);
    if (!*end) return true;
    if (*end != '.') return false;
    name = end + 1;
  }
}

const char *name_unquoted(Arena *a, const char *name) {
  size_t length = strlen(name);
  if (length < 3 || name[0] != '\'' || name[length - 1] != '\'') return name;
  char *inside = arena_copy(a, name + 1, length - 2), *to = inside;
  for (const char *from = inside; *from; from++) {
    if (*from == '\\' && (from[1] == '\'' || from[1] == '\\')) from++;
    *to++ = *from;
  }
  *to = 0;
  bool simple = plain_end(inside) == to;
  if (simple ? is_reserved(inside, (size_t)(to - inside)) : !name_is_path(inside)) return name;
  return inside;
}

static bool add_path(Text *t, const Ast *e) {
  if (e->kind == AST_NAME) return text_add(t, e->name), true;
  if (e->kind != AST_FIELD && e->kind != AST_INDEX) return false;
  if (!add_path(t, e->args[0])) return false;
  if (e->kind == AST_FIELD) return text_print(t, ".%s", e->name), true;
  for (int i = 1; i < e->arg_count; i++) {
    const Ast *n = e->args[i];
    if (n->kind != AST_NUMBER || n->number != floor(n->number) || n->number > 1e9) return false;
    text_print(t, "%s%.0f", i > 1 ? "," : "[", n->number);
  }
  text_add(t, "]");
  return true;
}

const char *name_of_tree(Arena *a, const Ast *e) {
  Text t;
  text_init(&t);
  const char *path = add_path(&t, e) ? arena_copy(a, t.at, t.length) : NULL;
  text_done(&t);
  return path;
}
