// Small linear systems: LU factorisation, for one right-hand side or a block of them. Nothing
// allocates but lu_new.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "num/pattern.h"

typedef struct Lu Lu;

Lu *lu_new(Arena *a, int n);
// For shift*I + scale*A with A of this square pattern (kept: it must outlive the Lu). Pivots are
// taken from the diagonal in an order that keeps the factors sparse; where such a pivot is poor,
// rows are exchanged instead (dense).
Lu *lu_new_sparse(Arena *a, const Pattern *pattern);

// Partial pivoting, A by rows. Returns false when A is singular or not finite; the factors are then
// undefined.
bool lu_factor(Lu *lu, const double *A);
bool lu_factor_sparse(Lu *lu, const double *values, double scale, double shift);

void lu_solve(const Lu *lu, const double *b, double *x); // b and x must not overlap
// Columns side by side: B[i*stride + c], X likewise; they must not overlap and have room for 4
// numbers behind the last.
void lu_solve_block(const Lu *lu, const double *B, int columns, int stride, double *X);

int lu_count(const Lu *lu); // nonzeros of the factors, with the diagonal
