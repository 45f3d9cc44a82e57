// A simulation from a record is, bit by bit, the one that was made, with all that it left behind.
#include "residual/recorded.h"

#include <string.h>

#include "record_trial.h"
#include "swings.h"

static const double ESCAPES[] = {-1, -0.05}; // the motion goes to infinity, after a while

enum { EXPERIMENTS = 2, MOST_COLUMNS = 6 };

typedef struct Made { // a simulation, and what it left behind
  EvalEnd end;
  int columns, rows;
  double column[MOST_COLUMNS][DUFFING_SAMPLES];
  WorkCount used;
  Trajectory trajectory;
  InvariantViolation violation;
  char solver[48], message[1304], remark[700];
  FailedSimulation failed[OUTCOME_COUNT];
} Made;

typedef struct Swing {
  Hand *hand;
  Evaluation *evaluation;
} Swing;

// Steps so short that it takes long enough to be recorded.
static Swing swing_new(double max_step) {
  Swing s = {duffing(EXPERIMENTS, 0), NULL};
  s.hand->problem.simulate.max_step = max_step;
  s.evaluation = evaluation_new(&s.hand->problem);
  s.evaluation->budget.failed = failed_simulations_new(s.hand->arena, s.evaluation->fitting->n);
  return s;
}

static void swing_free(Swing *s) {
  evaluation_free(s->evaluation);
  hand_done(s->hand);
}

typedef struct Wanted {
  double max_step; // s
  const double *x;
  int experiment;
  bool slopes;
  bool uncounted; // nobody wants to know what it cost
} Wanted;

// In a record (NULL: without), with scratch of its own.
static Made simulate_swing(MemoryRecord *m, Wanted q) {
  int e = q.experiment;
  Swing s = swing_new(q.max_step);
  SimulationWork *w = simulation_work_new(s.evaluation->fitting, NULL);
  EvalSpec spec = s.evaluation->spec;
  spec.slopes = q.slopes;
  if (q.uncounted) spec.budget = NULL;
  ModelRun *r = simulation_set(w, &spec, e, q.x);
  const CompiledModel *c = r->compiled;
  Made made = {.columns = c->outputs * (1 + (q.slopes ? c->parameter_count : 0)),
               .rows = simulation_rows(w, &spec, e)};
  assert_int_equal(made.columns, q.slopes ? MOST_COLUMNS : 2);
  assert_int_equal(made.rows, DUFFING_SAMPLES);
  for (int k = 0; k < made.columns; k++)
    for (int i = 0; i < made.rows; i++) r->column[k][i] = 77; // all of it is written
  if (m) memory_again(m), record_begin(&m->record);
  made.end = recorded_simulation(w, &spec, r, e, q.slopes, 0);
  if (m) record_end(&m->record);
  for (int k = 0; made.end == EVAL_DONE && k < made.columns; k++)
    memcpy(made.column[k], r->column[k], sizeof made.column[k]);
  made.used = s.evaluation->budget.used;
  made.trajectory = r->trajectory;
  made.violation = w->violation;
  memcpy(made.solver, w->solver, sizeof made.solver);
  memcpy(made.message, w->message, sizeof made.message);
  memcpy(made.remark, w->remark, sizeof made.remark);
  memcpy(made.failed, s.evaluation->budget.failed, sizeof made.failed);
  simulation_work_free(w);
  swing_free(&s);
  return made;
}

// seconds: those of the clock are compared, too.
static void assert_same(const Made *a, const Made *b, bool seconds) {
  assert_int_equal(a->end, b->end);
  assert_int_equal(a->columns, b->columns);
  assert_memory_equal(a->column, b->column, sizeof a->column);
  WorkCount x = a->used, y = b->used;
  if (!seconds) x.seconds = y.seconds = 0;
  assert_memory_equal(&x, &y, sizeof x);
  const Trajectory *t = &a->trajectory, *u = &b->trajectory;
  assert_int_equal(t->outcome, u->outcome);
  assert_int_equal(t->rows, u->rows);
  assert_int_equal(t->with_sens, u->with_sens);
  assert_memory_equal(&t->work, &u->work, sizeof t->work);
  assert_int_equal(t->events, u->events);
  assert_memory_equal(&t->t_end, &u->t_end, sizeof t->t_end);
  assert_int_equal(t->violation_of, u->violation_of);
  assert_string_equal(t->solver, u->solver);
  assert_string_equal(t->message, u->message);
  assert_string_equal(t->log, u->log);
  assert_memory_equal(&a->violation, &b->violation, sizeof a->violation);
  assert_string_equal(a->solver, b->solver);
  assert_string_equal(a->message, b->message);
  assert_string_equal(a->remark, b->remark);
  for (int how = 0; how < OUTCOME_COUNT; how++) {
    assert_int_equal(a->failed[how].seen, b->failed[how].seen);
    assert_string_equal(a->failed[how].message, b->failed[how].message);
  }
}

static const double SLOW = 1e-5, QUICK = 0.1; // s, longest steps

static void a_recorded_simulation_is_the_one_that_was_made(void **state) {
  (void)state;
  for (int slopes = 0; slopes < 2; slopes++) {
    int e = slopes;
    MemoryRecord *m = memory_record_new();
    Made plain = simulate_swing(NULL, (Wanted){SLOW, DUFFING_TRUTH, e, slopes, false});
    Made first = simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, e, slopes, false});
    assert_int_equal(m->adds, 1);
    assert_string_equal(m->items[0].kind, "simulation");
    m->items[0].seconds = 0;
    Made again = simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, e, slopes, false});
    assert_int_equal(m->adds, 0); // it was not made
    assert_int_equal(plain.end, EVAL_DONE);
    assert_true(plain.used.steps > 1000);
    assert_int_equal(work_count_simulations(&plain.used), 1);
    assert_same(&first, &plain, false);
    assert_same(&again, &first, true);
    memory_record_free(m);
  }
}

static void a_failure_is_replayed_with_its_words(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  Made first = simulate_swing(m, (Wanted){SLOW, ESCAPES, 0, false, false});
  assert_int_equal(m->adds, 1);
  Made again = simulate_swing(m, (Wanted){SLOW, ESCAPES, 0, false, false});
  assert_int_equal(m->adds, 0);
  assert_int_equal(first.end, EVAL_FAILED);
  assert_true(strlen(first.message) > 10);
  assert_same(&again, &first, true);
  memory_record_free(m);
}

// Unless the machine has something else to do meanwhile.
static void quick_ones_are_made_again(void **state) {
  (void)state;
  bool seen = false;
  for (int attempt = 0; attempt < 100 && !seen; attempt++) {
    MemoryRecord *m = memory_record_new();
    Made first = simulate_swing(m, (Wanted){QUICK, DUFFING_TRUTH, 0, false, true});
    assert_int_equal(m->record.next, 1); // the number is used up all the same
    seen = m->adds == 0;
    Made again = simulate_swing(m, (Wanted){QUICK, DUFFING_TRUTH, 0, false, true});
    assert_same(&again, &first, false);
    memory_record_free(m);
  }
  assert_true(seen);
}

static void other_simulations_are_other_questions(void **state) {
  (void)state;
  static const double NEAR[] = {2, 0.5 + 1e-15};
  MemoryRecord *m = memory_record_new();
  simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, 0, false, false});
  assert_true(m->items[0].there);
  assert_int_equal(simulate_swing(m, (Wanted){SLOW, NEAR, 0, false, false}).end, EVAL_STOPPED);
  assert_int_equal(simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, 1, false, false}).end,
                   EVAL_STOPPED);
  assert_int_equal(simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, 0, true, false}).end,
                   EVAL_STOPPED);
  assert_int_equal(simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, 0, false, false}).end,
                   EVAL_DONE);
  memory_record_free(m);
}

static void a_damaged_answer_stops(void **state) {
  (void)state;
  MemoryRecord *m = memory_record_new();
  simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, 0, false, false});
  assert_true(m->items[0].there);
  size_t whole = m->items[0].length;
  for (size_t length = 8; length < whole; length += whole / 7) {
    m->items[0].length = length;
    assert_int_equal(simulate_swing(m, (Wanted){SLOW, DUFFING_TRUTH, 0, false, false}).end,
                     EVAL_STOPPED);
  }
  memory_record_free(m);
}

static void every_number_of_a_spec_changes_its_digest(void **state) {
  (void)state;
  Swing s = swing_new(QUICK);
  EvalSpec usual = s.evaluation->spec, other[8];
  for (int k = 0; k < 8; k++) other[k] = usual;
  other[0].lambda += 0.5;
  other[1].strength += 0.5;
  other[2].horizon /= 2;
  other[3].abandon_above = 7;
  other[4].step_limit = 7;
  other[5].quick = !usual.quick;
  other[6].slopes = !usual.slopes;
  other[7].free_run = !usual.free_run;
  uint64_t digest = eval_spec_digest(&usual, 5);
  assert_true(eval_spec_digest(&usual, 5) == digest);
  assert_true(eval_spec_digest(&usual, 6) != digest);
  for (int k = 0; k < 8; k++) assert_true(eval_spec_digest(&other[k], 5) != digest);
  swing_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recorded_simulation_is_the_one_that_was_made),
      cmocka_unit_test(a_failure_is_replayed_with_its_words),
      cmocka_unit_test(quick_ones_are_made_again),
      cmocka_unit_test(other_simulations_are_other_questions),
      cmocka_unit_test(a_damaged_answer_stops),
      cmocka_unit_test(every_number_of_a_spec_changes_its_digest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
