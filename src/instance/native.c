// External functions of the Modelica library that the program has itself: its tables, and texts. A table is an external
// object; here it is the list of the arguments of its constructor. Its values become calls of Entrain.Tables.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/table_file.h"
#include "instance/elab.h"

// ---------------------------------------------------------------- arguments

static Value *argument(const Locals *f, const char *name) {
  for (int i = 0; i < f->locals.count; i++)
    if (strcmp(f->locals.at[i].name, name) == 0) return f->locals.at[i].value;
  return NULL;
}

static const Value *part(const Value *object, const char *name) {
  for (int i = 0; object && i < object->field_count; i++)
    if (strcmp(object->field_names[i], name) == 0) return object->fields[i];
  return NULL;
}

static const char *text_of(Elab *e, const Value *v) {
  if (!v || v->rank || v->type != VALUE_STRING) return "";
  const Ast *known = tree_constant(e, v->at[0]);
  return known && known->kind == AST_STRING ? known->name : "";
}

static double number_of(Elab *e, const Value *v, double otherwise) {
  double n;
  return v && v->rank == 0 && v->type != VALUE_STRING && evaluate_number(e, v->at[0], &n)
             ? n
             : otherwise;
}

// ---------------------------------------------------------------- the numbers of a table

typedef struct TableData {
  int rows, columns;
  const Ast **at; // by rows
} TableData;

static bool read_file(Elab *e, const Ast *call, const Value *object, const char *name,
                      TableData *out) {
  const char *file = text_of(e, part(object, "fileName"));
  const char *path = library_resource(e->library, file, e->err);
  double *data;
  if (elab_failed(e)) return false;
  if (!path || !table_file_read(e->arena, path, name, &out->rows, &out->columns, &data, e->err)) {
    if (!elab_failed(e))
      elab_fail(e, call, ERR_FILE, "the file '%s' of a table is not found", file);
    return false;
  }
  long n = (long)out->rows * out->columns;
  out->at = ARENA_ARRAY(e->arena, const Ast *, n + 1);
  for (long i = 0; i < n; i++) out->at[i] = ast_number(e, call, data[i]);
  return true;
}

static bool table_data(Elab *e, const Ast *call, const Value *object, TableData *out) {
  const char *name = text_of(e, part(object, "tableName"));
  if (name[0] && strcmp(name, "NoName") != 0) return read_file(e, call, object, name, out);
  const Value *table = part(object, "table");
  if (!table || table->rank != 2 || !table->count) {
    elab_fail(e, call, ERR_MODEL, "a table has no data");
    return false;
  }
  *out = (TableData){table->sizes[0], table->sizes[1], table->at};
  return true;
}

enum { PARAMETERS_MOST = 100 }; // rows of a table whose values can be estimated

// One column as {..}: numbers, or the names of parameters that may be estimated.
static const Ast *column(Elab *e, const Ast *call, const TableData *t, int k, int from,
                         bool numbers) {
  int n = t->rows - from;
  Ast *a = ast_new(e, AST_ARRAY, call, n);
  a->depth = 2;
  for (int i = 0; i < n; i++) {
    const Ast *value = t->at[(long)(i + from) * t->columns + k];
    double v;
    if (!ast_is_constant(value) && (numbers || n > PARAMETERS_MOST || value->kind != AST_NAME)) {
      if (!evaluate_number(e, value, &v))
        return elab_fail(e, call, ERR_MODEL, "the numbers of a table must be known in advance");
      value = ast_number(e, call, v);
    }
    a->args[i] = (Ast *)value;
  }
  return a;
}

static const char *function_of(int smoothness) {
  static const char *const NAMES[] = {"linear",   "spline",    "hold",
                                      "monotone", "monotone2", "makima"};
  return smoothness >= 1 && smoothness <= 6 ? NAMES[smoothness - 1] : NULL;
}

static Value *table_call(Elab *e, const Ast *call, const Value *object, const Ast *u, int k) {
  TableData t;
  if (!table_data(e, call, object, &t)) return NULL;
  if (k < 1 || k > t.columns)
    return elab_fail(e, call, ERR_MODEL, "column %d of a table with %d columns", k, t.columns);
  int smoothness = (int)number_of(e, part(object, "smoothness"), 1);
  const char *function = function_of(smoothness);
  if (!function) return elab_fail(e, call, ERR_MODEL, "the smoothness of a table is not known");
  if (t.rows == 1) return value_scalar(e, VALUE_REAL, t.at[k - 1]);
  bool steps = strcmp(function, "linear") == 0 || strcmp(function, "hold") == 0;
  Ast *a = ast_new(e, AST_CALL, call, 4);
  a->name = arena_print(e->arena, "Entrain.Tables.%s", function);
  a->args[0] = (Ast *)u;
  a->args[1] = (Ast *)column(e, call, &t, 0, 0, true);
  a->args[2] = (Ast *)column(e, call, &t, k - 1, 0, !steps);
  a->args[3] = (Ast *)ast_number(e, call, number_of(e, part(object, "extrapolation"), 2));
  a->depth = (u->depth > 2 ? u->depth : 2) + 1;
  return elab_failed(e) ? NULL : value_scalar(e, VALUE_REAL, a);
}

// ---------------------------------------------------------------- functions

static int column_number(Elab *e, const Locals *f) {
  double n = number_of(e, argument(f, "icol"), 1);
  return n >= 1 && n <= 1e6 ? (int)n : 0;
}

static bool is_scalar(const Value *v) {
  return v && v->rank == 0 && (v->type == VALUE_REAL || v->type == VALUE_INTEGER);
}

// What a function needs to be one of the library; another may only have its name.
static bool fits(const char *what, const Locals *f) {
  bool text = strncmp(what, "ModelicaStrings_", 16) == 0;
  if (text) {
    int texts = strcmp(what, "ModelicaStrings_compare") == 0 ? 2 : 1;
    if (f->locals.count < texts) return false;
    for (int i = 0; i < texts; i++) {
      const Value *v = f->locals.at[i].value;
      if (!v || v->rank || v->type != VALUE_STRING) return false;
    }
    return true;
  }
  const Value *object = argument(f, "tableID");
  if (!object || object->type != VALUE_OPAQUE) return false;
  if (strcmp(what, "CombiTable1D_getValue") == 0) return is_scalar(argument(f, "u"));
  if (strcmp(what, "CombiTimeTable_getValue") == 0) return is_scalar(argument(f, "timeIn"));
  if (strcmp(what, "CombiTable2D_getValue") == 0)
    return is_scalar(argument(f, "u1")) && is_scalar(argument(f, "u2"));
  return true;
}

static Value *table_1d(Elab *e, const Ast *call, const Locals *f) {
  const Value *object = argument(f, "tableID"), *columns = part(object, "columns");
  int i = column_number(e, f);
  double k;
  if (!columns || i < 1 || i > columns->count || !evaluate_number(e, columns->at[i - 1], &k))
    return elab_fail(e, call, ERR_MODEL, "the columns of a table must be known in advance");
  return table_call(e, call, object, argument(f, "u")->at[0], (int)k);
}

// Times of the table are shifted by shiftTime; before startTime the value is 0.
static Value *time_table(Elab *e, const Ast *call, const Locals *f) {
  const Value *object = argument(f, "tableID"), *columns = part(object, "columns");
  const Value *shift = part(object, "shiftTime"), *start = part(object, "startTime");
  int i = column_number(e, f);
  double k;
  if (!columns || i < 1 || i > columns->count || !evaluate_number(e, columns->at[i - 1], &k))
    return elab_fail(e, call, ERR_MODEL, "the columns of a table must be known in advance");
  const Ast *time = argument(f, "timeIn")->at[0];
  bool shifted = number_of(e, shift, 0) != 0 || (shift && !ast_is_constant(shift->at[0]));
  const Ast *u = shifted ? ast_binary(e, NULL, AST_MINUS, time, shift->at[0]) : time;
  Value *v = table_call(e, call, object, u, (int)k);
  double begins = number_of(e, start, 0);
  if (!v || begins <= 0) return v;
  const Ast *late = ast_binary(e, NULL, AST_LESS, time, ast_number(e, call, begins));
  return choose(e, call, late, value_number(e, call, 0), v);
}

static Value *table_2d(Elab *e, const Ast *call, const Locals *f) {
  const Value *object = argument(f, "tableID");
  TableData t;
  if (!table_data(e, call, object, &t)) return NULL;
  int smoothness = (int)number_of(e, part(object, "smoothness"), 1);
  if (smoothness != 1) {
    elab_unsupported(e, call, "a table of two variables that is not linear between its points");
    return value_number(e, call, 0);
  }
  Ast *x = ast_new(e, AST_ARRAY, call, t.rows - 1), *y = ast_new(e, AST_ARRAY, call, t.columns - 1);
  Ast *z = ast_new(e, AST_ARRAY, call, t.rows - 1);
  double v;
  for (int i = 1; i < t.rows; i++) {
    Ast *row = ast_new(e, AST_ARRAY, call, t.columns - 1);
    for (int j = 0; j < t.columns; j++) {
      if (!evaluate_number(e, t.at[i * t.columns + j], &v))
        return elab_fail(e, call, ERR_MODEL, "the numbers of a table must be known in advance");
      Ast *n = (Ast *)ast_number(e, call, v);
      if (j == 0)
        x->args[i - 1] = n;
      else
        row->args[j - 1] = n;
    }
    row->depth = 2;
    z->args[i - 1] = row;
  }
  for (int j = 1; j < t.columns; j++) {
    if (!evaluate_number(e, t.at[j], &v)) return NULL;
    y->args[j - 1] = (Ast *)ast_number(e, call, v);
  }
  x->depth = y->depth = 2, z->depth = 3;
  Ast *a = ast_new(e, AST_CALL, call, 6);
  a->name = "Entrain.Tables.linear2";
  a->args[0] = (Ast *)argument(f, "u1")->at[0], a->args[1] = (Ast *)argument(f, "u2")->at[0];
  a->args[2] = x, a->args[3] = y, a->args[4] = z;
  a->args[5] = (Ast *)ast_number(e, call, number_of(e, part(object, "extrapolation"), 2));
  unsigned depth = a->args[0]->depth > a->args[1]->depth ? a->args[0]->depth : a->args[1]->depth;
  a->depth = (depth > 3 ? depth : 3) + 1;
  return value_scalar(e, VALUE_REAL, a);
}

// The first or the last break point.
static Value *abscissa(Elab *e, const Ast *call, const Locals *f, bool last) {
  const Value *object = argument(f, "tableID");
  TableData t;
  if (!table_data(e, call, object, &t)) return NULL;
  double v, shift = number_of(e, part(object, "shiftTime"), 0);
  if (!evaluate_number(e, t.at[last ? (long)(t.rows - 1) * t.columns : 0], &v))
    return elab_fail(e, call, ERR_MODEL, "the numbers of a table must be known in advance");
  return value_number(e, call, v + shift);
}

static Value *abscissa_2d(Elab *e, const Ast *call, const Locals *f, bool last) {
  const Value *object = argument(f, "tableID");
  TableData t;
  if (!table_data(e, call, object, &t)) return NULL;
  double x, y;
  int row = last ? t.rows - 1 : 1, k = last ? t.columns - 1 : 1;
  if (!evaluate_number(e, t.at[row * t.columns], &x) || !evaluate_number(e, t.at[k], &y))
    return NULL;
  Value *v = value_new(e, VALUE_REAL, 1, &(int){2});
  v->at[0] = ast_number(e, call, x), v->at[1] = ast_number(e, call, y);
  return v;
}

// ---------------------------------------------------------------- texts

// A whole number that an argument gives, in a range that no text exceeds.
static long whole(Elab *e, const Locals *f, int i, long otherwise) {
  double n = f->locals.count > i ? number_of(e, f->locals.at[i].value, (double)otherwise)
                                 : (double)otherwise;
  return (long)fmin(fmax(n, -1e9), 1e9);
}

static Value *text_length(Elab *e, const Ast *call, const Locals *f) {
  return value_integer(e, call, (long)strlen(text_of(e, f->locals.at[0].value)));
}

static Value *text_part(Elab *e, const Ast *call, const Locals *f) {
  const char *s = text_of(e, f->locals.at[0].value);
  long from = whole(e, f, 1, 1), n = (long)strlen(s);
  long to = whole(e, f, 2, from);
  if (from < 1 || to > n || to < from - 1)
    return elab_fail(e, call, ERR_MODEL, "substring(..., %ld, %ld) of a text of %ld characters",
                     from, to, n);
  return value_scalar(
      e, VALUE_STRING,
      ast_text(e, call, arena_copy(e->arena, s + from - 1, (size_t)(to - from + 1))));
}

static Value *text_skip_blanks(Elab *e, const Ast *call, const Locals *f) {
  const char *s = text_of(e, f->locals.at[0].value);
  long from = whole(e, f, 1, 1);
  long n = (long)strlen(s);
  while (from >= 1 && from <= n && strchr(" \t\n\r\f\v", s[from - 1])) from++;
  return value_integer(e, call, from);
}

static Value *text_compare(Elab *e, const Ast *call, const Locals *f) {
  const char *a = text_of(e, f->locals.at[0].value), *b = text_of(e, f->locals.at[1].value);
  bool exact = f->locals.count < 3 || number_of(e, f->locals.at[2].value, 1) != 0;
  int order = exact ? strcmp(a, b) : strcasecmp(a, b);
  Value *v = value_integer(e, call, order < 0 ? 1 : order == 0 ? 2 : 3);
  v->type = VALUE_ENUMERATION;
  return v;
}

// ---------------------------------------------------------------- the list

Value *native_function(Elab *e, const char *name, const Ast *call, const Locals *f, bool *known) {
  *known = true;
  bool tables = strncmp(name, "ModelicaStandardTables_", 23) == 0;
  const char *what = tables ? name + 23 : name;
  if ((tables || strncmp(name, "ModelicaStrings_", 16) == 0) && !fits(what, f)) {
    *known = false;
    return NULL;
  }
  if (tables && strcmp(what, "CombiTable1D_getValue") == 0) return table_1d(e, call, f);
  if (tables && strcmp(what, "CombiTimeTable_getValue") == 0) return time_table(e, call, f);
  if (tables && strcmp(what, "CombiTable2D_getValue") == 0) return table_2d(e, call, f);
  if (tables && strcmp(what, "CombiTable2D_minimumAbscissa") == 0)
    return abscissa_2d(e, call, f, false);
  if (tables && strcmp(what, "CombiTable2D_maximumAbscissa") == 0)
    return abscissa_2d(e, call, f, true);
  if (tables && strstr(what, "_minimum")) return abscissa(e, call, f, false);
  if (tables && strstr(what, "_maximum")) return abscissa(e, call, f, true);
  if (tables && strcmp(what, "CombiTimeTable_nextTimeEvent") == 0)
    return value_number(e, call, 1e60); // the break points are events by themselves
  if (strcmp(name, "ModelicaStrings_length") == 0) return text_length(e, call, f);
  if (strcmp(name, "ModelicaStrings_substring") == 0) return text_part(e, call, f);
  if (strcmp(name, "ModelicaStrings_compare") == 0) return text_compare(e, call, f);
  if (strcmp(name, "ModelicaStrings_skipWhiteSpace") == 0) return text_skip_blanks(e, call, f);
  *known = false;
  return NULL;
}
