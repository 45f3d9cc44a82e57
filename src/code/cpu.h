// What this processor and its operating system can run. Found once, when the process starts.
#pragma once
#include <stdbool.h>

bool cpu_has_avx2(void);   // AVX2 and FMA
bool cpu_has_avx512(void); // the foundation, DQ, BW and VL, as in all servers since 2017
