#include "closed/closed_differences.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "closed/closed_runs.h"

enum { ENDS = 2, STEPS = 7 };
static const double USUAL_PART = 1e-4; // of the size of a parameter that changes nothing

typedef struct
    Stencil {    // one slope: weighted sum of what runs at other values give, and of the run itself
  int parameter; // of the model
  double value[ENDS], weight[ENDS], weight_here, step;
  double one_sided
      [ENDS]; // weight of each end alone with the run itself, where the other fails; 0: cannot serve
  int count;
} Stencil;

// The difference that the machine makes of it.
static double exact_step(double value, double step) {
  volatile double there = value + step;
  return there - value;
}

static Stencil stencil(const SlopeStep *s, int parameter, double value, double step, bool central) {
  double up = s->high - value, down = value - s->low, room = fmax(up, down);
  Stencil out = {.parameter = parameter, .step = step};
  if (!(room > 0)) return out; // both bounds are here
  bool both = up >= step && down >= step;
  if (central && !both) step = fmin(step, room / 2);
  if (!central) step = fmin(step, room);
  double h =
      exact_step(value, up >= down || up >= (central && !both ? 2 : 1) * step ? step : -step);
  if (h == 0) return out;
  if (!central) {
    out.count = 1;
    out.value[0] = value + h, out.weight[0] = 1 / h, out.weight_here = -1 / h;
  } else if (both) {
    out.count = 2;
    out.value[0] = value + h, out.value[1] = value - h;
    out.weight[0] = 1 / (2 * h), out.weight[1] = -1 / (2 * h);
    out.one_sided[0] = 1 / h, out.one_sided[1] = -1 / h;
  } else {
    out.count = 2;
    out.value[0] = value + h, out.value[1] = value + 2 * h;
    out.weight[0] = 2 / h, out.weight[1] = -1 / (2 * h), out.weight_here = -3 / (2 * h);
    out.one_sided[0] = 1 / h;
  }
  for (int i = 0; i < out.count; i++) // rounding must not lead beyond a bound
    out.value[i] = fmin(fmax(out.value[i], s->low), s->high);
  return out;
}

// ---------------------------------------------------------------- runs of several stencils

typedef struct DifferenceBatch {
  ClosedWork *w;
  const SimulateRequest *request;
  SimulatorAnswer **answers; // ENDS for each stencil
} DifferenceBatch;

static void count_run(ClosedRuns *runs, const SimulatorAnswer *a) {
  runs->count++;
  if (a->outcome == OUTCOME_REACHED_END || a->outcome == OUTCOME_STOPPED) return;
  runs->ended[a->outcome]++;
  runs->how = a->outcome;
  c_snprintf(runs->message, sizeof runs->message, "%.400s%s%.250s", a->message,
             a->log[0] ? "\n" : "", a->log);
}

static DifferenceBatch run_batch(ClosedWork *w, const SimulateRequest *q, const Stencil *list,
                                 int count, ClosedRuns *runs) {
  DifferenceBatch b = {w, q, ARENA_ARRAY(w->scratch, SimulatorAnswer *, ENDS * count + 1)};
  SimulatorCall **calls = ARENA_ARRAY(w->scratch, SimulatorCall *, ENDS * count + 1);
  SimulatorAnswer **answers = ARENA_ARRAY(w->scratch, SimulatorAnswer *, ENDS * count + 1);
  int np = w->work->system->model->flat->parameters.count, n = 0;
  double *p = ARENA_ARRAY(w->scratch, double, np + 1);
  memcpy(p, q->p, (size_t)np * sizeof *p);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < list[k].count; i++) {
      p[list[k].parameter] = list[k].value[i];
      calls[n] = closed_call(w, q, p);
      p[list[k].parameter] = q->p[list[k].parameter];
      answers[n] = b.answers[ENDS * k + i] = simulator_answer_new(w->scratch, calls[n]);
      n++;
    }
  closed_runs(w->simulator, (const SimulatorCall *const *)calls, answers, n);
  for (int i = 0; i < n; i++) count_run(runs, answers[i]);
  return b;
}

static bool is_whole(const SimulatorAnswer *a, int rows) {
  return a && a->outcome == OUTCOME_REACHED_END && a->rows >= rows;
}

// Numbers of the slope; false: the runs that it needs failed.
static bool slope_of(const DifferenceBatch *b, const Stencil *s, int k, const SimulatorAnswer *here,
                     double *to) {
  SimulatorAnswer *const *ends = b->answers + ENDS * k;
  size_t n = (size_t)here->rows * (size_t)b->w->variable_count;
  bool whole[ENDS] = {s->count > 0 && is_whole(ends[0], here->rows),
                      s->count > 1 && is_whole(ends[1], here->rows)};
  memset(to, 0, n * sizeof *to);
  if (s->count == 0) return true;
  double weight[ENDS] = {s->weight[0], s->weight[1]}, weight_here = s->weight_here;
  if (s->count == 2 && !(whole[0] && whole[1])) {
    for (int i = 0; i < ENDS; i++) weight[i] = whole[i] ? s->one_sided[i] : 0;
    weight_here = -weight[0] - weight[1];
    if (weight_here == 0) return false;
  } else if (!whole[0]) {
    return false;
  }
  for (int i = 0; i < s->count; i++)
    for (size_t j = 0; weight[i] != 0 && j < n; j++) to[j] += weight[i] * ends[i]->values[j];
  for (size_t j = 0; weight_here != 0 && j < n; j++) to[j] += weight_here * here->values[j];
  return true;
}

static void adopt_failure(const DifferenceBatch *b, int k, const char *name,
                          SimulatorAnswer *answer) {
  for (int i = 0; i < ENDS; i++) {
    const SimulatorAnswer *a = b->answers[ENDS * k + i];
    if (!a || a->outcome == OUTCOME_REACHED_END) continue;
    answer->outcome = a->outcome;
    answer->t_end = a->t_end;
    c_snprintf(answer->message, sizeof answer->message, "%.500s (in a run for the slope by %.100s)",
               a->message, name);
    memcpy(answer->log, a->log, sizeof answer->log);
    return;
  }
}

// ---------------------------------------------------------------- the plateau

// Squared distance of two slopes, each variable in units of its size in the run, or of its absolute tolerance where it is smaller.
// Not of its variation: what stays constant varies by the errors of the simulator alone, and these would decide.
static double distance(const ClosedWork *w, const SimulatorAnswer *here, const double *a,
                       const double *b) {
  double sum = 0;
  int n = w->variable_count;
  for (int i = 0; i < n; i++) {
    double least =
        w->options->abs_tol * w->simulator->description->variables.at[w->variables[i]].nominal;
    double squares = 0, apart = 0;
    for (int r = 0; r < here->rows; r++) {
      double y = here->values[r * n + i], d = a[r * n + i] - (b ? b[r * n + i] : 0);
      squares += fmax(y * y, least * least);
      apart += d * d;
    }
    sum += apart / (squares > 0 ? squares : 1);
  }
  return sum;
}

static double plateau(ClosedWork *w, const SimulatorAnswer *here, const DifferenceBatch *b,
                      const Stencil *list, int first, double *slopes[2]) {
  double best = HUGE_VAL, step = 0;
  bool had = false;
  for (int i = 0; i < STEPS; i++) {
    bool has = slope_of(b, &list[first + i], first + i, here, slopes[i % 2]);
    double apart = has && had ? distance(w, here, slopes[0], slopes[1]) : HUGE_VAL;
    if (apart == 0 && distance(w, here, slopes[0], NULL) == 0) apart = HUGE_VAL; // nothing changes
    if (apart < best) best = apart, step = list[first + i - 1].step;
    had = has;
  }
  return step;
}

static void choose(ClosedWork *w, const SimulateRequest *q, const SimulatorAnswer *here,
                   const int *parameters, int count, SlopeStep *const *steps, ClosedRuns *runs) {
  Stencil *list = ARENA_ARRAY(w->scratch, Stencil, STEPS * count + 1);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < STEPS; i++)
      list[STEPS * k + i] = stencil(steps[k], parameters[k], q->p[parameters[k]],
                                    steps[k]->size * pow(10, -(i + 1)), true);
  DifferenceBatch b = run_batch(w, q, list, STEPS * count, runs);
  size_t numbers = (size_t)here->rows * (size_t)w->variable_count + 1;
  double *slopes[2] = {ARENA_ARRAY(w->scratch, double, numbers),
                       ARENA_ARRAY(w->scratch, double, numbers)};
  for (int k = 0; k < count; k++) {
    double step = plateau(w, here, &b, list, STEPS * k, slopes);
    steps[k]->step = step > 0 ? step : USUAL_PART * steps[k]->size;
  }
}

// Parameters of the list that the simulator has and that need a step.
static int open_ones(const ClosedWork *w, const int *parameters, int count, const SlopeStep *steps,
                     int *open) {
  int n = 0;
  for (int k = 0; k < count; k++)
    if (!(steps[parameters[k]].step > 0) && w->parameter_of[parameters[k]] >= 0)
      open[n++] = parameters[k];
  return n;
}

void closed_choose_steps(ClosedWork *w, const SimulateRequest *q, const int *parameters, int count,
                         SlopeStep *steps, ClosedRuns *runs) {
  arena_reset(w->scratch);
  w->request = q;
  int *open = ARENA_ARRAY(w->scratch, int, count + 1);
  SlopeStep **of = ARENA_ARRAY(w->scratch, SlopeStep *, count + 1);
  int n = open_ones(w, parameters, count, steps, open);
  for (int k = 0; k < n; k++) of[k] = &steps[open[k]];
  if (!n) return;
  SimulatorCall *call = closed_call(w, q, q->p);
  SimulatorAnswer *here = simulator_answer_new(w->scratch, call);
  closed_runs(w->simulator, (const SimulatorCall *const *)&call, &here, 1);
  count_run(runs, here);
  if (here->outcome == OUTCOME_REACHED_END) choose(w, q, here, open, n, of, runs);
  for (int k = 0; k < n; k++)
    if (!(of[k]->step > 0)) of[k]->step = USUAL_PART * of[k]->size;
}

ClosedParts closed_choose_parts(ClosedWork *w, const SimulateRequest *q, SlopeStep *steps,
                                ClosedRuns *runs) {
  ClosedSlopes slopes = {.steps = steps};
  SimulateRequest with = *q;
  with.slopes = &slopes;
  arena_reset(w->scratch);
  w->request = q;
  SimulatorCall *call = closed_call(w, &with, q->p);
  closed_want_slopes(w, &with, call);
  SimulatorAnswer *here = simulator_answer_new(w->scratch, call);
  closed_runs(w->simulator, (const SimulatorCall *const *)&call, &here, 1);
  for (int k = 0; k < w->slope_count; k++)
    steps[w->work->system->columns.parameter[w->columns[k]]].part = here->slope_part[k];
  if (here->outcome != OUTCOME_REACHED_END) return CLOSED_PARTS_CHOSEN;
  if (!here->slopes) return CLOSED_PARTS_NONE;
  return closed_slopes_hold(w, &with, here, runs) ? CLOSED_PARTS_CHOSEN : CLOSED_PARTS_WRONG;
}

// ---------------------------------------------------------------- slopes of the simulator against whole runs

static const double CHECK_PART =
    1e-3; // of the size of a parameter: truncation and solver both err by about 1e-6 there
static const double SUSPECT = 3e-3; // of a slope: then all steps are tried
static const double WRONG = 0.01;   // of a slope
static const double NOISE = 10;     // times the tolerance: what two runs may differ by
static const double SURE = 5;       // times the distance of two steps: error of whole runs

typedef struct SlopeCheck {
  ClosedWork *w;
  const SimulateRequest *q;
  const SimulatorAnswer *here;
  double *own, *runs,
      *apart; // one slope: of the simulator, of whole runs, how sure these are; rows x variables
} SlopeCheck;

static double norm_of(const SlopeCheck *c, const double *values, const double *less, int variable) {
  double sum = 0;
  int n = c->w->variable_count;
  for (int r = 0; r < c->here->rows; r++) {
    double d = values[r * n + variable] - (less ? less[r * n + variable] : 0);
    sum += d * d;
  }
  return sqrt(sum);
}

// Whether some variable has another slope than whole runs say, by more than `most` of it and what they may err by themselves.
static bool contradicts(const SlopeCheck *c, double step, double most) {
  const SimulateOptions *o = c->w->options;
  for (int i = 0; i < c->w->variable_count; i++) {
    double nominal = c->w->simulator->description->variables.at[c->w->variables[i]].nominal;
    double y = norm_of(c, c->here->values, NULL, i);
    double noise = NOISE * (o->rel_tol * y + o->abs_tol * nominal * sqrt(c->here->rows)) / step;
    double sure = c->apart ? SURE * norm_of(c, c->apart, NULL, i) : 0;
    double size = fmax(norm_of(c, c->runs, NULL, i), norm_of(c, c->own, NULL, i));
    if (!(norm_of(c, c->own, c->runs, i) <= most * size + noise + sure))
      return true; // or no number
  }
  return false;
}

static void take_own(SlopeCheck *c, int column) {
  size_t n = (size_t)c->here->rows * (size_t)c->w->variable_count;
  for (size_t j = 0; j < n; j++)
    c->own[j] = c->here->slopes[j * (size_t)c->w->slope_count + (size_t)column];
}

// All steps of the plateau: is the slope wrong?
static bool is_wrong(SlopeCheck *c, int column, const SlopeStep *step, ClosedRuns *runs) {
  ClosedWork *w = c->w;
  size_t n = (size_t)c->here->rows * (size_t)w->variable_count;
  double *slopes[2] = {ARENA_ARRAY(w->scratch, double, n + 1),
                       ARENA_ARRAY(w->scratch, double, n + 1)};
  int p = w->work->system->columns.parameter[w->columns[column]];
  Stencil list[STEPS];
  for (int i = 0; i < STEPS; i++)
    list[i] = stencil(step, p, c->q->p[p], step->size * pow(10, -(i + 1)), true);
  DifferenceBatch b = run_batch(w, c->q, list, STEPS, runs);
  double chosen = plateau(w, c->here, &b, list, 0, slopes);
  for (int i = 0; i + 1 < STEPS && chosen > 0; i++) {
    if (list[i].step != chosen) continue;
    if (!slope_of(&b, &list[i], i, c->here, c->runs) ||
        !slope_of(&b, &list[i + 1], i + 1, c->here, slopes[0]))
      return false;
    c->apart = slopes[1];
    for (size_t j = 0; j < n; j++) c->apart[j] = c->runs[j] - slopes[0][j];
    return contradicts(c, chosen, WRONG);
  }
  return false;
}

bool closed_slopes_hold(ClosedWork *w, const SimulateRequest *q, const SimulatorAnswer *here,
                        ClosedRuns *runs) {
  const System *s = w->work->system;
  size_t numbers = (size_t)here->rows * (size_t)w->variable_count + 1;
  SlopeCheck c = {w,
                  q,
                  here,
                  ARENA_ARRAY(w->scratch, double, numbers),
                  ARENA_ARRAY(w->scratch, double, numbers),
                  NULL};
  Stencil *list = ARENA_ARRAY(w->scratch, Stencil, w->slope_count + 1);
  SlopeStep *steps = ARENA_ARRAY(w->scratch, SlopeStep, w->slope_count + 1);
  for (int k = 0; k < w->slope_count; k++) {
    int p = s->columns.parameter[w->columns[k]];
    steps[k] = q->slopes ? q->slopes->steps[p] : closed_default_step(w, p, q->p[p]);
    list[k] = stencil(&steps[k], p, q->p[p], CHECK_PART * steps[k].size, true);
  }
  DifferenceBatch b = run_batch(w, q, list, w->slope_count, runs);
  for (int k = 0; k < w->slope_count; k++) {
    if (list[k].count == 0 || !slope_of(&b, &list[k], k, here, c.runs)) continue;
    take_own(&c, k);
    c.apart = NULL;
    if (contradicts(&c, list[k].step, SUSPECT) && is_wrong(&c, k, &steps[k], runs)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- slopes

bool closed_differences(ClosedWork *w, const SimulateRequest *q, SimulatorAnswer *answer,
                        ClosedRuns *runs) {
  const System *s = w->work->system;
  int n = w->slope_count, vars = w->variable_count, missing = 0;
  SlopeStep *own = ARENA_ARRAY(w->scratch, SlopeStep, n + 1);
  SlopeStep **open = ARENA_ARRAY(w->scratch, SlopeStep *, n + 1);
  int *open_parameter = ARENA_ARRAY(w->scratch, int, n + 1);
  for (int k = 0; k < n; k++) {
    int p = s->columns.parameter[w->columns[k]];
    own[k] = q->slopes ? q->slopes->steps[p] : closed_default_step(w, p, q->p[p]);
    if (own[k].step > 0) continue;
    open[missing] = &own[k];
    open_parameter[missing++] = p;
  }
  if (missing) choose(w, q, answer, open_parameter, missing, open, runs);
  bool central = !q->slopes || q->slopes->difference == CLOSED_CENTRAL;
  Stencil *list = ARENA_ARRAY(w->scratch, Stencil, n + 1);
  for (int k = 0; k < n; k++) {
    int p = s->columns.parameter[w->columns[k]];
    list[k] = stencil(&own[k], p, q->p[p], own[k].step, central);
  }
  DifferenceBatch b = run_batch(w, q, list, n, runs);
  size_t numbers = (size_t)answer->rows * (size_t)vars;
  double *one = ARENA_ARRAY(w->scratch, double, numbers + 1);
  answer->slopes = ARENA_ARRAY(w->scratch, double, numbers *(size_t)n + 1);
  for (int k = 0; k < n; k++) {
    if (!slope_of(&b, &list[k], k, answer, one)) {
      const Flat *f = s->model->flat;
      adopt_failure(&b, k, f->parameters.at[list[k].parameter].name, answer);
      return false;
    }
    for (size_t j = 0; j < numbers; j++) answer->slopes[j * (size_t)n + (size_t)k] = one[j];
  }
  char why[sizeof answer->slopes_by];
  memcpy(why, answer->slopes_by, sizeof why);
  c_snprintf(answer->slopes_by, sizeof answer->slopes_by, "%s differences of whole runs%s%.80s",
             central ? "central" : "forward", why[0] ? ": " : "", why);
  return true;
}
