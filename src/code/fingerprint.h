// What decides the last bits of results on this machine: two machines with the same fingerprint compute the same numbers.
#pragma once
#include "base/text.h"

// "8 lanes, libm 2.36 1f0c77ab": how many parameter sets share a simulation, and the mathematical library with a digest of
// what its functions give for some arguments. All else gives the same bits everywhere (num/vec.h, code/vector_math.h).
void fingerprint_print(Text *to);
