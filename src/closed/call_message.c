#include "closed/call_message.h"

#include <string.h>

#include "closed/input_message.h"
#include "closed/tie.h"

// ---------------------------------------------------------------- calls

static void put_slopes(Message *m, const SimulatorCall *c) {
  put_ints(m, c->slopes, c->slope_count);
  put_numbers(m, c->slope_size, (size_t)c->slope_count);
  put_numbers(m, c->slope_low, (size_t)c->slope_count);
  put_numbers(m, c->slope_high, (size_t)c->slope_count);
  put_numbers(m, c->slope_part, (size_t)c->slope_count);
}

static void get_slopes(Message *m, Arena *a, SimulatorCall *c) {
  int count[4];
  c->slopes = get_ints(m, a, &c->slope_count);
  c->slope_size = get_numbers(m, a, &count[0]);
  c->slope_low = get_numbers(m, a, &count[1]);
  c->slope_high = get_numbers(m, a, &count[2]);
  c->slope_part = get_numbers(m, a, &count[3]);
  for (int i = 0; i < 4; i++)
    if (count[i] != c->slope_count) m->bad = true;
}

void simulator_call_put(Message *m, const SimulatorCall *c) {
  put_number(m, c->origin);
  put_number(m, c->start);
  put_numbers(m, c->times, (size_t)c->count);
  put_numbers(m, c->parameters, (size_t)c->parameter_count);
  put_bytes(m, c->given, (size_t)c->parameter_count * sizeof *c->given);
  put_int(m, c->text_count);
  for (int i = 0; i < c->text_count; i++)
    put_int(m, c->texts[i].parameter), put_text(m, c->texts[i].text);
  put_int(m, c->input_count);
  for (int i = 0; i < c->input_count; i++) input_put(m, c->inputs[i]);
  put_ints(m, c->variables, c->variable_count);
  put_slopes(m, c);
  tie_put(m, c->tie);
  put_number(m, c->rel_tol);
  put_number(m, c->abs_tol);
  put_number(m, c->max_step);
  put_int(m, c->max_steps);
  put_int(m, c->max_events);
  put_int(m, c->refined);
  put_int(m, c->solver);
  put_int(m, c->experiment);
  put_text(m, c->name);
}

static void get_texts(Message *m, Arena *a, SimulatorCall *c) {
  c->text_count = get_count(m, 2 * sizeof(long));
  CallText *texts = ARENA_ARRAY(a, CallText, c->text_count + 1);
  for (int i = 0; i < c->text_count; i++) {
    texts[i].parameter = (int)get_int(m);
    texts[i].text = get_text(m, a);
    if (texts[i].parameter < 0 || texts[i].parameter >= c->parameter_count || !texts[i].text)
      m->bad = true;
  }
  c->texts = texts;
}

static void get_inputs(Message *m, Arena *a, SimulatorCall *c) {
  c->input_count = get_count(m, sizeof(long));
  const Input **inputs = ARENA_ARRAY(a, const Input *, c->input_count + 1);
  for (int i = 0; i < c->input_count; i++) inputs[i] = input_get(m, a);
  c->inputs = inputs;
}

SimulatorCall *simulator_call_get(Message *m, Arena *a) {
  SimulatorCall *c = ARENA_NEW(a, SimulatorCall);
  c->origin = get_number(m);
  c->start = get_number(m);
  c->times = get_numbers(m, a, &c->count);
  c->parameters = get_numbers(m, a, &c->parameter_count);
  bool *given = ARENA_ARRAY(a, bool, c->parameter_count + 1);
  get_bytes(m, given, (size_t)c->parameter_count * sizeof *given);
  c->given = given;
  get_texts(m, a, c);
  get_inputs(m, a, c);
  c->variables = get_ints(m, a, &c->variable_count);
  get_slopes(m, a, c);
  c->tie = tie_get(m, a);
  c->rel_tol = get_number(m);
  c->abs_tol = get_number(m);
  c->max_step = get_number(m);
  c->max_steps = get_int(m);
  c->max_events = (int)get_int(m);
  c->refined = get_int(m) != 0;
  c->solver = (int)get_int(m);
  c->experiment = (int)get_int(m);
  c->name = get_text(m, a);
  return m->bad ? NULL : c;
}

// ---------------------------------------------------------------- answers

void simulator_answer_put(Message *m, const SimulatorCall *call, const SimulatorAnswer *answer) {
  size_t numbers = (size_t)answer->rows * (size_t)call->variable_count;
  put_int(m, answer->outcome);
  put_int(m, answer->rows);
  put_numbers(m, answer->values, numbers);
  put_int(m, answer->slopes != NULL);
  if (answer->slopes) put_numbers(m, answer->slopes, numbers * (size_t)call->slope_count);
  put_numbers(m, answer->slope_part, (size_t)call->slope_count);
  put_bytes(m, &answer->work, sizeof answer->work);
  put_int(m, answer->events);
  put_number(m, answer->t_end);
  put_text(m, answer->solver);
  put_text(m, answer->slopes_by);
  put_text(m, answer->message);
  put_text(m, answer->log);
}

static bool get_into(Message *m, double *to, size_t count) {
  if (get_int(m) != (long)count) m->bad = true;
  return !m->bad && get_bytes(m, to, count * sizeof *to);
}

static void get_fixed(Message *m, char *to, size_t size) {
  long length = get_int(m);
  if (length < 0 || (size_t)length >= size) m->bad = true;
  if (!m->bad && get_bytes(m, to, (size_t)length)) to[length] = 0;
}

bool simulator_answer_get(Message *m, const SimulatorCall *call, SimulatorAnswer *answer) {
  long outcome = get_int(m), rows = get_int(m);
  if (outcome < 0 || outcome >= OUTCOME_COUNT || rows < 0 || rows > call->count) return false;
  answer->outcome = (Outcome)outcome;
  answer->rows = (int)rows;
  size_t numbers = (size_t)rows * (size_t)call->variable_count;
  get_into(m, answer->values, numbers);
  bool slopes = get_int(m) != 0;
  if (slopes && !answer->slopes) return false;
  if (slopes) get_into(m, answer->slopes, numbers * (size_t)call->slope_count);
  if (!slopes) answer->slopes = NULL;
  get_into(m, answer->slope_part, (size_t)call->slope_count);
  get_bytes(m, &answer->work, sizeof answer->work);
  answer->events = get_int(m);
  answer->t_end = get_number(m);
  get_fixed(m, answer->solver, sizeof answer->solver);
  get_fixed(m, answer->slopes_by, sizeof answer->slopes_by);
  get_fixed(m, answer->message, sizeof answer->message);
  get_fixed(m, answer->log, sizeof answer->log);
  return !m->bad && m->next == m->length;
}
