#include "draw/figure_cells.h"

#include <math.h>

// ---------------------------------------------------------------- cells

typedef struct Patches {
  const FigureCells *cells;
  bool *drawn;
} Patches;

static size_t cell_at(const FigureCells *c, int i, int j) {
  return (size_t)j * (size_t)c->columns + (size_t)i;
}

static bool is_like(const Patches *p, size_t first, int i, int j) {
  size_t at = cell_at(p->cells, i, j);
  return !p->drawn[at] && p->cells->kind[at] == p->cells->kind[first];
}

static bool row_is_like(const Patches *p, size_t first, int from, int to, int j) {
  for (int i = from; i < to; i++)
    if (!is_like(p, first, i, j)) return false;
  return true;
}

void figure_cells(Figure *f, Frame frame, const FigureCells *c, CellPainter *paint, void *data) {
  double width = frame.width / c->columns, height = frame.height / c->rows;
  Patches p = {c, ARENA_ARRAY(f->arena, bool, (size_t)c->columns *(size_t)c->rows)};
  for (int j = 0; j < c->rows; j++)
    for (int i = 0; i < c->columns; i++) {
      size_t first = cell_at(c, i, j);
      if (p.drawn[first]) continue;
      int right = i + 1, up = j + 1;
      while (right < c->columns && is_like(&p, first, right, j)) right++;
      while (up < c->rows && row_is_like(&p, first, i, right, up)) up++;
      for (int y = j; y < up; y++)
        for (int x = i; x < right; x++) p.drawn[cell_at(c, x, y)] = true;
      Frame patch = {frame.x + i * width, frame.y + frame.height - up * height, (right - i) * width,
                     (up - j) * height};
      paint(data, f, c->kind[first], patch);
    }
}

// ---------------------------------------------------------------- lines of equal height

// Edges of the grid: 2*node to the right of a node, 2*node + 1 above it. Each edge that a line crosses belongs to at most two
// cells, so the pieces in the cells are chained by edges.
typedef struct HeightLines {
  const Axes *axes;
  const HeightGrid *grid;
  double level;
  int (*next)[2]; // by edge: the edges that pieces lead to from it, -1: none
} HeightLines;

static double height_at(const HeightLines *h, int i, int j) {
  return h->grid->z[(size_t)j * (size_t)h->grid->columns + (size_t)i];
}

static int edge_right(const HeightLines *h, int i, int j) {
  return 2 * (j * h->grid->columns + i);
}
static int edge_up(const HeightLines *h, int i, int j) {
  return edge_right(h, i, j) + 1;
}

static Spot spot_on(const HeightLines *h, int edge) {
  int node = edge / 2, i = node % h->grid->columns, j = node / h->grid->columns;
  bool up = edge % 2;
  double a = height_at(h, i, j), b = height_at(h, i + !up, j + up);
  double t = b != a ? (h->level - a) / (b - a) : 0.5;
  Spot from = axes_spot(h->axes, h->grid->x[i], h->grid->y[j]);
  Spot to = axes_spot(h->axes, h->grid->x[i + !up], h->grid->y[j + up]);
  return (Spot){from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
}

static void join(HeightLines *h, int a, int b) {
  h->next[a][h->next[a][0] >= 0] = b;
  h->next[b][h->next[b][0] >= 0] = a;
}

// The pieces of one cell: edges below, right, above, left of it that the line crosses.
static void cross_cell(HeightLines *h, int i, int j) {
  double z[4] = {height_at(h, i, j), height_at(h, i + 1, j), height_at(h, i + 1, j + 1),
                 height_at(h, i, j + 1)};
  int edge[4] = {edge_right(h, i, j), edge_up(h, i + 1, j), edge_right(h, i, j + 1),
                 edge_up(h, i, j)};
  int crossed[4], count = 0;
  for (int k = 0; k < 4; k++)
    if (!isfinite(z[k])) return;
  for (int k = 0; k < 4; k++)
    if ((z[k] > h->level) != (z[(k + 1) % 4] > h->level)) crossed[count++] = edge[k];
  if (count == 2) join(h, crossed[0], crossed[1]);
  if (count < 4) return;
  // A saddle: the middle decides which corners are connected.
  bool high = (z[0] + z[1] + z[2] + z[3]) / 4 > h->level, first = z[0] > h->level;
  bool around = high == first; // pieces cut off corners 1 and 3, else 0 and 2
  join(h, edge[0], edge[around ? 1 : 3]);
  join(h, edge[2], edge[around ? 3 : 1]);
}

static void forget(HeightLines *h, int a, int b) {
  if (h->next[a][0] == b) h->next[a][0] = h->next[a][1];
  h->next[a][1] = -1;
}

// Follows a line from an edge and takes its pieces away.
static void draw_line_from(HeightLines *h, int edge, Spot *spots, Stroke stroke) {
  int count = 0;
  spots[count++] = spot_on(h, edge);
  for (int next; (next = h->next[edge][0]) >= 0; edge = next) {
    forget(h, edge, next);
    forget(h, next, edge);
    spots[count++] = spot_on(h, next);
  }
  if (count > 1) figure_curve(h->axes->figure, spots, count, stroke);
}

void axes_height_lines(const Axes *a, const HeightGrid *grid, double level, Stroke stroke) {
  int edges = 2 * grid->columns * grid->rows;
  Arena *scratch = arena_new();
  HeightLines h = {a, grid, level, arena_alloc(scratch, (size_t)edges + 1, sizeof *h.next)};
  Spot *spots = ARENA_ARRAY(scratch, Spot, edges + 2);
  for (int k = 0; k < edges; k++) h.next[k][0] = h.next[k][1] = -1;
  for (int j = 0; j + 1 < grid->rows; j++)
    for (int i = 0; i + 1 < grid->columns; i++) cross_cell(&h, i, j);
  figure_clip(a->figure, a->frame);
  for (int open = 1; open >= 0; open--) // lines with ends first, then closed ones
    for (int k = 0; k < edges; k++)
      if (h.next[k][0] >= 0 && (!open || h.next[k][1] < 0)) draw_line_from(&h, k, spots, stroke);
  figure_unclip(a->figure);
  arena_free(scratch);
}
