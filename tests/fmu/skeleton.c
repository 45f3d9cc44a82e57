#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

// ---- variables

int variable_size(const Variable *v) {
  return (v->rows ? v->rows : 1) * (v->columns ? v->columns : 1);
}

int variable_first(const Variable *v) {
  int first = 0;
  for (const Variable *before = MODEL.variables; before < v; before++)
    first += variable_size(before);
  return first;
}

static const Variable *variable_at(int first) {
  for (int k = 0; k < MODEL.count; k++)
    if (variable_first(&MODEL.variables[k]) == first) return &MODEL.variables[k];
  return NULL;
}

const Variable *model_state(int k) {
  for (int n = 0; n < MODEL.count; n++)
    if (MODEL.variables[n].derivative_of && k-- == 0) return &MODEL.variables[n];
  return NULL;
}

const Variable *model_indicator(int k) {
  for (int n = 0; n < MODEL.count; n++)
    if (MODEL.variables[n].indicator && k-- == 0) return &MODEL.variables[n];
  return NULL;
}

const char *variable_wire(const Variable *v) {
  static const char *const WIRES[] = {"Float64", "Int32", "Boolean", "String", "Int64"};
  return v->wire ? v->wire : WIRES[v->type];
}

static bool is(const char *word, const char *other) {
  return strcmp(word, other) == 0;
}

static bool may_set(const Model *m, const Variable *v) {
  bool input = is(v->causality, "input"), parameter = is(v->causality, "parameter");
  if (m->phase & (INSTANTIATED | INITIALIZING)) return input || parameter || v->exact;
  if (m->phase & (EVENT | STEPPING)) return input || (parameter && is(v->variability, "tunable"));
  return m->phase == CONTINUOUS && input && is(v->variability, "continuous");
}

const Variable *model_find(Model *m, unsigned reference, const char *wire, bool write) {
  const Variable *v = variable_at((int)(reference - FIRST_REFERENCE));
  if (!v || !is(variable_wire(v), wire)) {
    model_error(m, "no variable of type %s has the value reference %u", wire, reference);
    return NULL;
  }
  if (write && !may_set(m, v)) {
    model_error(m, "variable %s cannot be set now", v->name);
    return NULL;
  }
  if (write) m->is_stale = true;
  return v;
}

// ---- instances

void model_start(Model *m) {
  for (int n = 0, first = 0; n < MODEL.count; first += variable_size(&MODEL.variables[n++])) {
    const Variable *v = &MODEL.variables[n];
    for (int k = 0; k < variable_size(v); k++) m->v[first + k] = v->start[k];
    if (v->text) snprintf(m->text, sizeof m->text, "%s", v->text);
  }
  m->phase = INSTANTIATED;
}

static const Model *living; // of an FMU that allows one instance

bool model_enter(Model *m) {
  if (!MODEL.once) return true;
  if (living) {
    model_log(m, ERROR, "there is an instance in this process already");
    return false;
  }
  living = m;
  return true;
}

void model_leave(const Model *m) {
  if (m->phase == LOST) abort();
  if (living == m) living = NULL;
}

void model_log(Model *m, Status status, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  m->log(m, status, text);
}

Status model_error(Model *m, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  m->log(m, ERROR, text);
  m->phase = BROKEN;
  return ERROR;
}

bool model_allows(Model *m, int phases, const char *function) {
  if (m->phase & phases) return true;
  if (m->phase == LOST || (m->phase == BROKEN && strstr(function, "Terminate"))) abort();
  model_error(m, "%s is not allowed in phase %d", function, (int)m->phase);
  return false;
}

// Up to how much later or earlier an event is in a neighbour whose parameter differs a little.
bool model_may_have_event(Model *m, const char *function) {
  if (!MODEL.completes || fabs(m->completed - m->v[0]) <= 1e-5 * (1 + fabs(m->v[0]))) return true;
  model_error(m, "%s: the step to this event was not completed", function);
  return false;
}

// ---- equations

Status model_update(Model *m) {
  if (!m->is_stale || m->phase == INSTANTIATED) return OK;
  Status status = MODEL.equations(m);
  m->is_stale = status != OK;
  if (status >= ERROR) m->phase = status == FATAL ? LOST : BROKEN;
  return status;
}

Status model_begin(Model *m) {
  m->is_stale = true;
  Status status = MODEL.begin ? MODEL.begin(m) : OK;
  return status == OK ? model_update(m) : status;
}

bool model_handle_event(Model *m) {
  m->is_stale = true;
  return MODEL.event && MODEL.event(m);
}

double model_next(const Model *m) {
  return MODEL.next ? MODEL.next(m) : (double)INFINITY;
}

// The places of the values in Model.v, at most so many; -1: a reference is wrong.
static int places_of(Model *m, const unsigned *references, size_t count, int *places) {
  int n = 0;
  for (size_t k = 0; k < count; k++) {
    const Variable *v = model_find(m, references[k], "Float64", false);
    if (!v || n + variable_size(v) > VALUES_MOST) return -1;
    for (int e = 0; e < variable_size(v); e++) places[n++] = variable_first(v) + e;
  }
  return n;
}

Status model_directional(Model *m, const unsigned *unknowns, size_t unknown_count,
                         const unsigned *knowns, size_t known_count, const double *seed,
                         size_t seed_count, double *sensitivity, size_t sensitivity_count) {
  int of[VALUES_MOST], by[VALUES_MOST];
  int of_count = places_of(m, unknowns, unknown_count, of);
  int by_count = places_of(m, knowns, known_count, by);
  if (!MODEL.partial || of_count != (int)sensitivity_count || by_count != (int)seed_count)
    return model_error(m, "wrong directional derivatives");
  for (int i = 0; i < of_count; i++) {
    sensitivity[i] = 0;
    for (int k = 0; k < by_count; k++) sensitivity[i] += MODEL.partial(m, of[i], by[k]) * seed[k];
  }
  return OK;
}

// ---- states

typedef struct States {
  int count;
  double *x[STATES_MOST], *dx[STATES_MOST]; // in Model.v
} States;

static States states_of(Model *m) {
  States s = {0};
  const Variable *v;
  for (int k = 0; (v = model_state(k)); k++)
    for (int e = 0; e < variable_size(v); e++) {
      s.dx[s.count] = &m->v[variable_first(v) + e];
      s.x[s.count++] = &m->v[v->derivative_of + e];
    }
  return s;
}

size_t model_state_count(Model *m) {
  return (size_t)states_of(m).count;
}

size_t model_indicator_count(void) {
  size_t count = 0;
  while (model_indicator((int)count)) count++;
  return count;
}

Status model_get_states(Model *m, double *x, double *dx, size_t nx) {
  States s = states_of(m);
  if (nx != (size_t)s.count) return model_error(m, "there are %d states, not %zu", s.count, nx);
  Status status = dx ? model_update(m) : OK;
  for (int k = 0; k < s.count; k++) {
    if (x) x[k] = *s.x[k];
    if (dx) dx[k] = *s.dx[k];
  }
  return status;
}

Status model_set_states(Model *m, const double *x, size_t nx) {
  States s = states_of(m);
  if (nx != (size_t)s.count) return model_error(m, "there are %d states, not %zu", s.count, nx);
  for (int k = 0; k < s.count; k++) *s.x[k] = x[k];
  m->is_stale = true;
  return OK;
}

Status model_get_indicators(Model *m, double *z, size_t nz) {
  if (nz != model_indicator_count())
    return model_error(m, "there are %zu indicators, not %zu", model_indicator_count(), nz);
  Status status = model_update(m);
  for (size_t k = 0; k < nz; k++) z[k] = m->v[variable_first(model_indicator((int)k))];
  return status;
}

// ---- co-simulation

// dx at x0 + h k
static Status slopes(Model *m, const States *s, const double *x0, double t0, double h,
                     const double *k, double *dx) {
  for (int i = 0; i < s->count; i++) *s->x[i] = x0[i] + h * k[i];
  m->v[0] = t0 + h;
  Status status = MODEL.equations(m);
  for (int i = 0; i < s->count; i++) dx[i] = *s->dx[i];
  return status;
}

// One step of Euler or of Runge and Kutta from x0; evaluates the equations at its end.
static Status take(Model *m, const States *s, const double *x0, double t0, double h) {
  double k[4][STATES_MOST], sum[STATES_MOST] = {0};
  Status status = slopes(m, s, x0, t0, 0, sum, k[0]);
  for (int i = 0; i < s->count; i++) sum[i] = k[0][i];
  if (!MODEL.euler) {
    if (status == OK) status = slopes(m, s, x0, t0, h / 2, k[0], k[1]);
    if (status == OK) status = slopes(m, s, x0, t0, h / 2, k[1], k[2]);
    if (status == OK) status = slopes(m, s, x0, t0, h, k[2], k[3]);
    for (int i = 0; i < s->count; i++) sum[i] = (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
  }
  double ignored[STATES_MOST];
  return status == OK ? slopes(m, s, x0, t0, h, sum, ignored) : status;
}

static int signs(const Model *m) { // of the indicators, as bits
  int bits = 0;
  const Variable *v;
  for (int k = 0; (v = model_indicator(k)); k++)
    if (m->v[variable_first(v)] > 0) bits |= 1 << k;
  return bits;
}

// A step of at most h that ends right behind the first state event.
static Status advance(Model *m, const States *s, double h, double *done, bool *event) {
  double x0[STATES_MOST], t0 = m->v[0], low = 0;
  for (int i = 0; i < s->count; i++) x0[i] = *s->x[i];
  Status status = MODEL.equations(m);
  int before = signs(m);
  if (status == OK) status = take(m, s, x0, t0, h);
  *event = status == OK && signs(m) != before;
  *done = h;
  for (int k = 0; *event && k < 60 && status == OK; k++) {
    double middle = (low + *done) / 2;
    status = take(m, s, x0, t0, middle);
    if (signs(m) != before)
      *done = middle;
    else
      low = middle;
  }
  if (*event && status == OK) status = take(m, s, x0, t0, *done);
  if (status != OK) { // back to where it was
    for (int i = 0; i < s->count; i++) *s->x[i] = x0[i];
    m->v[0] = t0;
  }
  return status;
}

// All events up to the time `to`, which is one internal step ahead.
static Status step_through(Model *m, const States *s, double to) {
  Status status = OK;
  for (int events = 0; m->v[0] < to && status == OK && !m->terminate; events++) {
    if (events > 1000) return model_error(m, "too many events");
    double next = model_next(m), end = fmin(next, to), done;
    bool event = false;
    if (end > m->v[0]) status = advance(m, s, end - m->v[0], &done, &event);
    if (status != OK) return status;
    if (!event) m->v[0] = end;
    if (event || end >= next) model_handle_event(m);
  }
  return status;
}

Status model_step(Model *m, double t, double h) {
  if (fabs(t - m->v[0]) > 1e-9 * (1 + fabs(t)))
    return model_error(m, "a step from %g, but the time is %g", t, m->v[0]);
  States s = states_of(m);
  double inner = MODEL.step_variable ? m->v[MODEL.step_variable] : MODEL.step;
  int count = (int)fmax(1, ceil(h / inner - 1e-9));
  Status status = OK;
  for (int k = 1; k <= count && status == OK && !m->terminate; k++)
    status = step_through(m, &s, k < count ? t + h * k / count : t + h);
  m->last = m->v[0];
  if (status == OK) {
    m->is_stale = true;
    return model_update(m);
  }
  m->phase = status == DISCARD ? STEP_FAILED : status == FATAL ? LOST : BROKEN;
  return status;
}
