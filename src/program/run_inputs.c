#include "program/run_inputs.h"

#include <math.h>
#include <string.h>

#include "program/template.h"
#include "simulate/input.h"

typedef struct InputRows {
  const SimulatorCall *call;
  int next; // time of the call that comes next
  Text *out;
} InputRows;

static void add_name(Text *out, const char *name) {
  text_add(out, ",");
  if (!strpbrk(name, ",;\t\"# ")) {
    text_add(out, name);
    return;
  }
  text_add(out, "\"");
  for (const char *c = name; *c; c++) {
    if (*c == '"') text_add(out, "\"");
    text_add_bytes(out, c, 1);
  }
  text_add(out, "\"");
}

static void add_header(Text *out, const SimulatorCall *call, const char *const *names) {
  text_add(out, "time");
  for (int i = 0; i < call->input_count; i++)
    if (call->inputs[i]) add_name(out, names[i]);
  text_add(out, "\n");
}

// The row of the pieces that end (direction -1) or begin (+1) at t.
static void add_row(InputRows *r, double t, int direction) {
  text_add_number(r->out, r->call->origin + t);
  for (int i = 0; i < r->call->input_count; i++) {
    const Input *in = r->call->inputs[i];
    if (!in) continue;
    int piece = input_piece(in, t, direction);
    double value;
    input_eval(in, t, &piece, &value, NULL);
    text_add(r->out, ",");
    text_add_number(r->out, value);
  }
  text_add(r->out, "\n");
}

static bool jumps(const SimulatorCall *call, double t) {
  for (int i = 0; i < call->input_count; i++) {
    const Input *in = call->inputs[i];
    if (!in || !input_jumps(in)) continue;
    int before = input_piece(in, t, -1);
    double value;
    input_eval(in, t, &before, &value, NULL);
    if (value != input_value(in, t)) return true;
  }
  return false;
}

static bool has_spline(const SimulatorCall *call) {
  for (int i = 0; i < call->input_count; i++)
    if (call->inputs[i] && input_kind(call->inputs[i]) == INPUT_SPLINE &&
        input_is_sampled(call->inputs[i]))
      return true;
  return false;
}

// The first time after t that needs a row; HUGE_VAL: there is none.
static double next_time(InputRows *r, double t) {
  const SimulatorCall *call = r->call;
  while (r->next < call->count && call->times[r->next] <= t) r->next++;
  double next = r->next < call->count ? call->times[r->next] : HUGE_VAL;
  for (int i = 0; i < call->input_count; i++)
    if (call->inputs[i]) next = fmin(next, input_next_break(call->inputs[i], t, 0));
  return next;
}

void run_inputs_write(const SimulatorCall *call, const char *const *names, Text *out) {
  InputRows r = {.call = call, .out = out};
  bool curved = has_spline(call);
  double stop = call_stop(call);
  add_header(out, call, names);
  add_row(&r, call->start, +1);
  for (double t = call->start, next; (next = next_time(&r, t)) <= stop; t = next) {
    for (int k = 1; curved && k < INPUT_STRETCHES; k++)
      add_row(&r, t + (next - t) * k / INPUT_STRETCHES, +1);
    if (jumps(call, next)) add_row(&r, next, -1);
    add_row(&r, next, +1);
  }
}
