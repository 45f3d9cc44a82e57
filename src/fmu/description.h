// What an FMU says about itself: modelDescription.xml of FMI 2.0 and 3.0. Nothing of the FMU is executed.
#pragma once
#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "base/names.h"

typedef enum FmuType { // of a variable
  FMU_REAL,            // FMI 2 Real; FMI 3 Float64, Float32
  FMU_INTEGER,         // FMI 2 Integer; FMI 3 all Int and UInt
  FMU_BOOLEAN,
  FMU_STRING,
  FMU_ENUMERATION,
  FMU_BINARY, // FMI 3
  FMU_CLOCK,  // FMI 3
} FmuType;

typedef enum FmuWire { // the type that the functions of FMI 3 are asked with; FMI 2 has REAL, INTEGER, BOOLEAN, STRING only
  FMU_WIRE_FLOAT64,    // FMI 2: Real
  FMU_WIRE_FLOAT32,
  FMU_WIRE_INT8,
  FMU_WIRE_UINT8,
  FMU_WIRE_INT16,
  FMU_WIRE_UINT16,
  FMU_WIRE_INT32, // FMI 2: Integer and Enumeration
  FMU_WIRE_UINT32,
  FMU_WIRE_INT64, // FMI 3: Enumeration, too
  FMU_WIRE_UINT64,
  FMU_WIRE_BOOLEAN,
  FMU_WIRE_STRING,
  FMU_WIRE_BINARY,
  FMU_WIRE_CLOCK,
} FmuWire;

typedef enum FmuCausality {
  FMU_PARAMETER,
  FMU_CALCULATED_PARAMETER,
  FMU_STRUCTURAL_PARAMETER, // FMI 3
  FMU_INPUT,
  FMU_OUTPUT,
  FMU_LOCAL,
  FMU_INDEPENDENT,
} FmuCausality;

typedef enum FmuVariability {
  FMU_CONSTANT,
  FMU_FIXED,
  FMU_TUNABLE,
  FMU_DISCRETE,
  FMU_CONTINUOUS
} FmuVariability;

typedef enum FmuInitial { FMU_EXACT, FMU_APPROX, FMU_CALCULATED, FMU_NO_INITIAL } FmuInitial;

// A scalar variable, or one element of an array of FMI 3 (elements follow each other).
typedef struct FmuVariable {
  const char *name;        // of an element: x[2], A[1,3]
  const char *description; // "" when there is none
  const char *unit;        // of the variable or its declared type, "" when unknown
  FmuType type;
  FmuWire wire;
  FmuCausality causality;     // with the default of the standard where it is not given
  FmuVariability variability; // the same
  FmuInitial initial;         // the same
  unsigned reference;         // value reference
  int element;                // of an array: its place, from 0, row by row
  int array;                  // number in FmuDescription.arrays, -1: a scalar
  bool has_start;
  double start; // numbers; of Boolean 0 or 1
  const char *
      start_text; // String; Binary: hexadecimal digits; NULL: has_start is false, or it is a number
  double min, max;   // infinite when not given; of the declared type where the variable has none
  double nominal;    // 1 when not given
  int enumeration;   // number in FmuDescription.enumerations, -1: it is none
  int derivative_of; // variable that this one is the derivative of, -1: none
  int line;          // of the XML
} FmuVariable;

typedef struct FmuArray { // an array variable of FMI 3
  unsigned reference;
  int first, count; // its elements among the variables
} FmuArray;

typedef struct FmuItem { // of an enumeration
  const char *name;
  long value;
} FmuItem;

typedef struct FmuEnumeration { // a type
  const char *name;
  ARRAY(FmuItem) items;
} FmuEnumeration;

typedef struct FmuInterfaceInfo { // ModelExchange or CoSimulation
  bool offered;
  const char *identifier; // modelIdentifier
  bool needs_execution_tool;
  bool once_per_process; // canBeInstantiatedOnlyOncePerProcess
  bool gets_and_sets_state, serializes_state;
  bool directional_derivatives; // providesDirectionalDerivative(s)
  bool
      needs_completed_step; // ME: completedIntegratorStep must be called (FMI 2: unless completedIntegratorStepNotNeeded)
  bool variable_step;       // CS: canHandleVariableCommunicationStepSize
  bool interpolates_inputs; // CS FMI 2: canInterpolateInputs
  double internal_step;     // CS FMI 3: fixedInternalStepSize; 0: not given
} FmuInterfaceInfo;

typedef struct FmuDescription {
  const char *path;    // of the archive, as given; without one the file of the XML
  int fmi;             // 2 or 3
  const char *version; // fmiVersion as written
  const char *model_name, *description, *author, *model_version, *copyright, *license;
  const char *tool;   // generationTool
  const char *date;   // generationDateAndTime
  const char *token;  // guid or instantiationToken
  const char *naming; // variableNamingConvention: "flat" or "structured"
  int indicators; // FMI 2: numberOfEventIndicators; FMI 3: EventIndicator elements, counting elements of arrays
  FmuInterfaceInfo model_exchange, co_simulation;
  bool scheduled_execution;                           // FMI 3: is offered
  double start_time, stop_time, tolerance, step_size; // DefaultExperiment; NaN when not given
  ARRAY(FmuVariable) variables; // in the order of the file; arrays by elements
  ARRAY(FmuArray) arrays;       // an alias of an array is another one with the same reference
  ARRAY(FmuEnumeration) enumerations;
  Names *names; // variable by name; a name that occurs twice is an error
  // ModelStructure, as numbers of variables, arrays by elements.
  IntArray outputs, derivatives; // derivatives: FMI 2 Derivatives, FMI 3 ContinuousStateDerivative
  IntArray states;               // the variables that these are derivatives of; -1: it is not said
  // From the archive, not from the XML; see fmu_describe.
  ARRAY(const char *) platforms; // folders of binaries/, such as linux64 or x86_64-linux
  bool has_sources;
} FmuDescription;

// The text of modelDescription.xml. NULL and err (file:line:column) if it is not well-formed, is not FMI 2.0 or 3.x, or says
// something that cannot be. Entities are not expanded, nesting and sizes are limited.
FmuDescription *fmu_description_parse(Arena *a, const char *file, const char *xml, size_t length,
                                      Err *err);
// The description inside the archive, its platforms and whether there are sources.
FmuDescription *fmu_describe(Arena *a, const char *path, Err *err);
// The folder of binaries/ that this machine can use ("linux64", "x86_64-linux"), NULL and err that names what is inside otherwise.
const char *fmu_platform(const FmuDescription *d, Err *err);
const char *fmu_type_word(FmuType t);               // "Real", "Integer", ...
const char *fmu_causality_word(FmuCausality c);     // as in the standard
const char *fmu_variability_word(FmuVariability v); // the same
