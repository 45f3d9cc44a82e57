#include "lib/adapter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entrain.h"

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "model/model_build.h"
#include "model/system.h"
#include "simulate/steppers.h"

const char *bench_version(void) {
  return entrain_version();
}

// ---------------------------------------------------------------- internal: model and system

struct BenchModel {
  Arena *arena;
  Model *model;
  System *system;
  SystemWork *work;
  double *p, *results;
};

static const char *complaint(const Err *err, const char *path) {
  fprintf(stderr, "bench: %s: %s\n", path, err->text);
  return NULL;
}

static Model *model_of(Arena *a, const Source *source, Err *err) {
  const AstModel *ast = source ? parse_model(a, source, err) : NULL;
  return ast ? model_new(source, ast, NULL, 0, err) : NULL;
}

// All parameters at their values, with the settings "a=1 b=2" and, in lanes, the first np of `names` times a factor.
static void fill_parameters(const Model *m, const char *settings, const char *const *names, int np,
                            const double *factor, int lanes, double *p) {
  const Parameter *all = m->flat->parameters.at;
  for (int i = 0; i < m->np; i++) {
    double value = all[i].value, number;
    char name[64];
    int used;
    for (const char *s = settings; s && sscanf(s, " %63[^=]=%lf%n", name, &number, &used) == 2;
         s += used)
      if (!strcmp(name, all[i].name)) value = number;
    bool varied = false;
    for (int k = 0; k < np; k++) varied |= !strcmp(names[k], all[i].name);
    for (int l = 0; l < lanes; l++) p[i * lanes + l] = value * (varied && factor ? factor[l] : 1);
  }
}

// Numbers of the named parameters.
static int *find_parameters(Arena *a, const Model *m, const char *const *names, int np) {
  int *found = ARENA_ARRAY(a, int, np + 1);
  for (int k = 0; k < np; k++) found[k] = names_find(m->flat->parameter_names, names[k]);
  return found;
}

BenchModel *bench_model_open(const char *path, const char *settings) {
  Arena *a = arena_new();
  BenchModel *m = ARENA_NEW(a, BenchModel);
  Err err = {0};
  m->arena = a;
  m->model = model_of(a, source_load(a, path, &err), &err);
  if (!m->model) {
    complaint(&err, path);
    arena_free(a);
    return NULL;
  }
  m->system = system_new(m->model, &(SystemSpec){.lanes = 1, .jacobian = true});
  m->work = system_work_new(m->system);
  m->p = ARENA_ARRAY(a, double, m->model->np + 1);
  m->results =
      ARENA_ARRAY(a, double, m->system->kernel[KERNEL_JACOBIAN].results + m->model->nx + 64);
  fill_parameters(m->model, settings, NULL, 0, NULL, 1, m->p);
  system_set_parameters(m->work, m->p);
  return m;
}

void bench_model_close(BenchModel *m) {
  if (!m) return;
  system_work_free(m->work);
  system_free(m->system);
  model_free(m->model);
  arena_free(m->arena);
}

int bench_model_states(const BenchModel *m) {
  return m->model->nx;
}

void bench_rhs(BenchModel *m, double t, const double *x, double *dx) {
  system_rhs(m->work, t, x, dx);
}

void bench_jacobian(BenchModel *m, double t, const double *x, double *J) {
  const Pattern *pattern = &m->system->sparse.jacobian;
  int nx = m->model->nx;
  system_jacobian(m->work, t, x, m->results, J + nx * nx);
  for (int i = 0; i < nx; i++)
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
      J[pattern->column[e] * nx + i] = m->results[e];
}

// The machine code called by its pointer, as simulations without inputs and events do it.
static void kernel_loop(BenchModel *m, const Kernel *k, const double *x, int repeat) {
  double *par = m->work->par, *scratch = m->work->scratch + k->work_at, *results = m->results;
  CodeFn *fn = k->code->fn;
  for (int i = 0; i < repeat * BENCH_CALLS; i++) {
    par[0] = (double)(i % BENCH_CALLS) / BENCH_CALLS;
    if (fn)
      fn(par, x, NULL, results, scratch);
    else
      code_run(k->code, par, x, NULL, results, scratch);
  }
}

void bench_rhs_loop(BenchModel *m, const double *x, int repeat) {
  kernel_loop(m, &m->system->kernel[KERNEL_RHS], x, repeat);
}

void bench_jacobian_loop(BenchModel *m, const double *x, int repeat) {
  kernel_loop(m, &m->system->kernel[KERNEL_JACOBIAN], x, repeat);
}

// ---------------------------------------------------------------- text to callable code

bool bench_compile(const char *name, const char *text, bool with_derivatives) {
  Arena *a = arena_new();
  Err err = {0};
  Model *m = model_of(a, source_new(a, name, text, strlen(text), &err), &err);
  if (!m)
    complaint(&err, name);
  else {
    int *all = ARENA_ARRAY(a, int, m->np + 1), count = 0;
    for (int i = 0; i < m->np && with_derivatives; i++)
      if (!m->flat->parameters.at[i].is_start && !m->flat->parameters.at[i].dependent)
        all[count++] = i;
    SystemSpec spec = {
        .parameters = all, .parameter_count = count, .lanes = 1, .jacobian = with_derivatives};
    system_free(system_new(m, &spec));
    model_free(m);
  }
  arena_free(a);
  return m != NULL;
}

// ---------------------------------------------------------------- public: simulations

struct BenchSimulation {
  EntrainModel *model;
  EntrainOptions *options;
  EntrainSimulation *simulation;
};

static bool set_number(EntrainOptions *o, const char *name, double value, EntrainError *error) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  return entrain_options_set(o, name, text, error);
}

static bool apply_settings(EntrainModel *m, const char *settings, EntrainError *error) {
  char name[64], value[64];
  int used;
  for (const char *s = settings; s && sscanf(s, " %63[^=]=%63s%n", name, value, &used) == 2;
       s += used)
    if (!entrain_model_set(m, name, value, error)) return false;
  return true;
}

// States only, in the order of declaration.
static bool select_states(BenchSimulation *s, EntrainError *error) {
  int count = entrain_model_count(s->model, ENTRAIN_STATE);
  const char *names[64];
  for (int i = 0; i < count && i < 64; i++) {
    EntrainVariable v = {.size = sizeof v};
    entrain_model_variable(s->model, ENTRAIN_STATE, i, &v);
    names[i] = v.name;
  }
  return entrain_simulation_select(s->simulation, names, count, error);
}

static bool open_simulation(BenchSimulation *s, const BenchTask *task, EntrainError *error) {
  s->model = entrain_model_load(task->path, error);
  if (!s->model || !apply_settings(s->model, task->settings, error)) return false;
  s->options = entrain_options_new();
  if (!set_number(s->options, "rel_tol", task->rel_tol, error)) return false;
  if (!set_number(s->options, "abs_tol", task->abs_tol, error)) return false;
  if (!set_number(s->options, "max_steps", 1000000, error)) return false;
  if (!entrain_options_set(s->options, "solver", task->solver, error)) return false;
  s->simulation = entrain_simulation_new(s->model, s->options, error);
  if (!s->simulation) return false;
  return entrain_simulation_times(s->simulation, task->times[0], task->times, task->count, error) &&
         select_states(s, error) &&
         (task->np == 0 ||
          entrain_simulation_sensitivities(s->simulation, task->parameters, task->np, error));
}

BenchSimulation *bench_simulation_open(const BenchTask *task) {
  BenchSimulation *s = calloc(1, sizeof *s);
  EntrainError error = {.size = sizeof error};
  if (open_simulation(s, task, &error)) return s;
  fprintf(stderr, "bench: %s: %s\n", task->path, error.text);
  bench_simulation_close(s);
  return NULL;
}

void bench_simulation_close(BenchSimulation *s) {
  if (!s) return;
  entrain_simulation_free(s->simulation);
  entrain_options_free(s->options);
  entrain_model_free(s->model);
  free(s);
}

bool bench_simulation_run(BenchSimulation *s) {
  EntrainResult *r = entrain_simulation_run(s->simulation, NULL);
  bool done = r && entrain_result_outcome(r) == ENTRAIN_REACHED_END;
  entrain_result_free(r);
  return done;
}

// Columns: time, then the states, then the sensitivities, whatever their order.
static int column_of(const EntrainResult *r, const char *state, const char *parameter) {
  char name[160];
  if (parameter)
    snprintf(name, sizeof name, "d%s/d%s", state, parameter);
  else
    snprintf(name, sizeof name, "%s", state);
  for (int j = 0; j < entrain_result_columns(r); j++)
    if (!strcmp(entrain_result_name(r, j), name)) return j;
  return -1;
}

static bool copy_column(const EntrainResult *r, int from, double *out, int width) {
  if (from < 0) return false;
  const double *column = entrain_result_column(r, from);
  for (int i = 0; i < entrain_result_rows(r); i++) out[i * width] = column[i];
  return true;
}

bool bench_simulation_rows(BenchSimulation *s, const BenchTask *task, int nx, double *rows,
                           char *text, int size) {
  EntrainResult *r = entrain_simulation_run(s->simulation, NULL);
  int width = nx * (1 + task->np);
  bool done = r && entrain_result_outcome(r) == ENTRAIN_REACHED_END &&
              entrain_result_rows(r) == task->count;
  for (int i = 0; i < nx && done; i++) {
    EntrainVariable v = {.size = sizeof v};
    entrain_model_variable(s->model, ENTRAIN_STATE, i, &v);
    done = copy_column(r, column_of(r, v.name, NULL), rows + i, width);
    for (int k = 0; k < task->np && done; k++)
      done =
          copy_column(r, column_of(r, v.name, task->parameters[k]), rows + (k + 1) * nx + i, width);
  }
  EntrainWork w = {.size = sizeof w};
  if (r) entrain_result_work(r, &w);
  snprintf(text, (size_t)size, "%s, %ld steps, %ld rejected, %ld right-hand sides",
           w.solver ? w.solver : "-", w.steps, w.rejected, w.rhs);
  if (r && !done) fprintf(stderr, "bench: %s: %s\n", task->path, entrain_result_message(r));
  entrain_result_free(r);
  return done;
}

// ---------------------------------------------------------------- internal: lanes

typedef struct LaneRun { // one integration of `lanes` parameter sets
  System *system;
  SystemWork *work;
  Ode ode;
  Stepper *stepper;
  double *out; // all sets, one after the other
} LaneRun;

struct BenchLanes {
  Arena *arena;
  Model *model;
  int sets, count;
  double *times, *p_wide, *p_narrow;
  LaneRun wide, narrow;
};

static void ode_rhs(void *self, double t, const double *y, double *dy) {
  system_rhs_sens(self, t, y, dy);
}

static void ode_rhs_states(void *self, double t, const double *x, double *dx) {
  system_rhs(self, t, x, dx);
}

static void lane_run_open(LaneRun *r, BenchLanes *l, const BenchTask *task, int lanes, int sets) {
  Arena *a = l->arena;
  SystemSpec spec = {.parameters = find_parameters(a, l->model, task->parameters, task->np),
                     .parameter_count = task->np,
                     .lanes = lanes};
  System *s = r->system = system_new(l->model, &spec);
  r->work = system_work_new(s);
  r->ode = (Ode){.n = s->nx,
                 .ns = s->ns,
                 .stride = s->stride,
                 .lanes = lanes,
                 .self = r->work,
                 .rhs = ode_rhs,
                 .rhs_states = ode_rhs_states};
  int columns = s->nx * (1 + s->stride);
  double *abs_tol = ARENA_ARRAY(a, double, columns);
  for (int i = 0; i < columns; i++) abs_tol[i] = task->abs_tol;
  Tolerance tol = {.rel = task->rel_tol, .abs = abs_tol, .max_steps = 1L << 60};
  r->stepper = stepper_new(a, stepper_find(task->solver), &r->ode, &tol);
  r->out =
      arena_alloc(a, (size_t)columns * (size_t)sets * (size_t)task->count + 64, sizeof(double));
}

static void lane_run_close(LaneRun *r) {
  if (!r->system) return;
  stepper_done(r->stepper);
  system_work_free(r->work);
  system_free(r->system);
}

static size_t lane_width(const LaneRun *r) {
  return (size_t)r->ode.n * (size_t)(1 + r->ode.stride) * (size_t)r->ode.lanes;
}

static bool lane_run(LaneRun *r, int batch, const double *p, const double *times, int count) {
  Stepper *s = r->stepper;
  size_t width = lane_width(r);
  double *out = r->out + (size_t)batch * width * (size_t)count;
  int next = 1;
  system_set_parameters(r->work, p);
  system_start(r->work, times[0], s->y);
  memcpy(out, s->y, width * sizeof *out);
  s->t = times[0];
  s->row->start(s, times[count - 1]);
  while (next < count) {
    if (s->row->step(s, times[count - 1]) != STEP_DONE) return false;
    for (; next < count && times[next] <= s->t; next++)
      s->row->dense(s, times[next], true, out + (size_t)next * width);
  }
  return true;
}

// Eight lanes are quicker than two times four also where a vector register holds four numbers.
BenchLanes *bench_lanes_open(const BenchTask *task, int sets, const double *factor) {
  Arena *a = arena_new();
  BenchLanes *l = ARENA_NEW(a, BenchLanes);
  Err err = {0};
  *l = (BenchLanes){.arena = a, .sets = sets, .count = task->count};
  l->model = model_of(a, source_load(a, task->path, &err), &err);
  if (!l->model) {
    complaint(&err, task->path);
    arena_free(a);
    return NULL;
  }
  l->times = ARENA_ARRAY(a, double, task->count);
  memcpy(l->times, task->times, (size_t)task->count * sizeof *l->times);
  lane_run_open(&l->wide, l, task, sets, sets);
  lane_run_open(&l->narrow, l, task, 1, sets);
  size_t np = (size_t)l->model->np;
  l->p_wide = arena_alloc(a, np * (size_t)sets + 8, sizeof(double));
  l->p_narrow = arena_alloc(a, np * (size_t)sets + 8, sizeof(double));
  fill_parameters(l->model, task->settings, task->parameters, task->np, factor, sets, l->p_wide);
  for (int k = 0; k < sets; k++)
    fill_parameters(l->model, task->settings, task->parameters, task->np, factor + k, 1,
                    l->p_narrow + (size_t)k * np);
  return l;
}

void bench_lanes_close(BenchLanes *l) {
  if (!l) return;
  lane_run_close(&l->wide);
  lane_run_close(&l->narrow);
  model_free(l->model);
  arena_free(l->arena);
}

bool bench_lanes_run(BenchLanes *l) {
  return lane_run(&l->wide, 0, l->p_wide, l->times, l->count);
}

bool bench_lanes_run_scalar(BenchLanes *l) {
  bool done = true;
  for (int k = 0; k < l->sets; k++)
    done &=
        lane_run(&l->narrow, k, l->p_narrow + (size_t)k * (size_t)l->model->np, l->times, l->count);
  return done;
}

double bench_lanes_difference(const BenchLanes *l) {
  size_t wide = lane_width(&l->wide), narrow = lane_width(&l->narrow), sets = (size_t)l->sets;
  double worst = 0, most = 0;
  for (size_t k = 0; k < sets; k++)
    for (size_t i = 0; i < (size_t)l->count; i++)
      for (size_t j = 0; j < (size_t)l->wide.ode.n; j++) {
        double a = l->wide.out[i * wide + j * sets + k];
        double b = l->narrow.out[(k * (size_t)l->count + i) * narrow + j];
        worst = fmax(worst, fabs(a - b));
        most = fmax(most, fabs(b));
      }
  return worst / most;
}
