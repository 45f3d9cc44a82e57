#include "fmu/fmu_run.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/file.h"
#include "fmu/archive.h"

// ---------------------------------------------------------------- opening

// Those that fmu_platform knows; here the archive is a folder.
static void note_platforms(Arena *a, FmuDescription *d, const char *folder) {
  static const char *const NAMES[] = {"linux64", "x86_64-linux"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (access(arena_print(a, "%s/binaries/%s", folder, NAMES[i]), R_OK) == 0)
      array_push(a, &d->platforms, NAMES[i]);
}

FmuRunner *fmu_runner_open(const FmuSpec *spec, Err *err) {
  Arena *a = arena_new();
  FmuRunner *r = ARENA_NEW(a, FmuRunner);
  size_t length;
  r->arena = a;
  r->spec = *spec;
  r->spec.name = arena_print(a, "%s", spec->name);
  r->spec.folder = arena_print(a, "%s", spec->folder);
  r->scratch = arena_new();
  char *xml = file_read(a, arena_print(a, "%s/modelDescription.xml", spec->folder),
                        ARCHIVE_XML_MOST, &length, err);
  FmuDescription *d = xml ? fmu_description_parse(a, spec->name, xml, length, err) : NULL;
  if (d) {
    note_platforms(a, d, r->spec.folder);
    r->model = fmu_model_new(a, d, spec->interface);
    r->info = spec->interface == FMU_ME ? &d->model_exchange : &d->co_simulation;
    r->library = fmu_library_open(a, d, r->spec.folder, spec->interface, err);
  }
  if (r->library) return r;
  fmu_runner_close(r);
  return NULL;
}

void fmu_runner_close(FmuRunner *r) {
  if (!r) return;
  fmu_runner_close(r->exchange);
  fmu_library_close(r->library);
  arena_free(r->scratch);
  arena_free(r->arena);
}

static const double FINER = 0.01, FINEST = 1e-12; // tolerance of a refined run, times and at least
static const double REFERENCE = 1e-9; // of model exchange that co-simulation is compared with

// Model exchange is what co-simulation is compared with, where it is offered.
static bool run_refined(FmuRunner *r, const SimulatorCall *call, SimulatorAnswer *answer) {
  SimulatorCall fine = *call;
  Err err = {0};
  fine.refined = false;
  fine.rel_tol = fmax(call->rel_tol * FINER, FINEST);
  fine.abs_tol = call->abs_tol * FINER;
  if (r->spec.interface == FMU_ME) return fmu_exchange(r, &fine, answer), true;
  if (!r->model->fmu->model_exchange.offered) return false;
  FmuSpec spec = {.name = r->spec.name, .folder = r->spec.folder, .interface = FMU_ME};
  if (!r->exchange) r->exchange = fmu_runner_open(&spec, &err);
  if (!r->exchange) return false;
  fine.rel_tol = fine.abs_tol = REFERENCE;
  fine.solver = 0;
  fmu_runner_run(r->exchange, &fine, answer);
  return true;
}

void fmu_runner_run(FmuRunner *r, const SimulatorCall *call, SimulatorAnswer *answer) {
  arena_reset(r->scratch);
  if (call->refined && run_refined(r, call, answer)) return;
  (r->spec.interface == FMU_ME ? fmu_exchange : fmu_co_simulate)(r, call, answer);
}

// ---------------------------------------------------------------- instances

bool fmu_end_refused(FmuRunner *r, const FmuInstance *i, double t, SimulatorAnswer *answer) {
  const char *function = fmu_instance_failed(i);
  bool ours = strncmp(function, "fmu_", 4) == 0; // entrain refused, and the log says what
  if (ours)
    answer_end(answer, OUTCOME_REFUSED, t, "%s: a value cannot be set at time %.9g", r->spec.name,
               t);
  else
    answer_end(answer, OUTCOME_REFUSED, t, "%s: %s reported an error at time %.9g", r->spec.name,
               function[0] ? function : "the FMU", t);
  c_snprintf(answer->log, sizeof answer->log, "%s", fmu_instance_log(i));
  return false;
}

// Parameters that differ from their defaults, numbers and texts.
static FmuStatus set_parameters(FmuRunner *r, FmuInstance *i, const SimulatorCall *call,
                                const FmuChange *change) {
  const FmuModel *m = r->model;
  int count = 0, n = call->parameter_count;
  int *variables = ARENA_ARRAY(r->scratch, int, n + 1);
  double *values = ARENA_ARRAY(r->scratch, double, n + 1);
  for (int k = 0; k < n && k < m->closed.parameters.count; k++) {
    bool changed = change && change->parameter == k;
    if (m->closed.parameters.at[k].type == CLOSED_TEXT || !(call->given[k] || changed)) continue;
    variables[count] = m->parameter[k];
    values[count++] = changed ? change->value : call->parameters[k];
  }
  FmuStatus worst = FMU_OK;
  if (count) worst = fmu_set(i, fmu_group_new(r->scratch, r->library, variables, count), values);
  for (int k = 0; k < call->text_count && worst == FMU_OK; k++)
    worst = fmu_set_text(i, m->parameter[call->texts[k].parameter], call->texts[k].text);
  return worst;
}

FmuInstance *fmu_begin(FmuRunner *r, const SimulatorCall *call, const FmuChange *change,
                       double stop, double tolerance, SimulatorAnswer *answer) {
  Err err = {0};
  double start = call->origin + call->start;
  FmuInstance *i = fmu_instance_new(r->library, "entrain", &err);
  if (!i) {
    answer_end(answer, OUTCOME_REFUSED, start, "%s: %s", r->spec.name, err.text);
    return NULL;
  }
  FmuInputs *inputs = fmu_inputs_new(r, call);
  fmu_inputs_enter(inputs, call->start);
  bool ok = fmu_set_experiment(i, start, stop, tolerance) == FMU_OK &&
            set_parameters(r, i, call, change) == FMU_OK && fmu_enter_initialization(i) == FMU_OK &&
            fmu_inputs_set(i, inputs, call->start) == FMU_OK &&
            fmu_exit_initialization(i) == FMU_OK;
  if (ok) return i;
  fmu_end_refused(r, i, start, answer);
  fmu_instance_free(i);
  return NULL;
}

FmuGroup *fmu_recorded(FmuRunner *r, const SimulatorCall *call) {
  int *variables = ARENA_ARRAY(r->scratch, int, call->variable_count + 1);
  for (int k = 0; k < call->variable_count; k++)
    variables[k] = r->model->variable[call->variables[k]];
  return fmu_group_new(r->scratch, r->library, variables, call->variable_count);
}

// ---------------------------------------------------------------- inputs

static bool is_continuous(const FmuVariable *v) {
  return v->type == FMU_REAL && v->variability == FMU_CONTINUOUS;
}

// Discrete inputs change at events only, so they are held between samples.
FmuInputs *fmu_inputs_new(FmuRunner *r, const SimulatorCall *call) {
  FmuInputs *in = ARENA_NEW(r->scratch, FmuInputs);
  int *variables = ARENA_ARRAY(r->scratch, int, call->input_count + 1);
  in->at = ARENA_ARRAY(r->scratch, const Input *, call->input_count + 1);
  in->piece = ARENA_ARRAY(r->scratch, int, call->input_count + 1);
  in->value = ARENA_ARRAY(r->scratch, double, call->input_count + 1);
  for (int discrete = 0; discrete < 2; discrete++) {
    for (int k = 0; k < call->input_count; k++) {
      int v = r->model->input[k];
      if (!call->inputs[k] || is_continuous(&r->model->fmu->variables.at[v]) == discrete) continue;
      variables[in->count] = v;
      in->at[in->count++] =
          discrete ? input_as(r->scratch, call->inputs[k], INPUT_HOLD) : call->inputs[k];
    }
    if (!discrete) in->continuous_count = in->count;
  }
  in->all = fmu_group_new(r->scratch, r->library, variables, in->count);
  in->continuous = fmu_group_new(r->scratch, r->library, variables, in->continuous_count);
  return in;
}

void fmu_inputs_enter(FmuInputs *in, double t) {
  for (int k = 0; k < in->count; k++) in->piece[k] = input_piece(in->at[k], t, 1);
}

static FmuStatus set_inputs(FmuInstance *i, FmuInputs *in, const FmuGroup *group, int count,
                            double t) {
  if (!count) return FMU_OK;
  for (int k = 0; k < count; k++) input_eval(in->at[k], t, &in->piece[k], &in->value[k], NULL);
  return fmu_set(i, group, in->value);
}

FmuStatus fmu_inputs_set(FmuInstance *i, FmuInputs *in, double t) {
  return set_inputs(i, in, in->all, in->count, t);
}

FmuStatus fmu_inputs_follow(FmuInstance *i, FmuInputs *in, double t) {
  return set_inputs(i, in, in->continuous, in->continuous_count, t);
}

double fmu_inputs_break(const FmuInputs *in, double t, double tolerance) {
  double first = HUGE_VAL;
  for (int k = 0; k < in->count; k++)
    first = fmin(first, input_next_break(in->at[k], t, tolerance));
  return first;
}

bool fmu_inputs_jump(const FmuInputs *in, double t) {
  for (int k = 0; k < in->count; k++) {
    int before = input_piece(in->at[k], t, -1), after = input_piece(in->at[k], t, 1);
    if (before != after && input_smoothness_between(in->at[k], before, after) < 0) return true;
  }
  return false;
}
