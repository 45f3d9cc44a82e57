#include "api/api_memory.h"

#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/file_set.h"
#include "base/names.h"

static const char *copied(Arena *a, const char *text) {
  return text ? arena_copy(a, text, strlen(text)) : NULL;
}

// ---------------------------------------------------------------- settings

static bool settings_are_complete(const EntrainSetting *settings, int count, Err *err) {
  if (count < 0 || (count > 0 && !settings)) return fail(err, ERR_USAGE, "no setting is given");
  for (int i = 0; i < count; i++) {
    if (!settings[i].name) return fail(err, ERR_USAGE, "no name of a setting is given");
    if (!settings[i].value) return fail(err, ERR_USAGE, "no value of a setting is given");
  }
  return true;
}

static void keep_settings(Arena *a, ProblemSource *p, const ProblemSetting *first, int first_count,
                          const EntrainSetting *more, int count) {
  ProblemSetting *all = ARENA_ARRAY(a, ProblemSetting, first_count + count + 1);
  for (int i = 0; i < first_count; i++)
    all[i] =
        (ProblemSetting){copied(a, first[i].path), copied(a, first[i].value), first[i].is_option};
  for (int i = 0; i < count; i++)
    all[first_count + i] =
        (ProblemSetting){copied(a, more[i].name), copied(a, more[i].value), more[i].is_option};
  p->settings = all;
  p->setting_count = first_count + count;
}

// ---------------------------------------------------------------- tables

static bool check_column(const EntrainTable *t, int c, Err *err) {
  const EntrainColumn *column = &t->columns[c];
  if (!column->name || !column->name[0])
    return fail(err, ERR_DATA, "column %d of the table '%.100s' has no name", c + 1, t->name);
  if (t->rows && !column->values)
    return fail(err, ERR_DATA, "column '%.100s' of the table '%.100s' has no values", column->name,
                t->name);
  for (int i = 0; i < t->rows; i++)
    if (isinf(column->values[i]))
      return fail(err, ERR_DATA,
                  "row %d of column '%.100s' of the table '%.100s' is infinite; NaN is a missing "
                  "value",
                  i + 1, column->name, t->name);
  return true;
}

static const Table *keep_table(Arena *a, const EntrainTable *t, Err *err) {
  if (!t->name || !t->name[0])
    return fail(err, ERR_USAGE, "a table has no name"), (const Table *)NULL;
  if (t->rows < 0)
    return fail(err, ERR_DATA, "the table '%.100s' has %d rows", t->name, t->rows),
           (const Table *)NULL;
  if (t->column_count <= 0 || !t->columns)
    return fail(err, ERR_DATA, "the table '%.100s' has no columns", t->name), (const Table *)NULL;
  Table *out = ARENA_NEW(a, Table);
  const char **names = ARENA_ARRAY(a, const char *, t->column_count);
  const char **units = ARENA_ARRAY(a, const char *, t->column_count);
  const double **column = ARENA_ARRAY(a, const double *, t->column_count);
  Names *by_name = names_new(a);
  bool has_units = false;
  for (int c = 0; c < t->column_count; c++) {
    if (!check_column(t, c, err)) return NULL;
    names[c] = copied(a, t->columns[c].name);
    if (names_find(by_name, names[c]) >= 0)
      return fail(err, ERR_NAME, "the table '%.100s' has two columns '%.100s'", t->name, names[c]),
             (const Table *)NULL;
    names_set(by_name, names[c], c);
    units[c] = t->columns[c].unit ? copied(a, t->columns[c].unit) : "";
    has_units |= units[c][0] != 0;
    double *values = ARENA_ARRAY(a, double, t->rows + 1);
    if (t->rows) memcpy(values, t->columns[c].values, (size_t)t->rows * sizeof *values);
    column[c] = values;
  }
  *out = (Table){.file = copied(a, t->name),
                 .rows = t->rows,
                 .columns = t->column_count,
                 .names = names,
                 .units = has_units ? units : NULL,
                 .column = column,
                 .line = ARENA_ARRAY(a, int, t->rows + 1),
                 .by_name = by_name,
                 .in_memory = true};
  return out;
}

static bool keep_tables(Arena *a, ProblemSource *p, const EntrainTable *tables, int count,
                        Err *err) {
  if (count < 0 || (count > 0 && !tables)) return fail(err, ERR_USAGE, "no table is given");
  const Table **list = ARENA_ARRAY(a, const Table *, count + 1);
  for (int i = 0; i < count; i++) {
    list[i] = keep_table(a, &tables[i], err);
    if (!list[i]) return false;
    for (int k = 0; k < i; k++)
      if (strcmp(list[k]->file, list[i]->file) == 0)
        return fail(err, ERR_NAME, "two tables have the same name '%.100s'", list[i]->file);
  }
  p->tables = list;
  p->table_count = count;
  return true;
}

// ---------------------------------------------------------------- models

static void keep_overrides(Arena *a, GivenModel *out, const Override *overrides, int count) {
  Override *list = ARENA_ARRAY(a, Override, count + 1);
  for (int i = 0; i < count; i++)
    list[i] = (Override){copied(a, overrides[i].name), overrides[i].value};
  out->overrides = list;
  out->override_count = count;
}

static bool keep_model(Arena *a, KeptSource *k, const EntrainModel *m, Err *err) {
  k->source.model = &k->model;
  keep_overrides(a, &k->model, m->overrides.at, m->overrides.count);
  if (m->closed) {
    k->closed = closed_maker_copy(a, m->maker, m->closed);
    return true;
  }
  const char **libraries = ARENA_ARRAY(a, const char *, m->libraries.count + 1);
  for (int i = 0; i < m->libraries.count; i++) libraries[i] = copied(a, m->libraries.at[i]);
  k->model.libraries = libraries, k->model.library_count = m->libraries.count;
  k->model.class_name = copied(a, m->class_name);
  k->model.in_memory = m->in_memory;
  k->model.text = source_new(a, m->text->name, m->text->text, m->text->length, err);
  return k->model.text != NULL;
}

static bool keep_one_model(Arena *a, KeptSource *k, const EntrainSource *s, bool is_named,
                           Err *err) {
  if ((s->model != NULL) + (s->model_text != NULL) + (s->simulator != NULL) > 1)
    return fail(err, ERR_USAGE,
                "a problem has one model: give a model, its text or a simulator, not two of these");
  k->source.is_named = is_named;
  if (s->model) return keep_model(a, k, s->model, err);
  if (s->simulator) {
    ClosedMaker maker = {0};
    if (!API_TAKE(&maker.function, EntrainSimulator, s->simulator, err) ||
        !simulator_is_complete(&maker.function, err))
      return false;
    k->closed = closed_maker_copy(a, &maker, NULL);
  }
  if (!s->model_text) return true;
  k->source.model = &k->model;
  k->model.in_memory = true;
  k->model.text = source_new(a, "<model>", s->model_text, strlen(s->model_text), err);
  return k->model.text != NULL;
}

// ---------------------------------------------------------------- all of it

static bool keep_all(Arena *a, KeptSource *k, const EntrainSource *s, bool is_named, Err *err) {
  ProblemSource *p = &k->source;
  if (!settings_are_complete(s->settings, s->setting_count, err)) return false;
  if (!s->text && !s->path && !s->setting_count)
    return fail(err, ERR_USAGE, "a problem needs a text, a path or settings");
  p->name = s->name ? copied(a, s->name) : "<text>";
  p->folder = s->folder ? copied(a, s->folder) : ".";
  if (s->text)
    p->text = arena_copy(a, s->text, s->length), p->length = s->length;
  else if (s->path)
    p->path = copied(a, s->path);
  else
    p->text = "{}", p->length = 2;
  keep_settings(a, p, NULL, 0, s->settings, s->setting_count);
  return keep_one_model(a, k, s, is_named, err) &&
         keep_tables(a, p, s->tables, s->table_count, err);
}

KeptSource *keep_source(Arena *a, const EntrainSource *source, bool is_named, Err *err) {
  KeptSource *k = ARENA_NEW(a, KeptSource);
  return keep_all(a, k, source, is_named, err) ? k : NULL;
}

static const Table *copy_table(Arena *a, const Table *t, Err *err) {
  EntrainColumn *columns = ARENA_ARRAY(a, EntrainColumn, t->columns);
  for (int c = 0; c < t->columns; c++)
    columns[c] = (EntrainColumn){t->names[c], t->units ? t->units[c] : "", t->column[c]};
  return keep_table(a, &(EntrainTable){t->file, columns, t->columns, t->rows}, err);
}

KeptSource *keep_source_with(Arena *a, const KeptSource *kept, const EntrainSetting *settings,
                             int count, Err *err) {
  if (!settings_are_complete(settings, count, err)) return NULL;
  KeptSource *k = ARENA_NEW(a, KeptSource);
  *k = *kept;
  ProblemSource *p = &k->source;
  p->name = copied(a, p->name), p->folder = copied(a, p->folder), p->path = copied(a, p->path);
  if (p->text) p->text = arena_copy(a, p->text, p->length);
  keep_settings(a, p, kept->source.settings, kept->source.setting_count, settings, count);
  const Table **tables = ARENA_ARRAY(a, const Table *, p->table_count + 1);
  for (int i = 0; i < p->table_count; i++) tables[i] = copy_table(a, kept->source.tables[i], err);
  p->tables = tables;
  if (kept->closed) k->closed = closed_maker_copy(a, kept->closed, NULL);
  if (!p->model) return k;
  const GivenModel *m = &kept->model;
  p->model = &k->model;
  keep_overrides(a, &k->model, m->overrides, m->override_count);
  if (!m->text) return k;
  const char **libraries = ARENA_ARRAY(a, const char *, m->library_count + 1);
  for (int i = 0; i < m->library_count; i++) libraries[i] = copied(a, m->libraries[i]);
  k->model.libraries = libraries;
  k->model.class_name = copied(a, m->class_name);
  k->model.text = source_new(a, m->text->name, m->text->text, m->text->length, err);
  return k->model.text ? k : NULL;
}

// A worker in another process, and a later run, have nothing but what the store holds: files.
static bool may_be_recorded(const KeptSource *k, Err *err) {
  const ProblemSource *p = &k->source;
  bool all_files = p->path && !k->closed && !p->table_count && !(p->model && p->model->text);
  if (all_files || !file_set_innermost()) return true;
  return fail(err, ERR_USAGE,
              "a study in a store is read from files, so that others can take part in it: a "
              "problem with a text, a model or tables of memory cannot be recorded; write them to "
              "files");
}

static bool sets_model(const ProblemSource *p, Err *err) {
  for (int i = 0; i < p->setting_count; i++) {
    const ProblemSetting *s = &p->settings[i];
    if (!s->is_option && (strcmp(s->path, "model") == 0 || strncmp(s->path, "model.", 6) == 0))
      return !fail(err, ERR_USAGE,
                   "the calling program gave the model: '%.100s' cannot be set; set parameters of "
                   "the model before the problem is made of it",
                   s->path);
  }
  return false;
}

Problem *problem_of_kept(const KeptSource *kept, Err *err) {
  ProblemSource p = kept->source;
  bool given = (p.model && p.model->text) || (kept->closed && !p.is_named);
  if (!may_be_recorded(kept, err) || (given && sets_model(&p, err))) return NULL;
  if (kept->closed) {
    ClosedSimulator *s = closed_maker_open(kept->closed, err);
    if (!s) return NULL;
    p.closed = &s->model;
    p.closed_path = kept->closed->fmu.path;
  }
  return problem_make(&p, err);
}
