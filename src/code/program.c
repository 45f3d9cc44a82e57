// The operators and op_apply are in expr/op.c: the expression graph needs them too.
#include "code/program.h"
