// Calls out of emitted code: libm from scalar code, kernels of vector_math.h from lane code, and
// blocks. All vector registers are lost in a call.
#pragma once
#include "code/values_x86.h"

// General registers in which the arguments of the code arrive, and those that survive a call.
extern const int CALL_ARGUMENTS[BASES];
extern const int CALL_SAVED[BASES];

void emit_call(Emitter *e); // operators with a row CALL(...) in ops.def
void emit_sincos(Emitter *e);
void emit_block(Emitter *e);
