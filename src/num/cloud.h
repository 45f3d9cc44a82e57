// Points in a space whose axes have their ranges as units, and a k-d tree over them.
#pragma once
#include "base/arena.h"

typedef struct Cloud {
  int count, width;        // points, variables
  const double *const *at; // at[k][i]: variable k of point i; they and their ranges are finite
} Cloud;

typedef struct CloudRange {
  double least, range; // range: largest - least, 0: the variable does not change
} CloudRange;

CloudRange cloud_range(const double *values, int count);
// Variables in units of their ranges from their least values, 0 to 1: unit[k][i]. Those that do not change are left out;
// *width gets how many there are. Multiplying a variable by a power of two changes no bit of it.
double **cloud_units(Arena *a, const Cloud *c, int *width);

// A box of points: those at positions first .. first + count - 1 of the tree.
typedef struct CloudNode {
  int first, count;
  int left, right; // nodes; -1: a leaf. Children come after their parents.
} CloudNode;

// Boxes are cut in the middle of their longest side until few points are left or all are the same, so that any number of
// equal points is one leaf.
typedef struct CloudTree {
  int count, width;
  double **at; // at[k][position], in units of the ranges
  int *order;  // by position: number of the point
  CloudNode *nodes;
  int node_count;       // 0: there are no points
  double *least, *most; // boxes: [node*width + k], exact
} CloudTree;

enum { CLOUD_LEAF = 16 }; // points of a leaf that are not all the same

CloudTree *cloud_tree(Arena *a, const Cloud *c);
// Whether all points of the node are the same.
int cloud_node_is_one(const CloudTree *t, int node);
