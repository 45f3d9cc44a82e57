// Interval arithmetic without directed rounding (Moore, Interval Analysis, 1966): the result of a monotonic operation is
// spanned by its values at the ends of the operands. Ends may be infinite.
#include "expr/range.h"

#include <math.h>

typedef OpRange RangeRule(Op op, OpRange a, OpRange b, bool same);

static const OpRange WHOLE_LINE = {-HUGE_VAL, HUGE_VAL};

static OpRange span(const double *ends, int count) {
  OpRange r = {HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < count; i++) {
    if (isnan(ends[i])) return WHOLE_LINE;
    r.low = fmin(r.low, ends[i]);
    r.high = fmax(r.high, ends[i]);
  }
  return r;
}

static OpRange range_any(Op op, OpRange a, OpRange b, bool same) {
  return (void)op, (void)a, (void)b, (void)same, WHOLE_LINE;
}

static OpRange range_add(Op op, OpRange a, OpRange b, bool same) {
  (void)op, (void)same;
  return span((double[]){a.low + b.low, a.high + b.high}, 2);
}

static OpRange range_sub(Op op, OpRange a, OpRange b, bool same) {
  (void)op, (void)same;
  return span((double[]){a.low - b.high, a.high - b.low}, 2);
}

static OpRange range_neg(Op op, OpRange a, OpRange b, bool same) {
  return (void)op, (void)b, (void)same, (OpRange){-a.high, -a.low};
}

static OpRange range_mul(Op op, OpRange a, OpRange b, bool same) {
  (void)op;
  OpRange r = span((double[]){a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}, 4);
  if (same) r.low = fmax(r.low, 0);
  return r;
}

static OpRange range_div(Op op, OpRange a, OpRange b, bool same) {
  (void)op, (void)same;
  if (b.low <= 0 && b.high >= 0) return WHOLE_LINE;
  return span((double[]){a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high}, 4);
}

// Functions that rise everywhere they are defined. Below the domain (log of a negative number) there is no lower bound.
static OpRange range_rising(Op op, OpRange a, OpRange b, bool same) {
  (void)b, (void)same;
  double low = op_apply(op, a.low, 0, 0);
  return (OpRange){isnan(low) ? -HUGE_VAL : low, op_apply(op, a.high, 0, 0)};
}

static OpRange range_unit(Op op, OpRange a, OpRange b, bool same) {
  return (void)op, (void)a, (void)b, (void)same, (OpRange){-1, 1};
}

static OpRange range_abs(Op op, OpRange a, OpRange b, bool same) {
  (void)op, (void)b, (void)same;
  return (OpRange){0, fmax(fabs(a.low), fabs(a.high))};
}

static OpRange range_pow(Op op, OpRange a, OpRange b, bool same) {
  (void)op, (void)b, (void)same;
  return a.low >= 0 ? (OpRange){0, HUGE_VAL} : WHOLE_LINE;
}

static RangeRule *const RULES[OP_COUNT] = {
#define OP(name, args, kind, text, value, derivative, simplification, range, ...)                  \
  [OP_##name] = range,
#include "expr/ops.def"
};

OpRange op_range(Op op, OpRange a, OpRange b, bool same) {
  return RULES[op](op, a, b, same);
}
