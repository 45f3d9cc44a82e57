// The report on an FMU as JSON.
#include "fmu/fmu_report.h"
#include "write/json.h"

static void interface(Json *j, const char *key, const FmuInterfaceInfo *f) {
  if (!f->offered) {
    json_text(j, key, NULL);
    return;
  }
  json_open(j, key, '{', false);
  json_text(j, "identifier", f->identifier);
  json_flag(j, "needs_execution_tool", f->needs_execution_tool);
  json_flag(j, "once_per_process", f->once_per_process);
  json_flag(j, "gets_and_sets_state", f->gets_and_sets_state);
  json_flag(j, "serializes_state", f->serializes_state);
  json_flag(j, "directional_derivatives", f->directional_derivatives);
  json_flag(j, "needs_completed_step", f->needs_completed_step);
  json_flag(j, "variable_step", f->variable_step);
  json_flag(j, "interpolates_inputs", f->interpolates_inputs);
  json_number(j, "internal_step", f->internal_step);
  json_close(j);
}

static void about(Json *j, const FmuDescription *d) {
  json_text(j, "model", d->model_name);
  json_text(j, "description", d->description);
  json_text(j, "fmi", d->version);
  json_text(j, "tool", d->tool);
  json_text(j, "date", d->date);
  json_text(j, "author", d->author);
  json_text(j, "model_version", d->model_version);
  json_text(j, "license", d->license);
  json_text(j, "copyright", d->copyright);
  interface(j, "model_exchange", &d->model_exchange);
  interface(j, "co_simulation", &d->co_simulation);
  json_flag(j, "scheduled_execution", d->scheduled_execution);
  json_whole(j, "event_indicators", d->indicators);
  json_open(j, "platforms", '[', false);
  for (int i = 0; i < d->platforms.count; i++) json_text(j, NULL, d->platforms.at[i]);
  json_close(j);
  json_flag(j, "sources", d->has_sources);
  json_open(j, "default_experiment", '{', false);
  json_number(j, "start", d->start_time);
  json_number(j, "stop", d->stop_time);
  json_number(j, "tolerance", d->tolerance);
  json_number(j, "step", d->step_size);
  json_close(j);
}

static void start(Json *j, const FmuVariable *v) {
  if (!v->has_start || v->type == FMU_STRING || v->type == FMU_BINARY)
    json_text(j, "start", v->has_start ? v->start_text : NULL);
  else if (v->type == FMU_BOOLEAN)
    json_flag(j, "start", v->start != 0);
  else
    json_number(j, "start", v->start);
}

static void open_variable(Json *j, const FmuVariable *v) {
  json_open(j, NULL, '{', false);
  json_text(j, "name", v->name);
  json_text(j, "type", fmu_type_word(v->type));
  json_text(j, "variability", fmu_variability_word(v->variability));
  start(j, v);
}

static void close_variable(Json *j, const FmuDescription *d, const FmuVariable *v) {
  json_text(j, "unit", v->unit);
  json_number(j, "min", v->min);
  json_number(j, "max", v->max);
  json_number(j, "nominal", v->nominal);
  if (v->enumeration >= 0) {
    const FmuEnumeration *e = &d->enumerations.at[v->enumeration];
    json_open(j, "items", '[', false); // not an object: nothing keeps their names apart
    for (int i = 0; i < e->items.count; i++) {
      json_open(j, NULL, '{', false);
      json_text(j, "name", e->items.at[i].name);
      json_whole(j, "value", e->items.at[i].value);
      json_close(j);
    }
    json_close(j);
  }
  json_text(j, "description", v->description);
  json_close(j);
}

static void parameters(Json *j, const FmuDescription *d) {
  json_open(j, "parameters", '[', true);
  for (int i = 0; i < d->variables.count; i++) {
    const FmuVariable *v = &d->variables.at[i];
    if (!fmu_is_parameter(v)) continue;
    open_variable(j, v);
    json_text(j, "use", fmu_use_word(fmu_use(v)));
    close_variable(j, d, v);
  }
  json_close(j);
}

static void of_causality(Json *j, const FmuDescription *d, const char *key, FmuCausality c) {
  json_open(j, key, '[', true);
  for (int i = 0; i < d->variables.count; i++) {
    const FmuVariable *v = &d->variables.at[i];
    if (v->causality != c) continue;
    open_variable(j, v);
    close_variable(j, d, v);
  }
  json_close(j);
}

static void states(Json *j, const FmuDescription *d) {
  json_open(j, "states", '[', true);
  for (int i = 0; i < d->states.count; i++) {
    if (d->states.at[i] < 0) continue; // it is not said
    const FmuVariable *v = &d->variables.at[d->states.at[i]];
    open_variable(j, v);
    json_text(j, "initial", fmu_initial_word(v->initial));
    json_flag(j, "free_start", fmu_has_free_start(v));
    json_text(j, "derivative", d->variables.at[d->derivatives.at[i]].name);
    close_variable(j, d, v);
  }
  json_close(j);
}

// All that is neither parameter, input nor output; states are among them.
static void variables(Json *j, const FmuDescription *d) {
  json_open(j, "variables", '[', true);
  for (int i = 0; i < d->variables.count; i++) {
    const FmuVariable *v = &d->variables.at[i];
    if (fmu_is_parameter(v) || v->causality == FMU_INPUT || v->causality == FMU_OUTPUT) continue;
    open_variable(j, v);
    json_text(j, "causality", fmu_causality_word(v->causality));
    json_flag(j, "free_start", fmu_has_free_start(v));
    close_variable(j, d, v);
  }
  json_close(j);
}

void fmu_report_json(const FmuDescription *d, Text *out) {
  Json j = json_on(out);
  json_open(&j, NULL, '{', true);
  about(&j, d);
  parameters(&j, d);
  of_causality(&j, d, "inputs", FMU_INPUT);
  of_causality(&j, d, "outputs", FMU_OUTPUT);
  states(&j, d);
  variables(&j, d);
  json_close(&j);
}
