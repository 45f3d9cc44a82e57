#include "problem/read_values.h"

#include <math.h>
#include <string.h>

#include "base/json_tree.h"
#include "lang/source.h"
#include "lang/source_warn.h"

typedef struct ValuesReader {
  const Problem *problem;
  const Source *source;
  double *values;
  bool *given;
  Warnings *warnings;
  Err *err;
} ValuesReader;

static bool wrong(const ValuesReader *r, const JsonTree *at, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool wrong(const ValuesReader *r, const JsonTree *at, ErrCode code, const char *format,
                  ...) {
  va_list args;
  va_start(args, format);
  source_fail_args(r->source, r->err, code, at->at.line, at->at.column, format, args);
  va_end(args);
  return false;
}

static bool fail_name(const ValuesReader *r, const JsonTree *name) {
  const Problem *p = r->problem;
  Arena *scratch = arena_new();
  const char **known = ARENA_ARRAY(scratch, const char *, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) known[i] = p->unknowns[i].name;
  const char *near = nearest_name(name->text, known, p->unknown_count);
  wrong(r, name, ERR_NAME, "'%.100s' is not estimated in %.200s%s%s%s", name->text, p->path,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  arena_free(scratch);
  return false;
}

static void warn_bounds(const ValuesReader *r, const JsonTree *at, const Unknown *u) {
  double value = at->number, bound = value < u->min ? u->min : u->max;
  if (value >= u->min && value <= u->max) return;
  source_warn(r->source, r->warnings, at->at.line, at->at.column,
              "%s = %.10g is %s its %s %.10g: no search would come here", u->name, value,
              value < u->min ? "below" : "above", value < u->min ? "min" : "max", bound);
}

static bool read_one(ValuesReader *r, const JsonTree *n) {
  const JsonTree *name = json_find(n, "name"), *value = json_find(n, "value");
  if (!name || name->kind != JSON_TEXT || !value)
    return wrong(r, n, ERR_VALUE, "a parameter must be an object with 'name' and 'value'");
  int i = 0;
  while (i < r->problem->unknown_count && strcmp(r->problem->unknowns[i].name, name->text) != 0)
    i++;
  if (i == r->problem->unknown_count) return fail_name(r, name);
  if (r->given[i]) return wrong(r, name, ERR_NAME, "%s is given twice", name->text);
  if (value->kind == JSON_NULL)
    return wrong(r, value, ERR_VALUE, "%s has no value here: that fit found none", name->text);
  if (value->kind != JSON_NUMBER)
    return wrong(r, value, ERR_VALUE, "the value of %s must be a number", name->text);
  r->values[i] = value->number;
  r->given[i] = true;
  warn_bounds(r, value, &r->problem->unknowns[i]);
  return true;
}

static bool read_list(ValuesReader *r, const JsonTree *root) {
  const JsonTree *list = json_find(root, "parameters");
  if (!list || list->kind != JSON_LIST)
    return wrong(r, list ? list : root, ERR_VALUE,
                 "this is not the JSON of a fit: it must be an object with a list 'parameters'");
  for (int i = 0; i < list->items.count; i++)
    if (!read_one(r, list->items.at[i])) return false;
  return true;
}

bool problem_read_values(const Problem *p, const char *path, double *values, bool *given,
                         Warnings *warnings, Err *err) {
  Arena *scratch = arena_new();
  Err own = {0};
  ValuesReader r = {p, source_load(scratch, path, &own), values, given, warnings, &own};
  for (int i = 0; i < p->unknown_count; i++) given[i] = false;
  const JsonTree *root = r.source ? json_parse(scratch, path, r.source->text, &own) : NULL;
  if (root)
    read_list(&r, root);
  else if (r.source && own.line)
    source_excerpt(r.source, own.line, own.column, own.excerpt, sizeof own.excerpt);
  if (err && err->code == ERR_NONE) *err = own;
  arena_free(scratch);
  return own.code == ERR_NONE;
}
