#include "closed/call.h"

#include <stdarg.h>

#include "base/c_locale.h"

SimulatorAnswer *simulator_answer_new(Arena *a, const SimulatorCall *call) {
  SimulatorAnswer *answer = ARENA_NEW(a, SimulatorAnswer);
  size_t numbers = (size_t)call->count * (size_t)call->variable_count;
  answer->values = ARENA_ARRAY(a, double, numbers + 1);
  answer->slope_part = ARENA_ARRAY(a, double, call->slope_count + 1);
  if (call->slope_count)
    answer->slopes = ARENA_ARRAY(a, double, numbers *(size_t)call->slope_count + 1);
  answer->t_end = call->origin + call->start;
  return answer;
}

bool answer_end(SimulatorAnswer *answer, Outcome outcome, double t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  answer->outcome = outcome;
  answer->t_end = t;
  c_vsnprintf(answer->message, sizeof answer->message, format, args);
  va_end(args);
  return false;
}
