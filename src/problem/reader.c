#include "problem/reader.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/file.h"
#include "lang/parse.h"
#include "lang/source_warn.h"
#include "model/flatten.h"
#include "problem/closed_expression.h"
#include "problem/pattern_files.h"

enum { LISTED_MOST = 12 };

// ---------------------------------------------------------------- messages

static bool fail_args_at(ProblemReader *r, Place at, ErrCode code, const char *format,
                         va_list args) {
  bool here = at.line > 0 && at.file && strcmp(at.file, r->source->name) == 0;
  if (here) return source_fail_args(r->source, r->err, code, at.line, at.column, format, args);
  return fail_args(r->err, code, at, format, args);
}

bool reader_fail(ProblemReader *r, const Yaml *at, ErrCode code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_args_at(r, at->at, code, format, args);
  va_end(args);
  return false;
}

bool reader_fail_key(ProblemReader *r, const Yaml *at, ErrCode code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_args_at(r, at->key ? at->key_at : at->at, code, format, args);
  va_end(args);
  return false;
}

bool reader_fail_place(ProblemReader *r, Place at, ErrCode code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_args_at(r, at, code, format, args);
  va_end(args);
  return false;
}

bool reader_adopt(ProblemReader *r, const Yaml *at, const Err *inner) {
  if (!inner->line) return reader_fail(r, at, inner->code, "%s", inner->text);
  if (r->err->code == ERR_NONE) *r->err = *inner;
  return false;
}

void reader_warn(ProblemReader *r, Place at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  bool here = at.line > 0 && at.file && strcmp(at.file, r->source->name) == 0;
  if (here)
    source_warn_args(r->source, &r->problem->warnings, at.line, at.column, format, args);
  else
    warn_args(&r->problem->warnings, at, NULL, format, args);
  va_end(args);
}

static void list_names(Text *out, const char *const *names, int count) {
  for (int i = 0; i < count && i < LISTED_MOST; i++)
    text_print(out, "%s%s", i ? ", " : "", names[i]);
  if (count > LISTED_MOST) text_print(out, " and %d more", count - LISTED_MOST);
}

bool reader_unknown(ProblemReader *r, Place at, const char *what, const char *name,
                    const char *const *known, int count) {
  const char *near = nearest_name(name, known, count);
  if (near)
    return reader_fail_place(r, at, ERR_NAME, "there is no %s '%.100s'; did you mean '%s'?", what,
                             name, near);
  if (!count) return reader_fail_place(r, at, ERR_NAME, "there is no %s '%.100s'", what, name);
  Text list;
  text_init(&list);
  list_names(&list, known, count);
  reader_fail_place(r, at, ERR_NAME, "there is no %s '%.100s'; there %s %.400s", what, name,
                    count == 1 ? "is only" : "are", list.at);
  text_done(&list);
  return false;
}

// ---------------------------------------------------------------- values

static const char *kind_name(const Yaml *n) {
  return n->kind == YAML_MAP ? "a mapping" : n->kind == YAML_LIST ? "a list" : "a text";
}

bool reader_text(ProblemReader *r, const Yaml *n, const char *what, const char **out) {
  if (n->kind != YAML_TEXT)
    return reader_fail(r, n, ERR_VALUE, "%s must be a text, not %s", what, kind_name(n));
  if (yaml_is_null(n)) return reader_fail_key(r, n, ERR_VALUE, "%s is empty", what);
  *out = n->text;
  return true;
}

// YAML writes infinity as .inf.
static bool parse_number(const char *text, double *out) {
  const char *sign = text + strspn(text, "+-");
  if (strcmp(sign, ".inf") == 0 || strcmp(sign, ".Inf") == 0) {
    *out = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return sign - text <= 1;
  }
  return number_parse(text, out);
}

static bool is_name(const Ast *e) {
  return e->kind == AST_NAME;
}

static bool evaluate(ProblemReader *r, const Yaml *n, const char *what, double *out) {
  const Ast *tree = NULL;
  Expr e;
  Err own = {0}, *outer = r->err;
  r->err = &own;
  bool ok = reader_expression(r, r->flat, n->text, n->at, n->quoted, &tree, &e);
  r->err = outer;
  if (!ok && own.code == ERR_LIMIT) return reader_adopt(r, n, &own);
  if (!ok && (!tree || is_name(tree)))
    return reader_fail(r, n, ERR_VALUE, "%s must be a number, not '%.100s'", what, n->text);
  if (!ok) return reader_adopt(r, n, &own);
  if (reader_is_condition(tree))
    return reader_fail(r, n, ERR_VALUE, "%s must be a number; '%.100s' is true or false", what,
                       n->text);
  if (!flat_number(r->flat, e, out))
    return reader_fail(r, n, ERR_VALUE, "%s must be a number; '%.100s' depends on parameters", what,
                       n->text);
  return isfinite(*out) || reader_fail(r, n, ERR_VALUE, "%s must be finite; '%.100s' is %s", what,
                                       n->text, isnan(*out) ? "not a number" : "infinite");
}

bool reader_number(ProblemReader *r, const Yaml *n, const char *what, bool infinite, double *out) {
  const char *text = "", *beyond;
  if (n->kind != YAML_TEXT)
    return reader_fail(r, n, ERR_VALUE, "%s must be a number, not %s", what, kind_name(n));
  if (!reader_text(r, n, what, &text)) return false;
  if ((beyond = number_beyond(text)))
    return reader_fail(r, n, ERR_VALUE, "%s: the number '%.100s' is %s", what, text, beyond);
  if (!parse_number(text, out) && !evaluate(r, n, what, out)) return false;
  if (isnan(*out) || (!infinite && isinf(*out)))
    return reader_fail(r, n, ERR_VALUE, "%s must be %s, not '%.100s'", what,
                       isnan(*out) ? "a number" : "finite", text);
  return true;
}

bool reader_flag(ProblemReader *r, const Yaml *n, const char *what, bool *out) {
  static const char *const YES[] = {"true", "True", "yes"}, *const NO[] = {"false", "False", "no"};
  const char *text = "";
  if (!reader_text(r, n, what, &text)) return false;
  for (int i = 0; i < 3; i++) {
    bool yes = strcmp(text, YES[i]) == 0;
    if (yes || strcmp(text, NO[i]) == 0) {
      *out = yes;
      return true;
    }
  }
  return reader_fail(r, n, ERR_VALUE, "%s must be true or false, not '%.100s'", what, text);
}

bool reader_map(ProblemReader *r, const Yaml *n, const char *what) {
  if (yaml_is_null(n) || n->kind == YAML_MAP) return true;
  return reader_fail(r, n, ERR_VALUE, "%s must be a mapping (name: value), not %s", what,
                     kind_name(n));
}

bool reader_keys(ProblemReader *r, const Yaml *n, const char *what, const char *const *keys,
                 int count) {
  if (!reader_map(r, n, what)) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++) {
    const Yaml *item = n->items.at[i];
    bool known = false;
    for (int k = 0; k < count; k++) known |= strcmp(item->key, keys[k]) == 0;
    if (known) continue;
    char key[140];
    c_snprintf(key, sizeof key, "key of %.100s called", what);
    return reader_unknown(r, item->key_at, key, item->key, keys, count);
  }
  return true;
}

// ---------------------------------------------------------------- expressions

// der() of a variable that is not a state would add an unknown.
static bool check_derivatives(Flat *f, const Source *s, const Ast *e, Err *err) {
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL) return true;
  bool is_der = e->kind == AST_CALL && strcmp(e->name, "der") == 0 && e->arg_count == 1;
  if (is_der && e->args[0]->kind == AST_NAME) {
    int i = names_find(f->names, e->args[0]->name);
    if (i >= 0 && f->variables.at[i].kind == VARIABLE_UNKNOWN && !f->variables.at[i].state)
      return source_fail(s, err, ERR_NAME, e->line, e->column,
                         "der(%s) does not occur in the model, and %s is not a state",
                         e->args[0]->name, e->args[0]->name);
  }
  for (int i = 0; i < e->arg_count; i++)
    if (!check_derivatives(f, s, e->args[i], err)) return false;
  return true;
}

typedef struct DerivativeCheck {
  Flat *flat;
  const Source *source;
  const Ast *tree;
  Err *err;
  bool ok;
} DerivativeCheck;

static void run_check(void *data) {
  DerivativeCheck *c = data;
  c->ok = check_derivatives(c->flat, c->source, c->tree, c->err);
}

static bool convert(ProblemReader *r, Flat *f, const Source *s, const Ast **tree, Expr *out,
                    Err *err) {
  *tree = f->ast && f->ast->closed ? closed_expression(r->scratch, f, s, err)
                                   : parse_expression(r->scratch, s, err);
  if (!*tree) return false;
  DerivativeCheck check = {f, s, *tree, err, false};
  ast_recurse(*tree, run_check, &check);
  return check.ok && flat_expression(f, s, *tree, out, err);
}

bool reader_expression(ProblemReader *r, Flat *f, const char *text, Place at, bool quoted,
                       const Ast **tree, Expr *out) {
  Err own = {0};
  *tree = NULL;
  const Source *s = source_new(r->scratch, "expression", text, strlen(text), &own);
  if (s && convert(r, f, s, tree, out, &own)) return true;
  if (own.line == 1 && at.line) at.column += own.column - 1 + quoted;
  return reader_fail_place(r, at, own.code, "%s", own.text);
}

bool reader_is_condition(const Ast *e) {
  if (e->kind == AST_BOOL) return true;
  if (e->kind == AST_IF) return reader_is_condition(e->args[1]);
  return (e->kind == AST_BINARY || e->kind == AST_UNARY) && e->op >= AST_LESS;
}

// ---------------------------------------------------------------- names of files and columns

const char *reader_path(ProblemReader *r, const char *path) {
  if (path[0] == '/' || !r->folder || !r->folder[0]) return arena_print(r->arena, "%s", path);
  size_t length = strlen(r->folder);
  const char *slash = r->folder[length - 1] == '/' ? "" : "/";
  return arena_print(r->arena, "%s%s%s", r->folder, slash, path);
}

const char *reader_data_place(ProblemReader *r, const char *path, int i) {
  if (i == 0) return reader_path(r, path);
  if (path[0] == '/' || i > r->data_folders.count) return NULL;
  const char *at = r->data_folders.at[i - 1];
  size_t length = strlen(at);
  return arena_print(r->arena, "%s%s%s", at, length && at[length - 1] == '/' ? "" : "/", path);
}

const char *reader_data_path(ProblemReader *r, const char *path) {
  const char *place;
  for (int i = 0; (place = reader_data_place(r, path, i)); i++)
    if (file_kind(place) != FILE_ABSENT) return place;
  return reader_path(r, path);
}

bool reader_fail_no_data(ProblemReader *r, const Yaml *at, const char *path) {
  Text places;
  bool pattern = has_pattern(path);
  text_init(&places);
  text_print(&places, pattern ? "no file matches '%.300s'" : "there is no file '%.300s'",
             reader_path(r, path));
  bool more = path[0] != '/';
  for (int i = 0; more && i < r->data_folders.count; i++)
    text_print(&places, "%s '%.300s'",
               i         ? ","
               : pattern ? " or"
                         : " and no",
               reader_data_place(r, path, i + 1));
  if (pattern) text_add(&places, " (patterns: *, ?, [...])");
  if (more && !r->data_folders.count)
    text_print(&places, "; --data DIR or the environment variable ENTRAIN_DATA names a folder with "
                        "data that lie elsewhere");
  reader_fail(r, at, ERR_FILE, "%s", places.at);
  text_done(&places);
  return false;
}

bool reader_sound_column(ProblemReader *r, const Table *t, int column) {
  const Err *fault = table_fault(t, column);
  if (fault && r->err->code == ERR_NONE) *r->err = *fault;
  return !fault;
}

int reader_any_column(ProblemReader *r, const Table *t, Place at, const char *name) {
  int column = table_find(t, name);
  if (column >= 0) return reader_sound_column(r, t, column) ? column : -1;
  char what[300];
  if (t->left_out && strlen(t->left_out) < 400) {
    reader_fail_place(
        r, at, ERR_NAME,
        "there is no column of %.200s called '%.80s' with %d samples; it also has: %s", t->file,
        name, t->rows, t->left_out);
    return -1;
  }
  c_snprintf(what, sizeof what, "column of %.250s called", t->file);
  reader_unknown(r, at, what, name, t->names, t->columns);
  return -1;
}

int reader_column(ProblemReader *r, const Table *t, Place at, const char *name) {
  int column = reader_any_column(r, t, at, name), row = 0;
  const char *const *texts = column < 0 ? NULL : table_texts(t, column);
  if (!texts) return column;
  while (row < t->rows - 1 && !texts[row][0]) row++;
  reader_fail_place(r, at, ERR_DATA,
                    "column '%.80s' of %.200s has texts, such as '%.40s' in line %d", name, t->file,
                    texts[row], t->line[row]);
  return -1;
}
