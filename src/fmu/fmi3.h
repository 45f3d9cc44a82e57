// The part of the interface FMI 3.0 (fmi-standard.org, sections 2.2, 2.3, 3.2 and 4.2) that entrain calls, and that its test
// FMUs offer. Names and types are those of the standard; its functions are the rows of fmi3.def.
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;

typedef enum fmi3Status { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment,
                                               fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean *early_return_requested,
                                               fmi3Float64 *early_return_time);

// The types of numbers: NUMBER(word of FmuWire, name in the functions, least, most); the range as doubles.
#define FMI3_NUMBERS(NUMBER)                                                                       \
  NUMBER(FLOAT64, Float64, -HUGE_VAL, HUGE_VAL)                                                    \
  NUMBER(FLOAT32, Float32, -HUGE_VAL, HUGE_VAL)                                                    \
  NUMBER(INT8, Int8, INT8_MIN, INT8_MAX)                                                           \
  NUMBER(UINT8, UInt8, 0, UINT8_MAX)                                                               \
  NUMBER(INT16, Int16, INT16_MIN, INT16_MAX)                                                       \
  NUMBER(UINT16, UInt16, 0, UINT16_MAX)                                                            \
  NUMBER(INT32, Int32, INT32_MIN, INT32_MAX)                                                       \
  NUMBER(UINT32, UInt32, 0, UINT32_MAX)                                                            \
  NUMBER(INT64, Int64, -0x1p63, 0x1.fffffffffffffp62)                                              \
  NUMBER(UINT64, UInt64, 0, 0x1.fffffffffffffp63)                                                  \
  NUMBER(BOOLEAN, Boolean, 0, 1)

typedef struct Fmi3Functions { // of a loaded binary; those that it need not have may be NULL
#define FMI_FUNCTION(need, type, name, arguments) type(*name) arguments;
#include "fmu/fmi3.def"
#undef FMI_FUNCTION
} Fmi3Functions;
