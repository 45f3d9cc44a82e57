// Grid: the cells of a sample become one number, variable by variable; whenever the next variable could make it too large,
// the numbers in use are counted and take its place. So there may be any number of cells.
//
// Ellipses: two trees over the same points are descended together. A pair of boxes that are farther apart than the ratio
// counts nothing, one whose points are all nearer counts whole, and only what is between is divided. Sums of rounded
// squares never decrease when their terms grow, so boxes decide as their points would.
#include "num/density.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double BORDER = 1e-9; // of a cell, or of the ratio

// ---------------------------------------------------------------- cells

typedef struct CellKeys {
  int count;       // points
  uint64_t *key;   // by point
  uint64_t bound;  // all keys are below
  uint64_t *table; // of keys + 1, room is a power of two
  int *number;     // by place of the table
  int room;
} CellKeys;

static uint64_t mixed(uint64_t x) { // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Numbers the keys in the order in which they first occur. Returns how many there are.
static int number_keys(CellKeys *c, int *out) {
  int used = 0;
  memset(c->table, 0, (size_t)c->room * sizeof *c->table);
  for (int i = 0; i < c->count; i++) {
    uint64_t key = c->key[i] + 1, place = mixed(key) & (uint64_t)(c->room - 1);
    while (c->table[place] && c->table[place] != key) place = (place + 1) & (uint64_t)(c->room - 1);
    if (!c->table[place]) c->table[place] = key, c->number[place] = used++;
    out[i] = c->number[place];
  }
  return used;
}

static void shorten_keys(Arena *a, CellKeys *c) {
  int *number = ARENA_RAW(a, int, c->count + 1);
  c->bound = (uint64_t)number_keys(c, number);
  for (int i = 0; i < c->count; i++) c->key[i] = (uint64_t)number[i];
}

typedef struct GridAxis {
  const double *value;
  CloudRange range;
  int cells;
  double shift; // of a cell
} GridAxis;

// Position in units of cells.
static double place_on(const GridAxis *x, int i) {
  return (x->value[i] - x->range.least) * x->cells / x->range.range + x->shift;
}

static int cell_on(const GridAxis *x, int i) {
  int cell = (int)(place_on(x, i) + BORDER);
  return x->shift == 0 && cell >= x->cells ? x->cells - 1 : cell;
}

static void add_axis(Arena *a, CellKeys *c, const GridAxis *x) {
  uint64_t cells = (uint64_t)x->cells + 1;
  if (c->bound > UINT64_MAX / cells - 1) shorten_keys(a, c);
  for (int i = 0; i < c->count; i++) c->key[i] = c->key[i] * cells + (uint64_t)cell_on(x, i);
  c->bound *= cells;
}

static CellKeys cells_new(Arena *a, int count) {
  CellKeys c = {.count = count, .bound = 1, .room = 64};
  while (c.room < 2 * count) c.room *= 2;
  c.key = ARENA_ARRAY(a, uint64_t, count + 1);
  c.table = ARENA_RAW(a, uint64_t, c.room);
  c.number = ARENA_RAW(a, int, c.room);
  return c;
}

// ---------------------------------------------------------------- grid

typedef struct CellGrid {
  GridAxis *axes; // those that change
  int width;
  int *cell; // by point: number of its cell
  int used;
} CellGrid;

static double off_middle(const CellGrid *g, int i) {
  double sum = 0;
  for (int k = 0; k < g->width; k++) {
    double off = place_on(&g->axes[k], i) - cell_on(&g->axes[k], i) - 0.5;
    sum += off * off;
  }
  return sum;
}

static void add_counts(Arena *a, const CellGrid *g, int count, double part, double *weight) {
  int *samples = ARENA_ARRAY(a, int, g->used + 1);
  for (int i = 0; i < count; i++) samples[g->cell[i]]++;
  for (int i = 0; i < count; i++) weight[i] += part / samples[g->cell[i]];
}

static void add_chosen(Arena *a, const CellGrid *g, int count, double part, double *weight) {
  int *chosen = ARENA_RAW(a, int, g->used + 1);
  double *least = ARENA_RAW(a, double, g->used + 1);
  for (int k = 0; k < g->used; k++) chosen[k] = -1, least[k] = HUGE_VAL;
  for (int i = 0; i < count; i++) {
    double off = off_middle(g, i);
    int cell = g->cell[i];
    if (chosen[cell] < 0 || off < least[cell] * (1 - BORDER)) chosen[cell] = i, least[cell] = off;
  }
  for (int k = 0; k < g->used; k++) weight[chosen[k]] += part;
}

static CellGrid grid_axes(Arena *a, const Cloud *c, const GridRule *rule) {
  CellGrid g = {.axes = ARENA_ARRAY(a, GridAxis, c->width + 1)};
  for (int k = 0; k < c->width; k++) {
    GridAxis x = {c->at[k], cloud_range(c->at[k], c->count), rule->cells[k], 0};
    if (x.range.range > 0) g.axes[g.width++] = x;
  }
  g.cell = ARENA_RAW(a, int, c->count + 1);
  return g;
}

int grid_weights(const Cloud *c, const GridRule *rule, double *weight) {
  Arena *a = arena_new();
  CellGrid g = grid_axes(a, c, rule);
  CellKeys cells = cells_new(a, c->count);
  int first = 0, shifts = rule->shifts > 1 ? rule->shifts : 1;
  for (int i = 0; i < c->count; i++) weight[i] = 0;
  for (int s = 0; s < shifts; s++) {
    memset(cells.key, 0, (size_t)c->count * sizeof *cells.key);
    cells.bound = 1;
    for (int k = 0; k < g.width; k++) {
      g.axes[k].shift = (double)s / shifts;
      add_axis(a, &cells, &g.axes[k]);
    }
    g.used = number_keys(&cells, g.cell);
    if (s == 0) first = g.used;
    (rule->one_per_cell ? add_chosen : add_counts)(a, &g, c->count, 1.0 / shifts, weight);
  }
  arena_free(a);
  return first;
}

// ---------------------------------------------------------------- ellipses

typedef struct Ellipses {
  const CloudTree *t;
  double square; // of the ratio
  int *inside;   // by position
  int *whole;    // by node: for all its points
} Ellipses;

static double square_between(const CloudTree *t, int i, int j) {
  double sum = 0;
  for (int k = 0; k < t->width; k++) {
    double d = t->at[k][i] - t->at[k][j];
    sum += d * d;
  }
  return sum;
}

// Least and largest squared distance of points of two boxes.
static void squares_between(const CloudTree *t, int a, int b, double *least, double *most) {
  const double *al = t->least + (size_t)a * (size_t)t->width,
               *ah = t->most + (size_t)a * (size_t)t->width,
               *bl = t->least + (size_t)b * (size_t)t->width,
               *bh = t->most + (size_t)b * (size_t)t->width;
  *least = *most = 0;
  for (int k = 0; k < t->width; k++) {
    double left = bl[k] - ah[k], right = al[k] - bh[k];
    double near = left > right ? left : right, far = -(left < right ? left : right);
    if (near > 0) *least += near * near;
    *most += far * far;
  }
}

static void count_pairs(Ellipses *e, const CloudNode *a, const CloudNode *b) {
  for (int i = a->first; i < a->first + a->count; i++)
    for (int j = b->first; j < b->first + b->count; j++)
      e->inside[i] += square_between(e->t, i, j) <= e->square;
}

// The points of b that are inside the ellipses around those of a. A leaf of equal points decides as one.
static void count_inside(Ellipses *e, int a, int b) {
  const CloudNode *na = &e->t->nodes[a], *nb = &e->t->nodes[b];
  double least, most;
  squares_between(e->t, a, b, &least, &most);
  if (least > e->square) return;
  if (most <= e->square) {
    e->whole[a] += nb->count;
    return;
  }
  bool cut_a = na->left >= 0 && (nb->left < 0 || na->count >= nb->count);
  if (!cut_a && nb->left < 0) {
    count_pairs(e, na, nb);
    return;
  }
  count_inside(e, cut_a ? na->left : a, cut_a ? b : nb->left);
  count_inside(e, cut_a ? na->right : a, cut_a ? b : nb->right);
}

void ellipse_weights(const Cloud *c, double ratio, double *weight) {
  Arena *a = arena_new();
  const CloudTree *t = cloud_tree(a, c);
  double reach = ratio * (1 + BORDER);
  Ellipses e = {t, reach * reach, ARENA_ARRAY(a, int, c->count + 1),
                ARENA_ARRAY(a, int, t->node_count + 1)};
  if (t->node_count) count_inside(&e, 0, 0);
  for (int n = 0; n < t->node_count; n++) { // parents come before their children
    const CloudNode *node = &t->nodes[n];
    if (node->left >= 0) e.whole[node->left] += e.whole[n], e.whole[node->right] += e.whole[n];
    for (int i = node->first; node->left < 0 && i < node->first + node->count; i++)
      e.inside[i] += e.whole[n];
  }
  for (int i = 0; i < t->count; i++) weight[t->order[i]] = 1.0 / e.inside[i];
  arena_free(a);
}

// ---------------------------------------------------------------- mean 1

int normalise_weights(double *weight, int count) {
  double largest = 0, sum = 0;
  int used = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, weight[i]), used += weight[i] > 0;
  for (int i = 0; i < count && used; i++) sum += weight[i] / largest;
  for (int i = 0; i < count; i++) weight[i] = used ? weight[i] / largest * (used / sum) : 1;
  return used ? used : count;
}
