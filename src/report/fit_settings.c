#include "report/fit_settings.h"

#include <string.h>

static const struct {
  const char *name, *value;
} FINER[] = {{"rel_tol", "1e-8"}, {"abs_tol", "1e-10"}};

const char *fit_default_text(const OptionRow *row) {
  for (size_t i = 0; i < sizeof FINER / sizeof *FINER; i++)
    if (strcmp(row->name, FINER[i].name) == 0) return FINER[i].value;
  return row->default_text;
}

static bool is_default(const OptionRow *row, const char *value) {
  double a, b;
  const char *initial = fit_default_text(row);
  if (row->choices) return strcmp(value, initial) == 0;
  return number_parse(value, &a) && number_parse(initial, &b) && a == b;
}

static void list_changed(const OptionTable *table, const void *options, FitSettingSink *sink,
                         void *data) {
  for (int i = 0; i < table->count; i++) {
    char value[OPTION_WORD_SIZE];
    option_value(&table->rows[i], options, value);
    if (!is_default(&table->rows[i], value)) sink(data, &table->rows[i], value);
  }
}

void fit_settings_changed(const Problem *p, FitSettingSink *sink, void *data) {
  list_changed(&FIT_OPTIONS, &p->options, sink, data);
  list_changed(&SIMULATE_OPTIONS, &p->simulate, sink, data);
}
