// Messages between processes of one machine: numbers as they lie in memory, texts with their length. A reader never looks
// beyond the end: after the first number that is not there everything reads as 0, and `bad` stays true.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct Message { // heap; message_init / message_done
  char *at;
  size_t length, room;
  size_t next; // where reading goes on
  bool bad;    // more was read than there is
} Message;

void message_init(Message *m);
void message_done(Message *m);
void message_clear(Message *m); // empty again, keeps its room
char *message_room(Message *m,
                   size_t length); // makes the message so long; the bytes to be filled in

void put_bytes(Message *m, const void *bytes, size_t length);
void put_int(Message *m, long value);
void put_number(Message *m, double value);
void put_numbers(Message *m, const double *values, size_t count); // with their count
void put_ints(Message *m, const int *values, int count);          // the same
void put_text(Message *m, const char *text);                      // NULL reads as NULL

bool get_bytes(Message *m, void *bytes, size_t length);
long get_int(Message *m);
int get_count(
    Message *m,
    size_t size); // an int >= 0 of things that take at least `size` bytes of the message each
double get_number(Message *m);
const double *get_numbers(Message *m, Arena *a, int *count);
const int *get_ints(Message *m, Arena *a, int *count);
const char *get_text(Message *m, Arena *a);
