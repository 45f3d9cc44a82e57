// Functions of time from samples: constant, hold, linear, spline. Constant beyond the first and the
// last sample.
//
// An input is a row of pieces that meet at breaks. Each integration keeps one int for each input,
// the piece it is in:
//   piece = input_piece(in, t, +1) at the start and after each restart (-1: time runs backwards).
// One that jumps keeps to this piece: the step that ends on a break sees the old value there, and
// only the restart makes the new one visible. Where the function is continuous, input_eval moves
// the piece with t by itself.
#pragma once
#include "base/csv.h"
#include "expr/range.h"

typedef enum InputKind {
  INPUT_HOLD,   // the last sample at or before t
  INPUT_LINEAR, // straight between samples
  INPUT_SPLINE, // cubic, twice differentiable: not-a-knot from 4 samples, natural below
} InputKind;

enum { INPUT_KINDS = INPUT_SPLINE + 1 };

bool input_kind_find(const char *name, InputKind *kind); // "hold", "linear", "spline"
const char *input_kind_word(InputKind kind);

typedef struct Input Input; // fixed once made: may be shared by threads

Input *input_constant(Arena *a, double value);
// Rows with a missing (NaN) value are skipped; all times must be finite and must not decrease. Two rows of one
// time are a jump. t and v are not kept. NULL and an error that names the row (from 1) otherwise, or when no value is left.
Input *input_new(Arena *a, const double *t, const double *v, int n, InputKind kind, Err *err);
// As input_new from two columns of a table; errors carry file:line and the name of the column.
Input *input_from_table(Arena *a, const Table *table, int time, int column, InputKind kind,
                        Err *err);

// The same function of the time since origin: a copy, or at origin 0 the input itself.
const Input *input_since(Arena *a, const Input *in, double origin);

// The same samples, interpolated in this way.
const Input *input_as(Arena *a, const Input *in, InputKind kind);
bool input_is_sampled(const Input *in); // not a constant
// The samples that it was made from, without missing ones; a constant has one. Returns their number.
int input_samples(const Input *in, const double **t, const double **v);

InputKind input_kind(const Input *in); // of a constant: INPUT_HOLD
bool input_jumps(const Input *in);     // held, or with two samples at one time
// The piece that begins at or before t (direction >= 0) or ends at or after t (direction < 0).
int input_piece(const Input *in, double t, int direction);
// The same as input_piece(in, t, +1), fast if it is `guess` or one of the next ones.
int input_piece_near(const Input *in, double t, int guess);
// Value and time derivative (slope may be NULL). Does not allocate.
void input_eval(const Input *in, double t, int *piece, double *value, double *slope);
double input_value(const Input *in, double t); // from the piece that begins at or before t
// The highest derivative that is continuous between the first and the last sample; -1: not even the value.
int input_smoothness(const Input *in);
// The same across the breaks between two pieces, those at the first and the last sample included.
int input_smoothness_between(const Input *in, int from, int to);
// Values of many, and their three derivatives: du[i], du[stride + i], du[2*stride + i].
void input_eval_all(const Input *const *in, int count, double t, int *piece, double *u, double *du,
                    int stride);
// Bounds of its values in a stretch of time, both ends included; those of curves are infinite.
OpRange input_range(const Input *in, double from, double until);
// The first time after t where the function is not smooth, HUGE_VAL when there is none: hold jumps there and must be
// restarted, the slope of linear jumps. Samples that change nothing do not count; nor do those of a spline across which
// its third derivative changes so little that the value is wrong by no more than tolerance (relative to the largest).
double input_next_break(const Input *in, double t, double tolerance);
