#include "study/compare_spec.h"

#include <string.h>

#include "base/array.h"
#include "simulate/simulate_options.h"

// These change what is minimised: objectives could not be compared.
static const char *const FOR_ALL[] = {
    "criterion", "loss", "huber_limit", "residual", "prediction_by", "prediction_ahead", "scale"};

static const char *const USUAL[] = {
    "auto",        "homotopy", "lm", "lmder", "gauss-newton", "sqp", "implicit-filtering",
    "nelder-mead", "bobyqa",   "ga", "pso",   "cma-es",       "de",  NULL,
};

const char *const *compare_spec_usual(void) {
  return USUAL;
}

// ---------------------------------------------------------------- parts between colons

typedef ARRAY(char *) Parts;

// Up to the next colon that stands neither between parentheses nor between quotes.
static size_t part_length(const char *text) {
  int depth = 0;
  char quote = 0;
  size_t i = 0;
  for (; text[i]; i++) {
    if (quote) {
      if (text[i] == quote) quote = 0;
      continue;
    }
    if (text[i] == '"' || text[i] == '\'') quote = text[i];
    if (text[i] == '(') depth++;
    if (text[i] == ')') depth--;
    if (text[i] == ':' && depth <= 0) break;
  }
  return i;
}

static char *trimmed(Arena *a, const char *text, size_t length) {
  while (length && strchr(" \t", text[0])) text++, length--;
  while (length && strchr(" \t", text[length - 1])) length--;
  return arena_copy(a, text, length);
}

static Parts split(Arena *a, const char *text) {
  Parts parts = {0};
  for (;;) {
    size_t length = part_length(text);
    array_push(a, &parts, trimmed(a, text, length));
    if (!text[length]) return parts;
    text += length + 1;
  }
}

static char *without_quotes(char *text) {
  size_t n = strlen(text);
  if (n < 2 || (text[0] != '"' && text[0] != '\'') || text[n - 1] != text[0]) return text;
  text[n - 1] = 0;
  return text + 1;
}

// ---------------------------------------------------------------- options

static bool fail_option(Arena *a, const char *name, Err *err) {
  int fit = FIT_OPTIONS.count, count = fit + SIMULATE_OPTIONS.count;
  const char **known = ARENA_ARRAY(a, const char *, count + 1);
  for (int i = 0; i < count; i++)
    known[i] = i < fit ? FIT_OPTIONS.rows[i].name : SIMULATE_OPTIONS.rows[i - fit].name;
  known[count] = "label";
  const char *near = nearest_name(name, known, count + 1);
  if (near) return fail(err, ERR_OPTION, "unknown option '%s'; did you mean '%s'?", name, near);
  return fail(err, ERR_OPTION,
              "unknown option '%s'; it can be label, or one of those that 'entrain options' lists",
              name);
}

static bool is_for_all(const char *name, Err *err) {
  for (size_t i = 0; i < sizeof FOR_ALL / sizeof *FOR_ALL; i++)
    if (strcmp(name, FOR_ALL[i]) == 0)
      return !fail(err, ERR_OPTION,
                   "%s changes what is minimised, so it must be the same for all methods: --%s",
                   name, name);
  return false;
}

static void dashes_to_underscores(char *name) {
  for (; *name; name++)
    if (*name == '-') *name = '_';
}

static bool set_option(Arena *a, CompareSpec *s, char *name, const char *value, Err *err) {
  dashes_to_underscores(name);
  if (is_for_all(name, err)) return false;
  if (strcmp(name, "seed") == 0) s->seeded = true;
  if (options_find(&FIT_OPTIONS, name))
    return options_set(&FIT_OPTIONS, &s->problem.options, name, value, err);
  if (options_find(&SIMULATE_OPTIONS, name))
    return options_set(&SIMULATE_OPTIONS, &s->problem.simulate, name, value, err);
  return fail_option(a, name, err);
}

static bool take_part(Arena *a, CompareSpec *s, char *part, Text *options, Err *err) {
  char *equals = strchr(part, '=');
  if (!equals || equals == part || !equals[1])
    return fail(err, ERR_SYNTAX, "'%s' must be name=value, such as population=50 or label=mine",
                part);
  *equals = 0;
  const char *value = without_quotes(trimmed(a, equals + 1, strlen(equals + 1)));
  char *name = trimmed(a, part, strlen(part));
  if (strcmp(name, "label") == 0) {
    s->label = value;
    return true;
  }
  if (!set_option(a, s, name, value, err)) return false;
  text_print(options, " %s=%s", name, value);
  return true;
}

// ---------------------------------------------------------------- the whole

static bool draws(const Problem *p) {
  bool random = p->method == METHOD_MULTISTART || method_has(p->method, METHOD_GLOBAL);
  for (int i = 0; i < p->parts.count; i++) random |= method_has(p->parts.at[i], METHOD_GLOBAL);
  return random;
}

static const char *name_of(Arena *a, const Problem *p) {
  Text t;
  text_init(&t);
  method_print(p->method, &p->parts, &t);
  const char *name = arena_copy(a, t.at, t.length);
  text_done(&t);
  return name;
}

static bool read_parts(Arena *a, const Parts *parts, CompareSpec *out, Err *err) {
  Text options;
  text_init(&options);
  bool ok = method_parse(parts->at[0], &out->problem.method, &out->problem.parts, err);
  for (int i = 1; ok && i < parts->count; i++) ok = take_part(a, out, parts->at[i], &options, err);
  if (ok) out->method = name_of(a, &out->problem);
  if (ok && !out->label) out->label = arena_print(a, "%s%s", out->method, options.at);
  text_done(&options);
  return ok;
}

bool compare_spec_read(Arena *a, const Problem *p, const char *text, CompareSpec *out, Err *err) {
  Err own = {0};
  *out = (CompareSpec){.text = arena_copy(a, text, strlen(text)), .problem = *p};
  Parts parts = split(a, text);
  if (!read_parts(a, &parts, out, &own))
    return parts.count == 1 ? fail(err, own.code, "%s", own.text)
                            : fail(err, own.code, "%s (in '%s')", own.text, text);
  out->random = draws(&out->problem);
  return true;
}
