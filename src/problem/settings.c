// Applies settings of the command line to the YAML tree before it is read.
#include <string.h>

#include "base/file.h"
#include "problem/reader.h"

static const YamlShort SHORTS[] = {
    {"estimate", NULL, "start"}, {"measure", NULL, "column"}, {"inputs", NULL, "column"},
    {NULL, "gain", "start"},     {NULL, "offset", "start"},   {NULL, "delay", "start"},
    {NULL, "weights", "kind"},   {NULL, "model", "fmu"},
};

static bool is_for_model(const ProblemSetting *s) {
  return !s->is_option && (strcmp(s->path, "model") == 0 || strncmp(s->path, "model.", 6) == 0);
}

// Changes lists of names to mappings, so that paths can name their elements.
static bool tidy(ProblemReader *r) {
  Yaml *experiments = yaml_find(r->root, "experiments");
  Err own = {0};
  bool ok = yaml_list_to_map(r->arena, yaml_find(r->root, "estimate"), &own) &&
            yaml_list_to_map(r->arena, yaml_find(experiments, "measure"), &own);
  for (int i = 0; ok && i < (experiments ? experiments->items.count : 0); i++)
    ok = yaml_list_to_map(r->arena, yaml_find(experiments->items.at[i], "measure"), &own);
  return ok ||
         reader_fail_place(r, (Place){own.file, own.line, own.column}, own.code, "%s", own.text);
}

static bool apply(ProblemReader *r, const ProblemSetting *s) {
  YamlSchema schema = {.shorts = SHORTS, .short_count = sizeof SHORTS / sizeof *SHORTS};
  int count = r->flat ? r->flat->parameters.count : 0;
  const char **names = ARENA_ARRAY(r->scratch, const char *, count + 1);
  for (int i = 0; i < count; i++) names[i] = r->flat->parameters.at[i].name;
  schema.dotted = names, schema.dotted_count = count;
  // An option such as criterion may also be a key of the problem itself.
  bool below_options =
      s->is_option && strcmp(s->path, "method") != 0 && !yaml_find(r->root, s->path);
  const char *path = below_options ? arena_print(r->arena, "options.%s", s->path) : s->path;
  const char *place = arena_print(r->arena, s->is_option ? "--%s" : "--set %s", s->path);
  return yaml_set(r->arena, r->root, path, s->value, place, &schema, r->err);
}

// --library DIR: relative to where the command runs, not to the problem file.
static bool is_library(const ProblemSetting *s) {
  return !s->is_option && strcmp(s->path, "library") == 0;
}

// --data DIR: relative to where the command runs, too.
static bool is_data_folder(const ProblemSetting *s) {
  return !s->is_option && strcmp(s->path, "data_folder") == 0;
}

// Those of the command line in their order, then that of the environment.
static void find_data_folders(ProblemReader *r, const ProblemSetting *settings, int count) {
  const char *named = file_variable("ENTRAIN_DATA");
  for (int i = 0; i < count; i++)
    if (is_data_folder(&settings[i]) && settings[i].value[0])
      array_push(r->arena, &r->data_folders, settings[i].value);
  if (named && named[0])
    array_push(r->arena, &r->data_folders, arena_copy(r->arena, named, strlen(named)));
}

bool apply_model_settings(ProblemReader *r, const ProblemSetting *settings, int count) {
  find_data_folders(r, settings, count);
  for (int i = 0; i < count; i++)
    if (is_library(&settings[i])) array_push(r->arena, &r->libraries, settings[i].value);
  for (int i = 0; i < count; i++)
    if (is_for_model(&settings[i]) && !apply(r, &settings[i])) return false;
  return true;
}

bool apply_settings(ProblemReader *r, const ProblemSetting *settings, int count) {
  if (!tidy(r)) return false;
  for (int i = 0; i < count; i++)
    if (!is_for_model(&settings[i]) && !is_library(&settings[i]) && !is_data_folder(&settings[i]) &&
        !apply(r, &settings[i]))
      return false;
  return tidy(r);
}
