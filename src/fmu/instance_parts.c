#include "fmu/instance_parts.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "base/visible.h"

int instance_note(FmuInstance *i, const char *function, int status) {
  if (status == fmi3Warning) status = fmi3OK;
  if (status < fmi3OK || status > fmi3Fatal) status = fmi3Error;
  if (status > i->status) {
    i->status = status;
    i->failed = function;
  }
  return status;
}

int instance_refuse(FmuInstance *i, const char *function, const char *format, ...) {
  char line[400];
  va_list args;
  va_start(args, format);
  c_vsnprintf(line, sizeof line, format, args);
  va_end(args);
  instance_log(i, line);
  return instance_note(i, function, fmi3Error);
}

// Whole lines from the beginning, until `more` bytes have room.
static void forget_lines(FmuInstance *i, size_t more) {
  while (i->log_length && i->log_length + more > INSTANCE_LOG_MOST) {
    const char *end = memchr(i->log, '\n', i->log_length);
    size_t gone = end ? (size_t)(end - i->log) + 1 : i->log_length;
    i->log_length -= gone;
    memmove(i->log, i->log + gone, i->log_length);
  }
}

void instance_log(FmuInstance *i, const char *line) {
  char text[INSTANCE_LOG_MOST + 1];
  c_snprintf(text, sizeof text, "%s", line ? line : "");
  visible_fixed(text, sizeof text);
  size_t length = strlen(text);
  while (length && text[length - 1] == '\n') length--;
  forget_lines(i, length + 1);
  if (i->log_length) i->log[i->log_length++] = '\n';
  memcpy(i->log + i->log_length, text, length);
  i->log_length += length;
  i->log[i->log_length] = 0;
}

typedef struct WireRange {
  double least, most;
} WireRange;

static const WireRange RANGES[] = {
#define NUMBER(WIRE, Type, least, most) [FMU_WIRE_##WIRE] = {least, most},
    FMI3_NUMBERS(NUMBER)
#undef NUMBER
};

bool instance_part_fits(FmuInstance *i, const FmuPart *part, const double *values) {
  WireRange range = RANGES[part->wire];
  if (isinf(range.most)) return true;
  for (int k = 0; k < part->count; k++) {
    double value = values[part->place[k]];
    if (value >= range.least && value <= range.most && value == rint(value)) continue;
    const FmuVariable *v = &i->library->description->variables.at[part->variable[k]];
    char digits[32];
    number_format(value, digits);
    instance_refuse(i, "fmu_set", "variable '%s' cannot have the value %s", v->name, digits);
    return false;
  }
  return true;
}
