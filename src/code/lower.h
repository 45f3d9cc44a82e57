// Expressions to a Program: ordering, fused multiply-adds, sin and cos of one argument together, blocks.
#pragma once
#include "code/code.h"
#include "expr/expr.h"

// Where a node comes from when the program does not compute it: by node; segment -1 = computed here.
typedef struct Location {
  signed char segment;
  int index;
} Location;

typedef struct NewtonPlace { // slots of work[] of a Newton block, see roots.h
  int block, n, inputs;
  int input, solution, anchor;
} NewtonPlace;

typedef struct Lowered {
  Program program;
  Expr *node_of; // by instruction: the node it computes, -1 = none; for messages
  Code **inner;  // code of the Newton blocks
  int inner_count;
  NewtonPlace *newton;
  int newton_count;
} Lowered;

// where has where_count entries; nodes beyond are computed. input_counts: sizes of the three input segments.
Lowered *lower(Graph *g, Arena *a, const Expr *outputs, int count, const Location *where,
               int where_count, const int input_counts[SEGMENTS], CodeChoice choice);
void lowered_done(Lowered *l); // frees the inner codes; the rest belongs to the arena

typedef struct Operations { // how much work a program is
  int arithmetic, calls, blocks;
} Operations;
Operations program_operations(const Program *p);
