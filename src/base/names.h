// A table from names to ints. Names are copied into the arena of the table.
#pragma once
#include "base/arena.h"

typedef struct Names Names;

Names *names_new(Arena *a);                            // lives in a
int names_find(const Names *n, const char *name);      // -1: absent
void names_set(Names *n, const char *name, int value); // adds or replaces
int names_count(const Names *n);
const char *names_at(const Names *n, int i); // in the order of adding
