#include "live/live_gate.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

bool live_token_make(char out[LIVE_TOKEN + 1]) {
  static const char DIGITS[] = "0123456789abcdef";
  uint8_t random[LIVE_TOKEN / 2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return false;
  for (size_t i = 0; i < LIVE_TOKEN; i++)
    out[i] = DIGITS[i % 2 ? random[i / 2] & 15 : random[i / 2] >> 4];
  out[LIVE_TOKEN] = 0;
  return true;
}

bool live_token_is(const char *token, const char *given, size_t length) {
  if (!given || length != LIVE_TOKEN) return false;
  unsigned different = 0;
  for (size_t i = 0; i < LIVE_TOKEN; i++) different |= (unsigned char)(token[i] ^ given[i]);
  return different == 0;
}

// Nothing, or a colon and a number that a port can have.
static bool is_port(const char *text) {
  long port = 0;
  if (!*text) return true;
  if (*text++ != ':' || !*text) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    port = 10 * port + (*text - '0');
    if (port > 65535) return false;
  }
  return port > 0;
}

bool live_host_is_local(const char *host) {
  static const char *const NAMES[] = {"localhost", "127.0.0.1", "[::1]"};
  for (size_t i = 0; host && i < sizeof NAMES / sizeof *NAMES; i++) {
    size_t length = strlen(NAMES[i]);
    if (strncasecmp(host, NAMES[i], length) == 0 && is_port(host + length)) return true;
  }
  return false;
}

bool live_origin_is_local(const char *origin) {
  static const char SCHEME[] = "http://";
  return origin && strncmp(origin, SCHEME, sizeof SCHEME - 1) == 0 &&
         live_host_is_local(origin + sizeof SCHEME - 1);
}
