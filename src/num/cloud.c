#include "num/cloud.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

// ---------------------------------------------------------------- ranges

CloudRange cloud_range(const double *values, int count) {
  double least = count ? values[0] : 0, most = least;
  for (int i = 1; i < count; i++) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  return (CloudRange){least, most - least};
}

double **cloud_units(Arena *a, const Cloud *c, int *width) {
  double **unit = ARENA_ARRAY(a, double *, c->width + 1);
  *width = 0;
  for (int k = 0; k < c->width; k++) {
    CloudRange r = cloud_range(c->at[k], c->count);
    if (!(r.range > 0)) continue;
    double *to = unit[(*width)++] = ARENA_RAW(a, double, c->count + 1);
    for (int i = 0; i < c->count; i++) to[i] = (c->at[k][i] - r.least) / r.range;
  }
  return unit;
}

// ---------------------------------------------------------------- tree

typedef struct TreeBuilder {
  Arena *a;
  CloudTree *t;
  double **unit; // by number of the point
  ARRAY(CloudNode) nodes;
  ARRAY(double) least, most;
} TreeBuilder;

static int add_node(TreeBuilder *b, int first, int count) {
  CloudTree *t = b->t;
  array_push(b->a, &b->nodes, ((CloudNode){first, count, -1, -1}));
  for (int k = 0; k < t->width; k++) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = first; i < first + count; i++) {
      double v = b->unit[k][t->order[i]];
      least = v < least ? v : least;
      most = v > most ? v : most;
    }
    array_push(b->a, &b->least, least);
    array_push(b->a, &b->most, most);
  }
  return b->nodes.count - 1;
}

static int longest_side(const TreeBuilder *b, int node, double *length) {
  int longest = 0, width = b->t->width;
  *length = 0;
  for (int k = 0; k < width; k++) {
    double side = b->most.at[node * width + k] - b->least.at[node * width + k];
    if (side > *length) *length = side, longest = k;
  }
  return longest;
}

// Points at most `cut` come first; returns how many.
static int part(const double *value, int *order, int count, double cut) {
  int low = 0, high = count - 1;
  for (;;) {
    while (low < count && value[order[low]] <= cut) low++;
    while (high >= 0 && value[order[high]] > cut) high--;
    if (low > high) return low;
    int other = order[low];
    order[low] = order[high], order[high] = other;
  }
}

// A stack of its own: boxes cut in the middle may be nested a thousand times.
static void build(TreeBuilder *b) {
  IntArray open = {0};
  array_push(b->a, &open, add_node(b, 0, b->t->count));
  while (open.count) {
    int node = open.at[--open.count];
    CloudNode n = b->nodes.at[node];
    double length;
    int side = longest_side(b, node, &length);
    if (n.count <= CLOUD_LEAF || !(length > 0)) continue;
    double least = b->least.at[node * b->t->width + side], cut = least + length / 2;
    if (cut >= b->most.at[node * b->t->width + side]) cut = least; // neighbours among numbers
    int left = part(b->unit[side], b->t->order + n.first, n.count, cut);
    int a = add_node(b, n.first, left), c = add_node(b, n.first + left, n.count - left);
    b->nodes.at[node].left = a, b->nodes.at[node].right = c;
    array_push(b->a, &open, c);
    array_push(b->a, &open, a);
  }
}

CloudTree *cloud_tree(Arena *a, const Cloud *c) {
  CloudTree *t = ARENA_NEW(a, CloudTree);
  TreeBuilder b = {.a = a, .t = t, .unit = cloud_units(a, c, &t->width)};
  t->count = c->count;
  t->order = ARENA_RAW(a, int, c->count + 1);
  for (int i = 0; i < c->count; i++) t->order[i] = i;
  if (c->count) build(&b);
  t->nodes = b.nodes.at, t->node_count = b.nodes.count;
  t->least = b.least.at, t->most = b.most.at;
  t->at = ARENA_ARRAY(a, double *, t->width + 1);
  for (int k = 0; k < t->width; k++) {
    t->at[k] = ARENA_RAW(a, double, c->count + 1);
    for (int i = 0; i < c->count; i++) t->at[k][i] = b.unit[k][t->order[i]];
  }
  return t;
}

int cloud_node_is_one(const CloudTree *t, int node) {
  for (int k = 0; k < t->width; k++)
    if (t->most[node * t->width + k] > t->least[node * t->width + k]) return 0;
  return 1;
}
