// Random linear circuits as model texts: resistors, inductors, capacitors, sources and ideal transformers between nodes,
// with potentials, branch voltages and currents as variables. A circuit is regular when det(s E + A) is not 0 at a random
// point modulo a prime: then it has one solution, whatever its index is.
#pragma once
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "random_expression.h"

enum { CIRCUIT_NODES = 5, CIRCUIT_MOST = 64 };

typedef struct Circuit {
  Text equations, declarations;
  int variables, rows;
  uint64_t matrix[CIRCUIT_MOST][CIRCUIT_MOST]; // s E + A
  uint64_t s;
  Rng rng;
} Circuit;

static const uint64_t CIRCUIT_PRIME = 2147483647;

static inline uint64_t circuit_power(uint64_t a, uint64_t n) {
  uint64_t p = 1;
  for (; n; n /= 2, a = a * a % CIRCUIT_PRIME)
    if (n % 2) p = p * a % CIRCUIT_PRIME;
  return p;
}

static inline bool circuit_is_regular(Circuit *c) {
  int n = c->variables;
  if (c->rows != n) return false;
  for (int k = 0; k < n; k++) {
    int p = k;
    while (p < n && !c->matrix[p][k]) p++;
    if (p == n) return false;
    for (int j = 0; j < n; j++) {
      uint64_t t = c->matrix[p][j];
      c->matrix[p][j] = c->matrix[k][j], c->matrix[k][j] = t;
    }
    uint64_t inverse = circuit_power(c->matrix[k][k], CIRCUIT_PRIME - 2);
    for (int i = k + 1; i < n; i++) {
      uint64_t f = c->matrix[i][k] * inverse % CIRCUIT_PRIME;
      for (int j = k; j < n && f; j++)
        c->matrix[i][j] =
            (c->matrix[i][j] + CIRCUIT_PRIME - f * c->matrix[k][j] % CIRCUIT_PRIME) % CIRCUIT_PRIME;
    }
  }
  return true;
}

static inline int circuit_variable(Circuit *c, char kind, int number) {
  text_print(&c->declarations, "Real %c%d;\n", kind, number);
  return c->variables++;
}

static inline void circuit_term(Circuit *c, int variable, int64_t factor) {
  uint64_t f =
      (uint64_t)((factor % (int64_t)CIRCUIT_PRIME + (int64_t)CIRCUIT_PRIME)) % CIRCUIT_PRIME;
  c->matrix[c->rows][variable] = (c->matrix[c->rows][variable] + f) % CIRCUIT_PRIME;
}

typedef struct CircuitBranch {
  int from, to, u, i; // nodes, variables
} CircuitBranch;

// u = v_from - v_to; the current leaves `from`.
static inline CircuitBranch circuit_branch(Circuit *c, int number, int nodes) {
  CircuitBranch b = {.from = rng_below(&c->rng, nodes), .to = rng_below(&c->rng, nodes - 1)};
  b.to += b.to >= b.from;
  b.u = circuit_variable(c, 'u', number), b.i = circuit_variable(c, 'i', number);
  text_print(&c->equations, "u%d = v%d - v%d;\n", number, b.from, b.to);
  circuit_term(c, b.u, 1), circuit_term(c, b.from, -1), circuit_term(c, b.to, 1);
  c->rows++;
  return b;
}

static inline void circuit_element(Circuit *c, int k, const CircuitBranch *b) {
  int kind = rng_below(&c->rng, 12), p = 1 + rng_below(&c->rng, 9);
  int64_t s = (int64_t)c->s;
  if (kind < 10) text_print(&c->declarations, "parameter Real p%d = %d;\n", k, p);
  if (kind < 4) { // resistor
    text_print(&c->equations, "u%d = p%d*i%d;\n", k, k, k);
    circuit_term(c, b->u, 1), circuit_term(c, b->i, -p);
  } else if (kind < 7) { // capacitor
    text_print(&c->equations, "i%d = p%d*der(u%d);\n", k, k, k);
    circuit_term(c, b->i, 1), circuit_term(c, b->u, -p * s);
  } else if (kind < 10) { // inductor
    text_print(&c->equations, "u%d = p%d*der(i%d);\n", k, k, k);
    circuit_term(c, b->u, 1), circuit_term(c, b->i, -p * s);
  } else { // source
    text_print(&c->equations, "%c%d = sin(%d*time);\n", kind == 10 ? 'u' : 'i', k, p);
    circuit_term(c, kind == 10 ? b->u : b->i, 1);
  }
  c->rows++;
}

static inline void circuit_transformer(Circuit *c, int k, const CircuitBranch *b, int nodes,
                                       CircuitBranch *second) {
  int n = 2 + rng_below(&c->rng, 4);
  *second = circuit_branch(c, k + 1, nodes);
  text_print(&c->declarations, "parameter Real n%d = %d;\n", k, n);
  text_print(&c->equations, "u%d = n%d*u%d;\ni%d = -n%d*i%d;\n", k, k, k + 1, k + 1, k, k);
  circuit_term(c, b->u, 1), circuit_term(c, second->u, -n);
  c->rows++;
  circuit_term(c, second->i, 1), circuit_term(c, b->i, n);
  c->rows++;
}

// The sum of currents at every node but one, whose potential is 0.
static inline void circuit_close(Circuit *c, int nodes, const CircuitBranch *b, int branches) {
  int ground = rng_below(&c->rng, nodes);
  for (int k = 0; k < nodes; k++) {
    if (k == ground) {
      text_print(&c->equations, "v%d = 0;\n", k);
      circuit_term(c, k, 1);
    } else {
      text_add(&c->equations, "0");
      for (int j = 0; j < branches; j++) {
        if (b[j].from == k) text_print(&c->equations, " + i%d", j), circuit_term(c, b[j].i, 1);
        if (b[j].to == k) text_print(&c->equations, " - i%d", j), circuit_term(c, b[j].i, -1);
      }
      text_add(&c->equations, " = 0;\n");
    }
    c->rows++;
  }
}

// A regular circuit; the text is freed by the caller with text_done.
static inline Text random_circuit(uint64_t seed) {
  Text out;
  text_init(&out);
  for (bool found = false; !found; seed += 1000003) {
    Circuit *c = calloc(1, sizeof *c);
    CircuitBranch b[CIRCUIT_MOST];
    c->rng.state = seed;
    text_init(&c->equations), text_init(&c->declarations);
    int nodes = 2 + rng_below(&c->rng, CIRCUIT_NODES - 1), count = 0;
    int elements = nodes + 1 + rng_below(&c->rng, 5);
    c->s = 1 + (uint64_t)(rng_uniform(&c->rng) * 1e6);
    for (int k = 0; k < nodes; k++) circuit_variable(c, 'v', k);
    while (count < elements) {
      int k = count;
      b[count++] = circuit_branch(c, k, nodes);
      if (rng_below(&c->rng, 10) == 0)
        circuit_transformer(c, k, &b[k], nodes, &b[count]), count++;
      else
        circuit_element(c, k, &b[k]);
    }
    circuit_close(c, nodes, b, count);
    found = circuit_is_regular(c);
    if (found)
      text_print(&out, "model Circuit\n%sequation\n%send Circuit;\n", c->declarations.at,
                 c->equations.at);
    text_done(&c->equations), text_done(&c->declarations);
    free(c);
  }
  return out;
}
