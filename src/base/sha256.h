// SHA-256 (FIPS 180-4): tells whether content is the same, also where somebody tries to make it look so.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_TEXT = 2 * SHA256_BYTES + 1 };

typedef struct Sha256 { // a value, copied freely
  unsigned char at[SHA256_BYTES];
} Sha256;

typedef struct Sha256Work { // of a content that comes in pieces
  uint32_t state[8];
  uint64_t length; // bytes so far
  unsigned char block[64];
} Sha256Work;

void sha256_begin(Sha256Work *w);
void sha256_add(Sha256Work *w, const void *bytes, size_t length);
Sha256 sha256_end(Sha256Work *w);

Sha256 sha256_of(const void *bytes, size_t length); // all at once
bool sha256_equal(const Sha256 *a, const Sha256 *b);
const char *sha256_print(const Sha256 *h, char out[SHA256_TEXT]); // small hexadecimal digits
