// A client of a live server on a plain socket, so that wrong requests can be sent, too.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "test.h"

static inline int live_port_of(const char *address) {
  return atoi(strchr(address + strlen("http://"), ':') + 1);
}

static inline const char *live_token_of(const char *address) { // 32 letters, then a slash
  return strchr(address + strlen("http://"), '/') + 1;
}

static inline int live_connect(const char *address) {
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_port = htons((uint16_t)live_port_of(address))};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
  return fd;
}

static inline void live_send(int fd, const char *text) {
  size_t length = strlen(text);
  while (length) { // a server that has refused may have closed
    ssize_t some = send(fd, text, length, MSG_NOSIGNAL);
    if (some <= 0) return;
    text += some, length -= (size_t)some;
  }
}

// Reads until the text contains `until`, the other side closes, or so many seconds have passed. Appends to what is in `out`.
static inline bool live_read(int fd, const char *until, double seconds, char *out, size_t size) {
  double end = clock_seconds() + seconds;
  size_t length = strlen(out);
  while (length + 1 < size && !(until && strstr(out, until))) {
    struct pollfd one = {fd, POLLIN, 0};
    double left = end - clock_seconds();
    if (left <= 0 || poll(&one, 1, (int)(1000 * left) + 1) <= 0) break;
    ssize_t some = recv(fd, out + length, size - 1 - length, 0);
    if (some <= 0) break;
    length += (size_t)some;
    out[length] = 0;
  }
  return until && strstr(out, until);
}

// Sends a request and returns the status of its answer, 0: there is none. The answer stays in `out` until the next call.
static inline int live_ask(const char *address, const char *request, char *out, size_t size) {
  int fd = live_connect(address);
  out[0] = 0;
  live_send(fd, request);
  shutdown(fd, SHUT_WR);
  live_read(fd, NULL, 20, out, size);
  close(fd);
  return strncmp(out, "HTTP/1.", 7) == 0 ? atoi(out + 9) : 0;
}
