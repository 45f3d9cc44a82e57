#include "cli/open_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/lists.h"
#include "cli/message.h"

static EntrainModel *load(const char *path, EntrainError *error) {
  if (strcmp(path, "-") != 0) return entrain_model_load(path, error);
  size_t length;
  char *text = read_all(path, &length);
  EntrainModel *model = text ? entrain_model_parse("<stdin>", text, length, error) : NULL;
  free(text);
  return model;
}

EntrainModel *open_model(const char *path, int *status) {
  EntrainError error = {0};
  EntrainModel *model = load(path, &error);
  *status = model ? DONE : WRONG_USE;
  if (!model && error.code) *status = complain_error(&error);
  return model;
}

void print_warnings(const EntrainModel *model) {
  for (int i = 0; i < entrain_model_warning_count(model); i++)
    fprintf(stderr, "%s\n", entrain_model_warning(model, i));
}
