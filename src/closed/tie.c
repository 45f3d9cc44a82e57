#include "closed/tie.h"

#include "closed/input_message.h"

void tie_put(Message *m, const Tie *t) {
  put_int(m, t != NULL);
  if (!t) return;
  const Program *p = &t->program;
  put_int(m, p->count);
  put_bytes(m, p->code, (size_t)p->count * sizeof *p->code);
  put_numbers(m, p->constants, (size_t)p->constant_count);
  for (int i = 0; i < SEGMENTS; i++) put_int(m, p->input_counts[i]);
  put_int(m, p->result_count);
  put_int(m, p->work_count);
  put_ints(m, t->acting, t->acting_count);
  put_ints(m, t->reads, t->read_count);
  put_int(m, t->own_count);
  put_int(m, t->slope_count);
  put_int(m, t->signal_count);
  for (int i = 0; i < t->signal_count; i++) input_put(m, t->signals[i]);
  put_numbers(m, t->parameters, (size_t)t->parameter_count);
}

// Sizes that belong together; the instructions themselves come from this library in another process of the same user.
static bool fits(const Tie *t) {
  const Program *p = &t->program;
  int states = t->read_count + t->own_count;
  return p->input_counts[0] <= 1 + t->signal_count + t->parameter_count &&
         p->input_counts[1] <= states && p->input_counts[2] == 0 &&
         p->result_count == t->acting_count * (1 + states + t->slope_count);
}

Tie *tie_get(Message *m, Arena *a) {
  if (!get_int(m)) return NULL;
  Tie *t = ARENA_NEW(a, Tie);
  Program *p = &t->program;
  p->count = get_count(m, sizeof *p->code);
  p->code = ARENA_RAW(a, Instr, p->count + 1);
  get_bytes(m, p->code, (size_t)p->count * sizeof *p->code);
  p->constants = get_numbers(m, a, &p->constant_count);
  for (int i = 0; i < SEGMENTS; i++) p->input_counts[i] = (int)get_int(m);
  p->result_count = (int)get_int(m);
  p->work_count = (int)get_int(m);
  t->acting = get_ints(m, a, &t->acting_count);
  t->reads = get_ints(m, a, &t->read_count);
  t->own_count = (int)get_int(m);
  t->slope_count = (int)get_int(m);
  t->signal_count = get_count(m, sizeof(long));
  const Input **signals = ARENA_ARRAY(a, const Input *, t->signal_count + 1);
  for (int i = 0; i < t->signal_count; i++) {
    signals[i] = input_get(m, a);
    if (!signals[i]) m->bad = true;
  }
  t->signals = signals;
  t->parameters = get_numbers(m, a, &t->parameter_count);
  if (!fits(t)) m->bad = true;
  return m->bad ? NULL : t;
}
