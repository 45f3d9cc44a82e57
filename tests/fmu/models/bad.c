// An oscillator, x'' = -k x, that goes wrong at the time `when`, as `mode` says, or mode_level where mode is 0; when k is
// above `fragile`; and when k is within 0.01 of `sticky`.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

enum { TIME, MODE, LEVEL, WHEN, K, FRAGILE, STICKY, X, V, A };

enum { SIGNAL = 1, ABORT, EXIT, HANG, EAT, FLOOD, FAIL, NO_NUMBER, END, REFUSE, LOSE, CLOSE };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    FIXED("mode", 0, .type = INTEGER,
          .description =
              "0 good, 1 SIGSEGV, 2 abort, 3 exit, 4 endless loop, 5 eats memory,"
              " 6 prints much, 7 error, 8 NaN, 9 ends the simulation, 10 discards, 11 fatal,"
              " 12 closes all descriptors"),
    PARAMETER("mode_level", 0, .description = "mode as a Real, rounded"),
    PARAMETER("when", 0.5, .unit = "s"),
    PARAMETER("k", 4, AT_LEAST(0)),
    PARAMETER("fragile", 1e300, .description = "crashes when k is above it"),
    PARAMETER("sticky", -1, .description = "hangs when k is within 0.01 of it"),
    OUTPUT("x", FROM(1)),
    OUTPUT("v", FROM(0), .derivative_of = X),
    OUTPUT("a", .derivative_of = V),
};

static void hang(void) {
  for (volatile int turn = 0;; turn = !turn) {
  }
}

// Until there is no more or, without a limit of the process, 3 GiB are taken; then it crashes.
static void eat_memory(void) {
  enum { PIECE = 1 << 24 };
  for (int k = 0; k < 192; k++) {
    char *piece = malloc(PIECE);
    if (!piece) break;
    memset(piece, k, PIECE);
  }
  raise(SIGSEGV);
}

static void flood(void) {
  for (int k = 0; k < 100000; k++) {
    printf("line %d that nobody wants to read\n", k);
    fprintf(stderr, "error %d that nobody wants to read\n", k);
  }
  fflush(stdout);
}

static Status misbehave(Model *m, int mode) {
  switch (mode) {
  case SIGNAL: raise(SIGSEGV); return OK;
  case ABORT: abort();
  case EXIT: exit(0);
  case HANG: hang(); return OK;
  case EAT: eat_memory(); return OK;
  case FLOOD:
    if (!m->memory) flood(); // once
    m->memory = 1;
    return OK;
  case FAIL: return model_error(m, "the spring \x1b[31mbroke\x1b[0m at x = %g", m->v[X]);
  case NO_NUMBER: m->v[X] = m->v[V] = m->v[A] = (double)NAN; return OK;
  case REFUSE: return DISCARD;
  case LOSE: return FATAL;
  case CLOSE: closefrom(3); return OK;
  default: return OK;
  }
}

static Status equations(Model *m) {
  double *v = m->v;
  v[A] = -v[K] * v[X];
  m->terminate = false;
  if (m->phase & (INSTANTIATED | INITIALIZING)) return OK;
  if (v[K] > v[FRAGILE]) raise(SIGSEGV);
  if (fabs(v[K] - v[STICKY]) < 0.01) hang();
  int mode = v[MODE] > 0 ? (int)v[MODE] : (int)floor(v[LEVEL] + 0.5);
  if (!mode || v[TIME] < v[WHEN]) return OK;
  m->terminate = mode == END;
  return misbehave(m, mode);
}

const ModelInfo MODEL = {
    .name = "bad",
    .description = "oscillator that goes wrong",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 1,
    .step = 1e-2,
    .completes = true,
    .equations = equations,
};
