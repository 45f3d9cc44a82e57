// When each value of a program is needed: what the emitter asks before it gives a register away.
#pragma once
#include <limits.h>
#include <stdbool.h>

#include "code/program.h"

enum { LIVE_NEVER = INT_MAX };

typedef struct LiveValue {
  int first;           // the first instruction that uses the value, LIVE_NEVER if none
  int next[3];         // of this instruction's operands: the next instruction that uses each again
  bool is_needed;      // the instruction has an effect or its value is used
  bool stays_mask;     // a relation that only decides: SELECT, AND, OR and NOT are its only users
  bool can_read_again; // FETCH: the slot keeps the value until the last use
} LiveValue;

// One for each instruction; the time is linear in the program.
LiveValue *live_find(const Program *p, Arena *arena);
int live_operands(const Instr *at); // how many values it reads
