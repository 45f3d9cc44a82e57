#include "cli/open_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/output.h"

static EntrainLibraries libraries_of(const Arguments *a) {
  EntrainLibraries libraries = {sizeof libraries,
                                needed(calloc((size_t)a->given_count + 1, sizeof(char *))), 0};
  for (int i = 0; i < a->given_count; i++)
    if (a->given[i].flag && strcmp(a->given[i].name, "library") == 0)
      libraries.folders[libraries.count++] = a->given[i].value;
  return libraries;
}

bool is_fmu(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcasecmp(path + length - 4, ".fmu") == 0;
}

// A number above 0 of one flag; false: the complaint has been made.
static bool read_positive(const Arguments *a, const char *flag, double *value) {
  const char *text = arguments_value(a, flag);
  if (!text) return true;
  if (!read_number(flag, text, value)) return false;
  if (!(*value > 0)) complain("--%s must be above 0, not '%s'", flag, text);
  return *value > 0;
}

static EntrainModel *load_fmu(const Arguments *a, const char *path, EntrainError *error) {
  EntrainFmu how = {.size = sizeof how, .interface = arguments_value(a, "interface")};
  if (!read_positive(a, "communication", &how.step) || !read_positive(a, "timeout", &how.timeout) ||
      !read_positive(a, "memory", &how.memory))
    return NULL;
  return entrain_fmu_load(path, &how, error);
}

static EntrainModel *load(const Arguments *a, EntrainError *error) {
  const char *path = a->words[0];
  EntrainLibraries libraries = libraries_of(a);
  EntrainModel *model;
  if (strcmp(path, "-") == 0) {
    size_t length;
    char *text = read_all(path, &length);
    model = text ? entrain_model_parse_with("<stdin>", text, length, &libraries, error) : NULL;
    free(text);
  } else if (is_fmu(path)) {
    model = load_fmu(a, path, error);
  } else {
    model = entrain_model_load_with(path, &libraries, error);
  }
  free(libraries.folders);
  return model;
}

EntrainModel *open_model(const Arguments *a, int *status) {
  EntrainError error = {.size = sizeof error};
  EntrainModel *model = load(a, &error);
  *status = model ? DONE : WRONG_USE;
  if (!model && error.code) *status = complain_error(&error);
  return model;
}

bool print_flat_text(const Arguments *a) {
  if (strcmp(a->words[0], "-") == 0) return false;
  EntrainLibraries libraries = libraries_of(a);
  EntrainError error = {.size = sizeof error};
  char *text = entrain_flat_text(a->words[0], &libraries, &error);
  bool done = text && output_print(text);
  entrain_text_free(text);
  free(libraries.folders);
  return done;
}

void print_warnings(const EntrainModel *model) {
  for (int i = 0; i < entrain_model_warning_count(model); i++)
    fprintf(stderr, "%s\n", entrain_model_warning(model, i));
}
