#include "study/check_constraints.h"

#include <math.h>

#include "model/system.h"

static const char TOPIC[] = "constraints";
// A larger residual of a condition is more than rounding; relative to what the states can change in it.
static const double MISS_MOST = 1e-6;
static const double IDENTITY_MOST = 1e-6; // the same for its change with a parameter
enum { LINES_IN_A_SENTENCE = 8, STATES_TO_NAME = 8 };

static const char *plural(int n) {
  return n == 1 ? "" : "s";
}

// ---------------------------------------------------------------- what they are

static bool is_first_level(const Model *m, int i) {
  return i == 0 || m->invariants[i - 1].equation != m->invariants[i].equation;
}

static int count_constraints(const Model *m, bool redundant) {
  int count = 0;
  for (int i = 0; i < m->invariant_count; i++)
    count += is_first_level(m, i) && m->invariants[i].redundant >= redundant;
  return count;
}

// "line 9", "lines 9, 10 and 12"
static const char *lines_in_words(Check *c, bool redundant) {
  const Model *m = c->problem->model;
  int all = count_constraints(m, redundant), count = 0;
  Text t;
  text_init(&t);
  text_add(&t, all == 1 ? "line " : "lines ");
  for (int i = 0; i < m->invariant_count; i++) {
    if (!is_first_level(m, i) || m->invariants[i].redundant < redundant) continue;
    if (count++ == LINES_IN_A_SENTENCE) break;
    text_print(&t, "%s%d",
               count == 1     ? ""
               : count == all ? " and "
                              : ", ",
               m->flat->equations.at[m->invariants[i].equation].line);
  }
  if (all > LINES_IN_A_SENTENCE) text_add(&t, ", ...");
  const char *copy = arena_copy(c->arena, t.at, t.length);
  text_done(&t);
  return copy;
}

static void describe(Check *c) {
  const Model *m = c->problem->model;
  int free = m->nx, count = count_constraints(m, false), redundant = count_constraints(m, true);
  for (int i = 0; i < m->invariant_count; i++) free -= !m->invariants[i].redundant;
  check_add(c, FINDING_GOOD, TOPIC,
            "The model has index %d: %d constraint%s (%s) and %s derivatives leave %d of the %d "
            "state%s free.",
            m->index, count, plural(count), lines_in_words(c, false), count == 1 ? "its" : "their",
            free, m->nx, plural(m->nx));
  if (redundant)
    check_add(c, FINDING_NOTE, TOPIC,
              "The constraint%s in %s follow%s from the others. The motion is unique all the same; "
              "multipliers are not, and the smallest ones are given: do not measure them.",
              plural(redundant), lines_in_words(c, true), redundant == 1 ? "s" : "");
}

// ---------------------------------------------------------------- start values

typedef struct StartCheck {
  Check *c;
  System *system;
  SystemWork *work;
  const Experiment *experiment;
  double *p, *y;
} StartCheck;

static void read_inputs(void *data, double t, double *u, double *du) {
  const StartCheck *s = data;
  for (int i = 0; i < s->system->nu; i++) {
    int piece = input_piece(s->experiment->inputs[i], t, 1);
    input_eval_all(&s->experiment->inputs[i], 1, t, &piece, &u[i], &du[i], s->system->nu);
  }
}

static void put_parameters(StartCheck *s, int experiment) {
  const Problem *p = s->c->problem;
  memcpy(s->p, s->experiment->p, (size_t)p->model->np * sizeof *s->p);
  for (int i = 0; i < p->unknown_count; i++)
    if (p->unknowns[i].experiment < 0 || p->unknowns[i].experiment == experiment)
      s->p[p->unknowns[i].parameter] = p->unknowns[i].start;
  system_set_origin(s->work, s->experiment->origin);
  system_set_parameters(s->work, s->p);
}

// Its start attribute as it holds in the experiment.
static double given_start(const StartCheck *s, int variable) {
  Flat *f = s->c->problem->model->flat;
  for (int k = 0; k < f->parameters.count; k++)
    if (f->parameters.at[k].is_start && f->parameters.at[k].variable == variable &&
        !f->parameters.at[k].dependent)
      return s->p[k];
  return flat_value(f, f->variables.at[variable].start);
}

// "y from 0 to -0.8, vx from 1 to 0.6": states that begin elsewhere than at their start values.
static const char *moved_states(StartCheck *s) {
  const Model *m = s->c->problem->model;
  int count = 0;
  Text t;
  text_init(&t);
  for (int i = 0; i < m->nx; i++) {
    const Variable *v = &m->flat->variables.at[m->state[i]];
    double given = given_start(s, m->state[i]);
    if (v->fixed || !(fabs(s->y[i] - given) > MISS_MOST * fmax(fabs(given), fabs(v->nominal))))
      continue;
    if (count++ >= STATES_TO_NAME) continue;
    text_print(&t, "%s%s from %.4g to %.4g", count > 1 ? ", " : "", v->name, given, s->y[i]);
  }
  if (count > STATES_TO_NAME) text_print(&t, " and %d more", count - STATES_TO_NAME);
  const char *copy = arena_copy(s->c->arena, t.at, t.length);
  text_done(&t);
  return copy;
}

typedef struct Miss {
  int condition; // -1: there is none
  double residual, relative;
} Miss;

// The condition with the largest residual at the start; NaN is the worst.
static Miss worst_miss(const StartCheck *s) {
  Miss worst = {-1, 0, 0};
  for (int i = 0; i < s->c->problem->model->condition_count && !isnan(worst.relative); i++) {
    double residual, size;
    system_condition(s->work, i, &residual, &size);
    double relative = residual == 0 ? 0 : fabs(residual) / size;
    if (worst.condition < 0 || !(relative <= worst.relative)) worst = (Miss){i, residual, relative};
  }
  return worst;
}

static const char *where(const StartCheck *s) {
  const Problem *p = s->c->problem;
  return p->experiment_count == 1 ? "" : arena_print(s->c->arena, "%s: ", s->experiment->name);
}

static void tell_contradiction(StartCheck *s, const Miss *miss) {
  const Model *m = s->c->problem->model;
  const StartCondition *at = &m->conditions[miss->condition];
  if (isfinite(miss->residual) && at->without_slope >= 0)
    check_add(
        s->c, FINDING_ERROR, TOPIC,
        "%sThe start values contradict the %s in line %s: its sides differ by %.4g. %s starts "
        "where it does not depend on %s: give it a rough start value.",
        where(s), at->invariant < 0 ? "initial condition" : "constraint",
        flat_line(m->flat, at->line).at, miss->residual,
        m->flat->variables.at[m->state[at->without_slope]].name,
        m->flat->variables.at[m->state[at->without_slope]].name);
  else if (isfinite(miss->residual))
    check_add(
        s->c, FINDING_ERROR, TOPIC,
        "%sThe start values contradict the %s in line %s: its sides differ by %.4g. Fix fewer "
        "start values, or others.",
        where(s), at->invariant < 0 ? "initial condition" : "constraint",
        flat_line(m->flat, at->line).at, miss->residual);
  else
    check_add(
        s->c, FINDING_ERROR, TOPIC,
        "%sNo start values were found that satisfy the constraints. Give better 'start' values, "
        "or check whether the constraints contradict each other.",
        where(s));
}

// What the states can change in an invariant.
static double size_of(const StartCheck *s, int invariant) {
  const Model *m = s->c->problem->model;
  const SparsePart *g_x = &s->system->sparse.g_x;
  double size = 0;
  for (int e = g_x->pattern.start[invariant]; e < g_x->pattern.start[invariant + 1]; e++) {
    int i = g_x->pattern.column[e];
    double nominal = m->flat->variables.at[m->state[i]].nominal;
    size += fabs(s->work->invariant_out[g_x->at + e]) * (fabs(s->y[i]) + fabs(nominal));
  }
  return size;
}

// g_x s + g_p: how an invariant at the start changes with a parameter. 0 where the start values follow it.
static double change_of(const StartCheck *s, int invariant, int column) {
  const System *t = s->system;
  const double *out = s->work->invariant_out, *S = s->y + t->nx;
  double sum = 0;
  for (int e = t->sparse.g_x.pattern.start[invariant];
       e < t->sparse.g_x.pattern.start[invariant + 1]; e++)
    sum += out[t->sparse.g_x.at + e] * S[t->sparse.g_x.pattern.column[e] * t->stride + column];
  for (int e = t->sparse.g_p.pattern.start[invariant];
       e < t->sparse.g_p.pattern.start[invariant + 1]; e++)
    if (t->sparse.g_p.pattern.column[e] == column) sum += out[t->sparse.g_p.at + e];
  return sum;
}

// Fixed start values may satisfy a constraint at the present values of the unknowns only.
static bool start_follows(StartCheck *s) {
  const Model *m = s->c->problem->model;
  system_invariant_sens(s->work, s->experiment->start, s->y);
  for (int i = 0; i < m->invariant_count; i++)
    for (int k = 0; k < s->system->ns; k++) {
      int parameter = s->system->columns.parameter[k];
      const char *name = m->flat->parameters.at[parameter].name;
      double p = s->p[parameter] != 0 ? fabs(s->p[parameter]) : 1;
      if (fabs(change_of(s, i, k)) * p <= IDENTITY_MOST * size_of(s, i)) continue;
      check_add(
          s->c, FINDING_ERROR, TOPIC,
          "%sThe start values satisfy the constraint in line %s only at this value of %s, which "
          "is estimated. Leave a start value free (without fixed = true), or let it follow from "
          "%s.",
          where(s), flat_line(m->flat, m->flat->equations.at[m->invariants[i].equation].line).at,
          name, name);
      return false;
    }
  return true;
}

static void check_one(StartCheck *s, int experiment) {
  put_parameters(s, experiment);
  system_start(s->work, s->experiment->start, s->y);
  Miss miss = worst_miss(s);
  if (miss.condition >= 0 && !(miss.relative <= MISS_MOST)) {
    tell_contradiction(s, &miss);
    return;
  }
  if (!start_follows(s)) return;
  const char *moved = moved_states(s);
  const char *how =
      miss.residual == 0 ? "exactly" : arena_print(s->c->arena, "to %.1e", fabs(miss.residual));
  check_add(s->c, FINDING_GOOD, TOPIC, "%sThe start values satisfy the constraints %s%s%s.",
            where(s), how, moved[0] ? ", after these moved to the nearest that do: " : "", moved);
}

static void check_start(Check *c) {
  Model *m = c->problem->model;
  int *parameters = ARENA_ARRAY(c->arena, int, m->np + 1);
  SystemSpec spec = {.parameters = parameters, .lanes = 1, .code = CODE_INTERPRETER};
  spec.parameter_count = problem_unknown_parameters(c->problem, parameters);
  StartCheck s = {.c = c, .system = system_new(m, &spec)};
  s.work = system_work_new(s.system);
  s.p = ARENA_ARRAY(c->arena, double, m->np + 1);
  s.y = ARENA_ARRAY(c->arena, double, m->nx *(1 + s.system->stride) + 1);
  s.work->inputs = read_inputs;
  s.work->inputs_data = &s;
  for (int e = 0; e < c->problem->experiment_count; e++) {
    s.experiment = &c->problem->experiments[e];
    check_one(&s, e);
  }
  system_work_free(s.work);
  system_free(s.system);
}

void check_constraints(Check *c) {
  if (!c->problem->model->invariant_count) return;
  describe(c);
  check_start(c);
}
