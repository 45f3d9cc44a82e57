// Speed of the emitted code: time per evaluation (and lane) as a ratio to the same arithmetic
// compiled by cc -O3 -march=native, measured alternately in one process, least of many windows.
// Needs a C compiler at run time (CC, default cc). An argument selects models by a part of their
// name.
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "code/code.h"

enum { WINDOWS = 60, INPUT_MOST = 4096 };

typedef struct Maker {
  Arena *arena;
  ARRAY(Instr) code;
  ARRAY(double) constants;
  int results;
  uint64_t state;
} Maker;

static int add(Maker *m, Instr at) {
  array_push(m->arena, &m->code, at);
  return m->code.count - 1;
}

static int input(Maker *m, int segment, int index) {
  return add(m, (Instr){.op = OP_INPUT, .segment = (uint8_t)segment, .index = index});
}

static int constant(Maker *m, double x) {
  array_push(m->arena, &m->constants, x);
  return add(m, (Instr){.op = OP_CONST, .index = m->constants.count - 1});
}

static int apply(Maker *m, Op op, int a, int b, int c) {
  return add(m, (Instr){.op = (uint8_t)op, .a = a, .b = b, .c = c});
}

static void result(Maker *m, int a) {
  add(m, (Instr){.op = OP_RESULT, .a = a, .index = m->results++});
}

static Program finish(const Maker *m) {
  return (Program){.code = m->code.at,
                   .count = m->code.count,
                   .constants = m->constants.at,
                   .constant_count = m->constants.count,
                   .input_counts = {1, 64, 256},
                   .result_count = m->results};
}

// --- the models: in0 = time, in1 = states, in2 = parameters ---

static const char PENDULUM[] =
    "  double th = in1[0], om = in1[1];\n"
    "  out[0] = om;\n"
    "  out[1] = -in2[0]*sin(th) - in2[1]*om + in2[2]*cos(in2[3]*in0[0]);\n";

static void pendulum(Maker *m) {
  int th = input(m, 1, 0), om = input(m, 1, 1), t = input(m, 0, 0), p[4];
  for (int k = 0; k < 4; k++) p[k] = input(m, 2, k);
  result(m, om);
  int s = apply(m, OP_SIN, th, 0, 0);
  int f = apply(m, OP_FMA, p[0], s, apply(m, OP_MUL, p[1], om, 0));
  int c = apply(m, OP_COS, apply(m, OP_MUL, p[3], t, 0), 0, 0);
  result(m, apply(m, OP_FMS, p[2], c, f));
}

static const char VDPD[] =
    "  double x = in1[0], v = in1[1];\n"
    "  out[0] = v;\n"
    "  out[1] = in2[0]*(1 - x*x)*v - in2[1]*x - in2[2]*x*x*x + in2[3]*cos(in2[4]*in0[0]);\n";

static void vdpd(Maker *m) {
  int x = input(m, 1, 0), v = input(m, 1, 1), t = input(m, 0, 0), p[5];
  for (int k = 0; k < 5; k++) p[k] = input(m, 2, k);
  result(m, v);
  int xx = apply(m, OP_MUL, x, x, 0), c = apply(m, OP_COS, apply(m, OP_MUL, p[4], t, 0), 0, 0);
  int damp = apply(m, OP_MUL, p[0], apply(m, OP_SUB, constant(m, 1), xx, 0), 0);
  int stiff = apply(m, OP_MUL, x, apply(m, OP_FMA, p[2], xx, p[1]), 0);
  result(m, apply(m, OP_FMA, p[3], c, apply(m, OP_FMS, damp, v, stiff)));
}

static const char DUFFING2[] =
    "  double x = in1[0], v = in1[1], y = in1[2], w = in1[3], d = x - y, e = v - w;\n"
    "  double k = in2[2]*d + in2[3]*d*d*d + in2[4]*e;\n"
    "  out[0] = v;\n"
    "  out[1] = (in2[8]*cos(in2[9]*in0[0]) - in2[0]*x - in2[1]*x*x*x - in2[5]*v - k)/in2[6];\n"
    "  out[2] = w;\n"
    "  out[3] = (k - in2[5]*w - in2[0]*y)/in2[7];\n";

static void duffing2(Maker *m) {
  int x = input(m, 1, 0), v = input(m, 1, 1), y = input(m, 1, 2), w = input(m, 1, 3), p[10];
  int t = input(m, 0, 0);
  for (int k = 0; k < 10; k++) p[k] = input(m, 2, k);
  result(m, v);
  result(m, w);
  int c = apply(m, OP_COS, apply(m, OP_MUL, p[9], t, 0), 0, 0);
  int d = apply(m, OP_SUB, x, y, 0), e = apply(m, OP_SUB, v, w, 0), dd = apply(m, OP_MUL, d, d, 0);
  int k = apply(m, OP_MUL, d, apply(m, OP_FMA, p[3], dd, p[2]), 0);
  k = apply(m, OP_FMA, p[4], e, k);
  int f = apply(m, OP_FMS, p[8], c, k), xx = apply(m, OP_MUL, x, x, 0);
  f = apply(m, OP_FNMA, x, apply(m, OP_FMA, p[1], xx, p[0]), f);
  result(m, apply(m, OP_DIV, apply(m, OP_FNMA, p[5], v, f), p[6], 0));
  f = apply(m, OP_FNMA, p[0], y, apply(m, OP_FNMA, p[5], w, k));
  result(m, apply(m, OP_DIV, f, p[7], 0));
}

static int draw(Maker *m, int n) {
  m->state ^= m->state >> 12, m->state ^= m->state << 25, m->state ^= m->state >> 27;
  return (int)(m->state * 0x2545f4914f6cdd1du >> 33) % n;
}

// Chains of arithmetic over inputs with shared parts; a result every few instructions, as in a
// Jacobian.
static void mixture(Maker *m, int states, int parameters, int size, int calls_per_1000) {
  static const Op plain[] = {OP_ADD, OP_SUB,  OP_MUL, OP_MUL, OP_FMA,
                             OP_FMA, OP_FNMA, OP_FMS, OP_MUL};
  static const Op calls[] = {OP_SIN, OP_COS, OP_ATAN, OP_EXP, OP_SIN, OP_TANH};
  int *value = ARENA_ARRAY(m->arena, int, size + states + parameters), count = 0;
  for (int k = 0; k < states; k++) value[count++] = input(m, 1, k);
  for (int k = 0; k < parameters; k++) value[count++] = input(m, 2, k);
  int leaves = count;
  for (int k = 0; k < size; k++) {
    int operand[3];
    for (int j = 0; j < 3; j++) {
      int kind = draw(m, 100), near = 1 + draw(m, 6), far = 1 + draw(m, 400);
      int back = kind < 50 ? near : far;
      operand[j] =
          kind >= 75 || back > count - leaves ? value[draw(m, leaves)] : value[count - back];
    }
    bool is_call = draw(m, 1000) < calls_per_1000;
    Op op = is_call ? calls[draw(m, 6)] : plain[draw(m, 9)];
    int v = apply(m, op, operand[0], OPS[op].args > 1 ? operand[1] : 0,
                  OPS[op].args > 2 ? operand[2] : 0);
    if (draw(m, 8) == 0)
      v = apply(m, OP_DIV, v, apply(m, OP_FMA, v, v, value[0]), 0); // stays small
    value[count++] = v;
    if (draw(m, 6) == 0) result(m, v);
  }
  result(m, value[count - 1]);
}

static void vehicle(Maker *m) {
  mixture(m, 28, 60, 600, 100);
}
static void vehicle_jacobian(Maker *m) {
  mixture(m, 28, 60, 4500, 16);
}
static void chemistry(Maker *m) {
  mixture(m, 64, 200, 1500, 20);
}
static void large(Maker *m) {
  mixture(m, 64, 250, 15000, 20);
}
static void no_calls(Maker *m) {
  mixture(m, 6, 10, 60, 0);
}

typedef struct Model {
  const char *name;
  void (*make)(Maker *m);
  const char *c_text; // NULL: printed from the program
} Model;

static const Model MODELS[] = {
    {"pendulum", pendulum, PENDULUM},
    {"van der Pol-Duffing", vdpd, VDPD},
    {"two Duffing", duffing2, DUFFING2},
    {"60 without calls", no_calls, NULL},
    {"vehicle-like 600", vehicle, NULL},
    {"network-like 1500", chemistry, NULL},
    {"Jacobian-like 4500", vehicle_jacobian, NULL},
    {"large 15000", large, NULL},
};

// --- the same as C ---

static void print_value(FILE *f, const Program *p, int i) {
  const Instr *at = &p->code[i];
  switch (at->op) {
  case OP_CONST: fprintf(f, "  double v%d = %a;\n", i, p->constants[at->index]); break;
  case OP_INPUT: fprintf(f, "  double v%d = in%d[%d];\n", i, at->segment, at->index); break;
  case OP_RESULT: fprintf(f, "  out[%d] = v%d;\n", at->index, at->a); break;
  case OP_FMA: fprintf(f, "  double v%d = fma(v%d, v%d, v%d);\n", i, at->a, at->b, at->c); break;
  case OP_FMS: fprintf(f, "  double v%d = fma(v%d, v%d, -v%d);\n", i, at->a, at->b, at->c); break;
  case OP_FNMA: fprintf(f, "  double v%d = fma(-v%d, v%d, v%d);\n", i, at->a, at->b, at->c); break;
  default:
    if (OPS[at->op].kind == OP_KIND_CALL)
      fprintf(f, "  double v%d = %s(v%d);\n", i, OPS[at->op].text, at->a);
    else
      fprintf(f, "  double v%d = v%d %s v%d;\n", i, at->a, OPS[at->op].text, at->b);
  }
}

static CodeFn *compile_c(const Model *model, const Program *p) {
  char folder[] = "/tmp/bench_code_XXXXXX", text[64], library[64], command[256];
  if (!mkdtemp(folder)) return NULL;
  snprintf(text, sizeof text, "%s/f.c", folder);
  snprintf(library, sizeof library, "%s/f.so", folder);
  FILE *f = fopen(text, "w");
  if (!f) return NULL;
  fprintf(f, "#include <math.h>\nvoid f(const double *in0, const double *in1, const double *in2,"
             " double *restrict out) {\n");
  if (model->c_text)
    fputs(model->c_text, f);
  else
    for (int i = 0; i < p->count; i++) print_value(f, p, i);
  fprintf(f, "}\n");
  fclose(f);
  const char *cc = getenv("CC");
  snprintf(command, sizeof command,
           "%s -O3 -march=native -fno-math-errno -shared -fPIC -o %s %s -lm", cc ? cc : "cc",
           library, text);
  CodeFn *fn = NULL;
  if (system(command) == 0) {
    void *handle = dlopen(library, RTLD_NOW);
    void *symbol = handle ? dlsym(handle, "f") : NULL;
    memcpy(&fn, &symbol, sizeof fn);
  }
  unlink(text), unlink(library), rmdir(folder);
  return fn;
}

// --- timing ---

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Runner {
  const char *name;
  Code *code; // NULL: fn
  CodeFn *fn;
  int lanes;
  double *in[SEGMENTS], *out, *work;
  double best; // seconds per evaluation of one lane
} Runner;

static double *numbers(Arena *arena, int count) {
  double *x = ARENA_ARRAY(arena, double, count);
  for (int k = 0; k < count; k++) x[k] = 0.3 + 0.001 * (k % 997);
  return x;
}

static Runner runner_new(Arena *arena, const char *name, Code *code, CodeFn *fn, const Program *p) {
  int lanes = code ? code->lanes : 1;
  Runner r = {.name = name, .code = code, .fn = fn, .lanes = lanes, .best = HUGE_VAL};
  for (int k = 0; k < SEGMENTS; k++) r.in[k] = numbers(arena, p->input_counts[k] * lanes);
  r.out = ARENA_ARRAY(arena, double, (p->result_count + 1) * lanes);
  r.work = ARENA_ARRAY(arena, double, (code ? code->work_count : 0) + 8);
  return r;
}

static void time_window(Runner *r, int repeats) {
  CodeFn *fn = r->code ? r->code->fn : r->fn; // as a solver that looks it up once
  double start = seconds();
  if (!fn)
    for (int k = 0; k < repeats; k++)
      code_run(r->code, r->in[0], r->in[1], r->in[2], r->out, r->work);
  else
    for (int k = 0; k < repeats; k++) fn(r->in[0], r->in[1], r->in[2], r->out, r->work);
  r->best = fmin(r->best, (seconds() - start) / repeats / r->lanes);
}

static double compile_time(const Program *p) {
  double best = HUGE_VAL;
  for (int k = 0; k < 20; k++) {
    double start = seconds();
    code_free(code_compile(p, 1, 0, CODE_AUTO));
    best = fmin(best, seconds() - start);
  }
  return best;
}

static void report(const Model *model) {
  enum { C, SCALAR, INTERPRETER, LANES4, LANES8, INTERPRETER4, RUNNERS };
  Arena *arena = arena_new();
  Maker m = {.arena = arena, .state = 12345};
  model->make(&m);
  Program p = finish(&m);
  const int lanes[RUNNERS] = {0, 1, 1, 4, 8, 4};
  static const CodeChoice choice[RUNNERS] = {
      [INTERPRETER] = CODE_INTERPRETER, [INTERPRETER4] = CODE_INTERPRETER};
  Runner r[RUNNERS];
  for (int k = 0; k < RUNNERS; k++)
    r[k] = runner_new(arena, NULL, k == C ? NULL : code_compile(&p, lanes[k], 0, choice[k]),
                      k == C ? compile_c(model, &p) : NULL, &p);
  int repeats = 1 + 60000 / (p.count + 10);
  for (int w = 0; w < WINDOWS; w++)
    for (int k = 0; k < RUNNERS; k++)
      if (r[k].code || r[k].fn) time_window(&r[k], repeats);
  printf("%-20s %6d %8.4f %9.1f %7.2f %7.2f %7.2f %7.2f %7.2f\n", model->name, p.count,
         1e3 * compile_time(&p), 1e9 * r[C].best, r[SCALAR].best / r[C].best,
         r[INTERPRETER].best / r[C].best, r[LANES4].best / r[C].best, r[LANES8].best / r[C].best,
         r[INTERPRETER4].best / r[C].best);
  fflush(stdout);
  for (int k = 0; k < RUNNERS; k++) code_free(r[k].code);
  arena_free(arena);
}

int main(int argc, char **argv) {
  printf("%-20s %6s %8s %9s %7s %7s %7s %7s %7s\n", "time / time of C", "instr", "emit ms", "C ns",
         "scalar", "interp", "4 lanes", "8 lanes", "interp4");
  for (size_t k = 0; k < sizeof MODELS / sizeof MODELS[0]; k++)
    if (argc < 2 || strstr(MODELS[k].name, argv[1])) report(&MODELS[k]);
  return 0;
}
