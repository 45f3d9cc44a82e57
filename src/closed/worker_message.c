#include "closed/worker_message.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void message_init(Message *m) {
  *m = (Message){0};
}

void message_done(Message *m) {
  free(m->at);
  *m = (Message){0};
}

void message_clear(Message *m) {
  m->length = m->next = 0;
  m->bad = false;
}

static void reserve(Message *m, size_t length) {
  if (length <= m->room) return;
  size_t room = m->room ? m->room : 1024;
  while (room < length) room *= 2;
  m->at = must_have(realloc(m->at, room));
  m->room = room;
}

char *message_room(Message *m, size_t length) {
  message_clear(m);
  reserve(m, length + 1);
  m->length = length;
  return m->at;
}

// ---------------------------------------------------------------- writing

void put_bytes(Message *m, const void *bytes, size_t length) {
  reserve(m, m->length + length);
  if (length) memcpy(m->at + m->length, bytes, length);
  m->length += length;
}

void put_int(Message *m, long value) {
  put_bytes(m, &value, sizeof value);
}

void put_number(Message *m, double value) {
  put_bytes(m, &value, sizeof value);
}

void put_numbers(Message *m, const double *values, size_t count) {
  put_int(m, (long)count);
  put_bytes(m, values, count * sizeof *values);
}

void put_ints(Message *m, const int *values, int count) {
  put_int(m, count);
  put_bytes(m, values, (size_t)count * sizeof *values);
}

void put_text(Message *m, const char *text) {
  put_int(m, text ? (long)strlen(text) : -1);
  if (text) put_bytes(m, text, strlen(text));
}

// ---------------------------------------------------------------- reading

bool get_bytes(Message *m, void *bytes, size_t length) {
  if (m->bad || length > m->length - m->next) {
    memset(bytes, 0, length);
    m->bad = true;
    return false;
  }
  if (length) memcpy(bytes, m->at + m->next, length);
  m->next += length;
  return true;
}

long get_int(Message *m) {
  long value;
  get_bytes(m, &value, sizeof value);
  return value;
}

int get_count(Message *m, size_t size) {
  long count = get_int(m);
  if (count >= 0 && (size_t)count <= (m->length - m->next) / (size ? size : 1)) return (int)count;
  m->bad = true;
  return 0;
}

double get_number(Message *m) {
  double value;
  get_bytes(m, &value, sizeof value);
  return value;
}

const double *get_numbers(Message *m, Arena *a, int *count) {
  *count = get_count(m, sizeof(double));
  double *values = ARENA_RAW(a, double, *count + 1);
  get_bytes(m, values, (size_t)*count * sizeof *values);
  return values;
}

const int *get_ints(Message *m, Arena *a, int *count) {
  *count = get_count(m, sizeof(int));
  int *values = ARENA_RAW(a, int, *count + 1);
  get_bytes(m, values, (size_t)*count * sizeof *values);
  return values;
}

const char *get_text(Message *m, Arena *a) {
  long length = get_int(m);
  if (length < 0) return NULL;
  if (m->bad || (size_t)length > m->length - m->next) {
    m->bad = true;
    return "";
  }
  const char *text = arena_copy(a, m->at + m->next, (size_t)length);
  m->next += (size_t)length;
  return text;
}
