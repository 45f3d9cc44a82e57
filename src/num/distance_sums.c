// By tree: the points of a box at a distance are replaced by their number n, centroid c and second moments M, sum of
// (p - c)(p - c)'. With R = |x - c| and u = (x - c)/R, sum over p of |x - p| = n R + (tr M - u'M u)/(2R) + terms of the third
// order, about n s (s/R)^2 for a box of rms size s. Boxes for which that is no more than share * n D, D the mean distance of
// points, are used whole, others are opened, down to their points. All points of a leaf share one list of boxes. As every sum
// is at least N D/2 (of N D = mean of the sums, by the triangle inequality), errors relative to it are at most 2 share; they
// have either sign and are far smaller. Boxes so small that their points are one (s <= TINY D) are always used whole.
//
// The share is the largest of a few for which the sums of some points, chosen all over the tree, are wrong by no more than
// a third of DISTANCES_ERROR; their exact sums cost little beside all others. The last one opens everything, which is exact.
#include "num/distance_sums.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LANES = 64 }; // numbers that are computed together

static double sum_of(const double *x, int count) {
  double lane[8] = {0}, sum = 0;
  int i = 0;
  for (; i + 8 <= count; i += 8)
    for (int l = 0; l < 8; l++) lane[l] += x[i + l];
  for (; i < count; i++) lane[0] += x[i];
  for (int l = 0; l < 8; l++) sum += lane[l];
  return sum;
}

// Distances of a point to `count` <= LANES others, which begin at `first` of each coordinate.
static void distances(double *const *at, int width, const double *point, int first, int count,
                      double *out) {
  for (int i = 0; i < count; i++) out[i] = 0;
  for (int k = 0; k < width; k++) {
    const double *x = at[k] + first, p = point[k];
    for (int i = 0; i < count; i++) out[i] += (x[i] - p) * (x[i] - p);
  }
  for (int i = 0; i < count; i++) out[i] = sqrt(out[i]);
}

// ---------------------------------------------------------------- every pair

static void all_pairs(const Cloud *c, double *sum) {
  Arena *a = arena_new();
  int width;
  double **at = cloud_units(a, c, &width), part[LANES];
  double *point = ARENA_ARRAY(a, double, width + 1);
  for (int i = 0; i < c->count; i++) sum[i] = 0;
  for (int i = 0; i < c->count; i++) {
    double own = 0;
    for (int k = 0; k < width; k++) point[k] = at[k][i];
    for (int j = i + 1; j < c->count; j += LANES) {
      int some = c->count - j < LANES ? c->count - j : LANES;
      distances(at, width, point, j, some, part);
      for (int l = 0; l < some; l++) sum[j + l] += part[l];
      own += sum_of(part, some);
    }
    sum[i] += own;
  }
  arena_free(a);
}

// ---------------------------------------------------------------- moments of boxes

typedef struct Moments { // by node
  const CloudTree *t;
  double *centre; // [node*width + k]
  double *second; // [node*pairs + ...]: M, upper triangle by rows
  double *size;   // of the box: root of the mean square distance of its points to their centroid
  double *radius; // of the box, from the centroid
  int pairs;      // width*(width + 1)/2
} Moments;

static void add_offset(const Moments *m, double weight, const double *offset, double *second) {
  for (int k = 0, at = 0; k < m->t->width; k++)
    for (int l = k; l < m->t->width; l++) second[at++] += weight * offset[k] * offset[l];
}

static void moments_of_leaf(const Moments *m, int node, double *offset) {
  const CloudTree *t = m->t;
  const CloudNode *n = &t->nodes[node];
  double *centre = m->centre + (size_t)node * (size_t)t->width;
  double *second = m->second + (size_t)node * (size_t)m->pairs;
  bool one = cloud_node_is_one(t, node);
  for (int k = 0; k < t->width; k++)
    centre[k] = one ? t->at[k][n->first] : sum_of(t->at[k] + n->first, n->count) / n->count;
  for (int i = n->first; i < n->first + n->count && !one; i++) {
    for (int k = 0; k < t->width; k++) offset[k] = t->at[k][i] - centre[k];
    add_offset(m, 1, offset, second);
  }
}

static void moments_of_parent(const Moments *m, int node, double *offset) {
  const CloudTree *t = m->t;
  const CloudNode *n = &t->nodes[node];
  const int child[2] = {n->left, n->right};
  double *centre = m->centre + (size_t)node * (size_t)t->width;
  double *second = m->second + (size_t)node * (size_t)m->pairs;
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < t->width; k++)
      centre[k] += m->centre[child[s] * t->width + k] * t->nodes[child[s]].count / n->count;
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < t->width; k++) offset[k] = m->centre[child[s] * t->width + k] - centre[k];
    add_offset(m, t->nodes[child[s]].count, offset, second);
    for (int k = 0; k < m->pairs; k++) second[k] += m->second[child[s] * m->pairs + k];
  }
}

static double radius_of_box(const Moments *m, int node) {
  double sum = 0;
  for (int k = 0; k < m->t->width; k++) {
    int at = node * m->t->width + k;
    double reach = fmax(m->t->most[at] - m->centre[at], m->centre[at] - m->t->least[at]);
    sum += reach * reach;
  }
  return sqrt(sum);
}

static double size_of_box(const Moments *m, int node) {
  double trace = 0;
  const double *second = m->second + (size_t)node * (size_t)m->pairs;
  for (int k = 0, at = 0; k < m->t->width; at += m->t->width - k++) trace += second[at];
  return sqrt(trace / m->t->nodes[node].count);
}

static Moments moments_new(Arena *a, const CloudTree *t) {
  Moments m = {.t = t, .pairs = t->width * (t->width + 1) / 2};
  double *offset = ARENA_ARRAY(a, double, t->width + 1);
  m.centre = ARENA_ARRAY(a, double, (size_t)t->node_count *(size_t)t->width + 1);
  m.second = ARENA_ARRAY(a, double, (size_t)t->node_count *(size_t)m.pairs + 1);
  m.size = ARENA_ARRAY(a, double, t->node_count + 1);
  m.radius = ARENA_ARRAY(a, double, t->node_count + 1);
  for (int node = t->node_count - 1; node >= 0; node--) { // children come after their parents
    (t->nodes[node].left < 0 ? moments_of_leaf : moments_of_parent)(&m, node, offset);
    m.size[node] = size_of_box(&m, node);
    m.radius[node] = radius_of_box(&m, node);
  }
  return m;
}

// ---------------------------------------------------------------- lists of boxes

typedef struct BoxList { // that a box of points sees
  const Moments *m;
  double share, mean; // of the error; mean distance of points
  int *open;          // a stack of nodes
  // Boxes that are used whole: count, centre[k][i], second[pair][i].
  int whole;
  double *number, **centre, **second;
  int *near, near_count; // leaves whose points are used
} BoxList;

static BoxList list_new(Arena *a, const Moments *m) {
  int most = m->t->node_count + 1;
  BoxList b = {.m = m, .open = ARENA_RAW(a, int, most), .number = ARENA_RAW(a, double, most)};
  b.centre = ARENA_ARRAY(a, double *, m->t->width + 1);
  b.second = ARENA_ARRAY(a, double *, m->pairs + 1);
  for (int k = 0; k < m->t->width; k++) b.centre[k] = ARENA_RAW(a, double, most);
  for (int k = 0; k < m->pairs; k++) b.second[k] = ARENA_RAW(a, double, most);
  b.near = ARENA_RAW(a, int, most);
  return b;
}

static double square_to_box(const Moments *m, int node, const double *least, const double *most) {
  double sum = 0;
  for (int k = 0; k < m->t->width; k++) {
    double c = m->centre[node * m->t->width + k];
    double off = c < least[k] ? least[k] - c : c > most[k] ? c - most[k] : 0;
    sum += off * off;
  }
  return sum;
}

static void add_whole(BoxList *b, int node) {
  const Moments *m = b->m;
  int at = b->whole++;
  b->number[at] = m->t->nodes[node].count;
  for (int k = 0; k < m->t->width; k++) b->centre[k][at] = m->centre[node * m->t->width + k];
  for (int k = 0; k < m->pairs; k++) b->second[k][at] = m->second[node * m->pairs + k];
}

static const double TINY = 1e-4, NEAR = 1.2; // of the mean distance; of the size of a box

static bool is_whole(const BoxList *b, int node, const double *least, const double *most) {
  double size = b->m->size[node], radius = b->m->radius[node];
  if (size <= (b->share > 0 ? TINY * b->mean : 0)) return true;
  double square = square_to_box(b->m, node, least, most);
  return square > NEAR * NEAR * radius * radius &&
         size * size * radius <= b->share * b->mean * square;
}

// What the points between least and most see.
static void fill_list(BoxList *b, const double *least, const double *most) {
  const Moments *m = b->m;
  int open = 0;
  b->whole = b->near_count = 0;
  b->open[open++] = 0;
  while (open) {
    int node = b->open[--open];
    const CloudNode *n = &m->t->nodes[node];
    if (is_whole(b, node, least, most))
      add_whole(b, node);
    else if (n->left < 0)
      b->near[b->near_count++] = node;
    else
      b->open[open++] = n->right, b->open[open++] = n->left;
  }
}

// Boxes first .. first + count - 1 of the list, count <= LANES.
static double sum_of_boxes(const BoxList *b, const double *point, int first, int count) {
  const int width = b->m->t->width;
  double square[LANES] = {0}, trace[LANES] = {0}, along[LANES] = {0};
  for (int k = 0, pair = 0; k < width; k++)
    for (int l = k; l < width; l++, pair++) {
      const double *x = b->centre[k] + first, *y = b->centre[l] + first;
      const double *M = b->second[pair] + first, p = point[k], q = point[l];
      if (l == k)
        for (int i = 0; i < count; i++) {
          double s = (x[i] - p) * (x[i] - p);
          square[i] += s, trace[i] += M[i], along[i] += M[i] * s;
        }
      else
        for (int i = 0; i < count; i++) along[i] += 2 * M[i] * (x[i] - p) * (y[i] - q);
    }
  const double *number = b->number + first;
  for (int i = 0; i < count; i++) {
    double safe = square[i] > 0 ? square[i] : 1, R = sqrt(safe);
    double more = (trace[i] - along[i] / safe) / (2 * R), most = sqrt(number[i] * trace[i]);
    more = more < most ? more : most; // near its centre a tiny box is no more than that away
    square[i] = square[i] > 0 ? number[i] * R + more : most;
  }
  return sum_of(square, count);
}

static double sum_at(const BoxList *b, const double *point) {
  const CloudTree *t = b->m->t;
  double sum = 0, part[LANES];
  for (int first = 0; first < b->whole; first += LANES)
    sum += sum_of_boxes(b, point, first, b->whole - first < LANES ? b->whole - first : LANES);
  for (int n = 0; n < b->near_count; n++) {
    const CloudNode *leaf = &t->nodes[b->near[n]];
    distances(t->at, t->width, point, leaf->first, leaf->count, part);
    sum += sum_of(part, leaf->count);
  }
  return sum;
}

static void point_at(const CloudTree *t, int position, double *point) {
  for (int k = 0; k < t->width; k++) point[k] = t->at[k][position];
}

// ---------------------------------------------------------------- the share

enum { TRIALS = 96 };
static const double SHARES[] = {0.02, 8e-3, 3e-3, 1e-3, 3e-4, 1e-4, 0};
enum { SHARE_COUNT = sizeof SHARES / sizeof *SHARES };
static const double SAFETY = 3; // others may be worse than those that are tried

// Positions of points: some evenly among the points, some evenly among the leaves, which are where there are few.
static int choose_trials(const CloudTree *t, int position[TRIALS]) {
  int leaves = 0, count = 0, next = 0;
  for (int n = 0; n < t->node_count; n++) leaves += t->nodes[n].left < 0;
  for (int i = 0; i < TRIALS / 2; i++)
    position[count++] = (int)((2 * i + 1) * (double)t->count / TRIALS);
  for (int n = 0, seen = 0; n < t->node_count && count < TRIALS; n++) {
    if (t->nodes[n].left >= 0) continue;
    if (seen++ < 2.0 * next * leaves / TRIALS) continue;
    position[count++] = t->nodes[n].first;
    next++;
  }
  return count;
}

static double exact_sum(const CloudTree *t, const double *point) {
  double sum = 0, part[LANES];
  for (int first = 0; first < t->count; first += LANES) {
    int some = t->count - first < LANES ? t->count - first : LANES;
    distances(t->at, t->width, point, first, some, part);
    sum += sum_of(part, some);
  }
  return sum;
}

// Chooses the share of the list. Returns the largest relative error that was seen.
static double choose_share(BoxList *b, double *point) {
  const CloudTree *t = b->m->t;
  int position[TRIALS], trials = choose_trials(t, position);
  double exact[TRIALS], worst = 0;
  for (int i = 0; i < trials; i++) {
    point_at(t, position[i], point);
    exact[i] = exact_sum(t, point);
    if (i < TRIALS / 2)
      b->mean += 2 * exact[i] / t->count / TRIALS; // those evenly among the points
  }
  for (int o = 0; o < SHARE_COUNT; o++) {
    b->share = SHARES[o];
    worst = 0;
    for (int i = 0; i < trials && worst <= DISTANCES_ERROR / SAFETY; i++) {
      point_at(t, position[i], point);
      fill_list(b, point, point);
      if (exact[i] > 0) worst = fmax(worst, fabs(sum_at(b, point) / exact[i] - 1));
    }
    if (worst <= DISTANCES_ERROR / SAFETY) break;
  }
  return worst;
}

// ---------------------------------------------------------------- all points

double distance_sums_by_tree(const Cloud *c, double *sum) {
  Arena *a = arena_new();
  const CloudTree *t = cloud_tree(a, c);
  Moments m = moments_new(a, t);
  BoxList b = list_new(a, &m);
  double *point = ARENA_ARRAY(a, double, t->width + 1);
  double error = t->node_count && t->width ? choose_share(&b, point) : 0;
  for (int node = 0; node < t->node_count; node++) {
    const CloudNode *n = &t->nodes[node];
    if (n->left >= 0) continue;
    bool one = cloud_node_is_one(t, node);
    fill_list(&b, t->least + (size_t)node * (size_t)t->width,
              t->most + (size_t)node * (size_t)t->width);
    for (int i = n->first; i < n->first + n->count; i++) {
      point_at(t, i, point);
      sum[t->order[i]] = one && i > n->first ? sum[t->order[n->first]] : sum_at(&b, point);
    }
  }
  arena_free(a);
  return error;
}

double distance_sums(const Cloud *c, double *sum) {
  if (c->count > DISTANCES_EXACT) return distance_sums_by_tree(c, sum);
  all_pairs(c, sum);
  return 0;
}
