// The inputs of a run as a CSV file for the program.
#pragma once
#include "base/text.h"
#include "closed/call.h"

// Header time,<names>, then rows by time (of the simulator, origin + t) from start to stop: at both, at every time whose values
// are wanted, and wherever an input is not smooth, so that straight lines between the rows give the inputs; stretches of
// splines are divided into INPUT_STRETCHES. Where an input jumps (hold) there are two rows of the same time, the
// values before and after. All digits are written. Inputs that are not given have no column.
enum { INPUT_STRETCHES = 16 };
void run_inputs_write(const SimulatorCall *call, const char *const *names, Text *out);
