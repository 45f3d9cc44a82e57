// A Program made callable: machine code where the processor allows it, the interpreter elsewhere.
//
// Scalar code works on doubles. Lane code (lanes = 4 or 8) runs the same program on neighbouring numbers: slot k of an
// array is the lanes numbers at k*lanes. Input segments whose bit is set in `uniform` hold one number a slot, the same
// for all lanes. Scalar code calls libm; lane code uses the kernels of vector_math.h. Both agree bit for bit with the
// interpreter in the same mode, on every processor.
//
// The five arrays of a run must not overlap: an input may be read after a result was written. Only work is aligned.
#pragma once
#include <stdbool.h>

#include "code/program.h"

typedef void CodeFn(const double *in0, const double *in1, const double *in2, double *out,
                    double *work);

typedef enum CodeChoice { CODE_AUTO, CODE_INTERPRETER, CODE_AVX2, CODE_AVX512 } CodeChoice;

typedef struct Code {
  CodeFn *fn; // NULL: interpret
  const Program *program;
  int lanes;
  unsigned uniform;
  int work_count; // doubles that work[] must have (lanes included); aligned to 64, zeroed before the first run
  struct Pages *pages;
  CodeChoice used; // what it became
} Code;

// Never fails: falls back on the interpreter (no AVX2 and FMA, executable memory refused, ENTRAIN_JIT=off). CODE_AUTO
// takes AVX-512 for 8 lanes where the processor has it. Keeps the pointer: the program must outlive the code.
Code *code_compile(const Program *program, int lanes, unsigned uniform, CodeChoice choice);

// Several programs in one piece of executable memory, which costs a few system calls however many they are. Codes made in
// a batch can run once it is sealed; it must outlive them.
typedef struct CodeBatch CodeBatch;
CodeBatch *code_batch_new(void);
Code *code_compile_in(CodeBatch *b, const Program *program, int lanes, unsigned uniform,
                      CodeChoice choice);
void code_batch_seal(CodeBatch *b);
void code_batch_free(CodeBatch *b); // NULL is allowed
void code_free(Code *c);            // NULL is allowed
bool code_available(CodeChoice choice);
// The width to prefer on this machine: 8 (AVX-512), 4 (AVX2, interpreter, or ENTRAIN_LANES=4 in the environment).
int code_lanes(void);

void interpret(const Code *c, const double *in0, const double *in1, const double *in2, double *out,
               double *work);

// Does not allocate. Thread-safe when each thread has its own out and work.
static inline void code_run(const Code *c, const double *in0, const double *in1, const double *in2,
                            double *out, double *work) {
  if (c->fn)
    c->fn(in0, in1, in2, out, work);
  else
    interpret(c, in0, in1, in2, out, work);
}
