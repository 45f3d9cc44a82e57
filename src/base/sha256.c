#include "base/sha256.h"

#include <string.h>

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static uint32_t word_at(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// One block of 64 bytes (6.2.2); letters as in the standard.
static void take_block(uint32_t state[8], const unsigned char *block) {
  uint32_t w[64];
  for (int t = 0; t < 16; t++) w[t] = word_at(block + 4 * t);
  for (int t = 16; t < 64; t++) {
    uint32_t s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3;
    uint32_t s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int t = 0; t < 64; t++) {
    uint32_t t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + w[t];
    uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void sha256_begin(Sha256Work *w) {
  // Fractional parts of the square roots of the first 8 primes (5.3.3).
  *w = (Sha256Work){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                              0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(Sha256Work *w, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  size_t filled = w->length % sizeof w->block;
  w->length += length;
  while (length > 0) {
    if (filled == 0 && length >= sizeof w->block) { // without a copy
      take_block(w->state, at);
      at += sizeof w->block, length -= sizeof w->block;
      continue;
    }
    size_t n = sizeof w->block - filled;
    if (n > length) n = length;
    memcpy(w->block + filled, at, n);
    at += n, length -= n, filled += n;
    if (filled < sizeof w->block) return;
    take_block(w->state, w->block);
    filled = 0;
  }
}

Sha256 sha256_end(Sha256Work *w) {
  static const unsigned char PADDING[64] = {0x80};
  uint64_t bits = 8 * w->length;
  size_t filled = w->length % 64;
  unsigned char size[8];
  for (int i = 0; i < 8; i++) size[i] = (unsigned char)(bits >> (56 - 8 * i));
  sha256_add(w, PADDING, filled < 56 ? 56 - filled : 120 - filled);
  sha256_add(w, size, 8);
  Sha256 out;
  for (int i = 0; i < SHA256_BYTES; i++)
    out.at[i] = (unsigned char)(w->state[i / 4] >> (24 - i % 4 * 8));
  return out;
}

Sha256 sha256_of(const void *bytes, size_t length) {
  Sha256Work w;
  sha256_begin(&w);
  sha256_add(&w, bytes, length);
  return sha256_end(&w);
}

bool sha256_equal(const Sha256 *a, const Sha256 *b) {
  return memcmp(a->at, b->at, SHA256_BYTES) == 0;
}

const char *sha256_print(const Sha256 *h, char out[SHA256_TEXT]) {
  static const char DIGITS[] = "0123456789abcdef";
  for (int i = 0; i < SHA256_BYTES; i++) {
    out[2 * i] = DIGITS[h->at[i] >> 4];
    out[2 * i + 1] = DIGITS[h->at[i] & 15];
  }
  out[2 * SHA256_BYTES] = 0;
  return out;
}
