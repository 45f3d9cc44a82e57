#include "code/cpu.h"

// The compiler's run-time library asks cpuid, and xgetbv whether the system saves wide registers.
#if defined(__x86_64__)
bool cpu_has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool cpu_has_avx512(void) {
  return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}
#else
bool cpu_has_avx2(void) {
  return false;
}
bool cpu_has_avx512(void) {
  return false;
}
#endif
