#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "problem/problem.h"

enum {
  LOCAL = METHOD_LOCAL,
  SLOPES = METHOD_SLOPES,
  CONSTRAINTS = METHOD_CONSTRAINTS,
  GLOBAL = METHOD_GLOBAL,
  COMPOSITE = METHOD_COMPOSITE
};

static const struct {
  const char *word, *meaning;
  int traits;
} METHODS[METHOD_COUNT] = {
#define METHOD(name, word, traits, run, local, meaning) [METHOD_##name] = {word, meaning, traits},
#include "problem/methods.def"
#undef METHOD
};

const char *method_word(Method m) {
  return METHODS[m].word;
}

const char *method_meaning(Method m) {
  return METHODS[m].meaning;
}

bool method_has(Method m, MethodTrait trait) {
  return (METHODS[m].traits & (int)trait) != 0;
}

bool method_wants_slopes(Method m, const MethodParts *parts) {
  bool wants = m == METHOD_AUTO || method_has(m, METHOD_SLOPES);
  if (!method_has(m, METHOD_COMPOSITE)) return wants;
  for (int i = 0; i < parts->count; i++)
    wants |= parts->at[i] == METHOD_AUTO || method_has(parts->at[i], METHOD_SLOPES);
  return wants || !parts->count; // without parts: auto, or option local
}

// Other words that are accepted, but neither listed nor printed.
static const struct {
  const char *word;
  Method method;
} OTHER_WORDS[] = {{"trust-region", METHOD_LM}};

bool method_find(const char *word, Method *m) {
  for (size_t i = 0; i < sizeof OTHER_WORDS / sizeof *OTHER_WORDS; i++) {
    if (strcmp(OTHER_WORDS[i].word, word) != 0) continue;
    *m = OTHER_WORDS[i].method;
    return true;
  }
  for (int i = 0; i < METHOD_COUNT; i++) {
    if (strcmp(METHODS[i].word, word) != 0) continue;
    *m = (Method)i;
    return true;
  }
  return false;
}

// ---------------------------------------------------------------- calls

enum { WORD_MOST = 40 };

static const char *skip_blanks(const char *at) {
  while (isspace_l((unsigned char)*at, c_locale())) at++;
  return at;
}

// What stands up to the next of "(,)" or the end, without blanks around it.
static const char *take_word(const char *at, char out[WORD_MOST]) {
  at = skip_blanks(at);
  size_t length = strcspn(at, "(,)"), kept = length;
  while (kept && isspace_l((unsigned char)at[kept - 1], c_locale())) kept--;
  if (kept >= WORD_MOST) kept = WORD_MOST - 1;
  memcpy(out, at, kept);
  out[kept] = 0;
  return at + length;
}

static bool fail_unknown(const char *word, Err *err) {
  enum { OTHERS = sizeof OTHER_WORDS / sizeof *OTHER_WORDS };
  const char *words[METHOD_COUNT + OTHERS];
  for (int i = 0; i < METHOD_COUNT; i++) words[i] = METHODS[i].word;
  for (int i = 0; i < OTHERS; i++) words[METHOD_COUNT + i] = OTHER_WORDS[i].word;
  const char *near = nearest_name(word, words, METHOD_COUNT + OTHERS);
  if (near) return fail(err, ERR_NAME, "unknown method '%s'; did you mean '%s'?", word, near);
  return fail(err, ERR_NAME, "unknown method '%s'; 'entrain methods' lists them", word);
}

typedef struct Call {
  Method method;
  MethodParts *parts;
} Call;

static bool add_starts(const Call *c, double starts, const char *word, Err *err) {
  if (c->parts->starts)
    return fail(err, ERR_VALUE, "multistart has one number of starts, not both %d and %s",
                c->parts->starts, word);
  if (!(starts == floor(starts)) || starts < 1 || starts > 10000000)
    return fail(err, ERR_VALUE, "multistart from %s starts; allowed are 1 to 10000000", word);
  c->parts->starts = (int)starts;
  return true;
}

static bool add_part(const Call *c, const char *word, Err *err) {
  char *end;
  const char *whole = method_word(c->method);
  bool many = c->method == METHOD_PORTFOLIO;
  double starts = c_strtod(word, &end);
  if (!many && *word && !*end) return add_starts(c, starts, word, err);
  Method m;
  if (!method_find(word, &m)) return fail_unknown(word, err);
  if (method_has(m, METHOD_COMPOSITE))
    return fail(err, ERR_VALUE, "%s cannot be a part of %s", word, whole);
  if (c->parts->count == (many ? METHOD_PARTS_MOST : 1))
    return many ? fail(err, ERR_VALUE, "%s takes at most %d methods", whole, METHOD_PARTS_MOST)
                : fail(err, ERR_VALUE, "%s takes one method and a number of starts", whole);
  c->parts->at[c->parts->count++] = m;
  return true;
}

static bool read_parts(const char *at, const Call *c, Err *err) {
  char word[WORD_MOST];
  do {
    at = take_word(at + 1, word);
    if (!add_part(c, word, err)) return false;
  } while (*at == ',');
  if (*at != ')' || *skip_blanks(at + 1))
    return fail(err, ERR_SYNTAX, "the parts of %s stand between ( and ), with commas between them",
                method_word(c->method));
  return true;
}

bool method_parse(const char *text, Method *m, MethodParts *parts, Err *err) {
  char word[WORD_MOST];
  const char *at = take_word(text, word);
  *parts = (MethodParts){0};
  if (!method_find(word, m)) return fail_unknown(word, err);
  if (!*at) return true;
  if (*at != '(' || !method_has(*m, METHOD_COMPOSITE))
    return fail(
        err, ERR_SYNTAX,
        "'%.100s' is no method; only multistart(method, n) and portfolio(method, ...) have parts",
        text);
  return read_parts(at, &(Call){*m, parts}, err);
}

void method_print(Method m, const MethodParts *parts, Text *out) {
  text_add(out, method_word(m));
  if (!parts->count && !parts->starts) return;
  const char *between = "(";
  for (int i = 0; i < parts->count; i++, between = ", ")
    text_print(out, "%s%s", between, method_word(parts->at[i]));
  if (parts->starts) text_print(out, "%s%d", between, parts->starts);
  text_add(out, ")");
}

const char *problem_method(const Problem *p, Arena *a) {
  Text text;
  text_init(&text);
  method_print(p->method, &p->parts, &text);
  const char *copy = arena_copy(a, text.at, text.length);
  text_done(&text);
  return copy;
}
