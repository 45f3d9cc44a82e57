// Tables in the model text, as expressions of the graph:
//   Entrain.Tables.linear(u, {x...}, {y...}, beyond)      lines between the points; an x that occurs twice is a jump
//   Entrain.Tables.hold(...)                              the value of the point to the left
//   Entrain.Tables.spline(...)  makima, monotone, monotone2: splines with continuous slopes (table_pieces.h)
//   Entrain.Tables.linear2(u1, u2, {x...}, {y...}, {{z...}, ...}[, beyond])  bilinear; z by rows of one x
// beyond: 1 hold the last value, 2 continue the last two points, 3 periodic, 4 it must not be left. The x are numbers at the
// values of their parameters; the y of linear and hold may be parameters that are estimated.
#pragma once
#include "model/scope.h"

bool is_table_call(const char *name);
Typed table_call(Scope *s, const Ast *call);
