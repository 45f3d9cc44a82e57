// Cells are covered once; lines of equal height lie where the height is.
#include "draw/figure_cells.h"

#include "test.h"

// ---------------------------------------------------------------- cells

enum { COLUMNS = 13, ROWS = 9 };

typedef struct Cover {
  const unsigned char *kind;
  int seen[ROWS][COLUMNS];
  int patches;
} Cover;

static void cover(void *data, Figure *f, int kind, Frame p) {
  Cover *c = data;
  (void)f;
  c->patches++;
  for (int j = 0; j < ROWS; j++)
    for (int i = 0; i < COLUMNS; i++) {
      double x = 10 + 2 * (i + 0.5), y = 5 + 3 * (ROWS - j - 0.5); // row 0 is the lowest
      if (x < p.x || x > p.x + p.width || y < p.y || y > p.y + p.height) continue;
      c->seen[j][i]++;
      assert_int_equal(c->kind[j * COLUMNS + i], kind);
    }
}

static void every_cell_is_covered_once(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 100, "");
  unsigned long seed = 1;
  for (int round = 0; round < 50; round++) {
    unsigned char kind[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
      seed = seed * 6364136223846793005UL + 1442695040888963407UL;
      kind[i] = (unsigned char)((seed >> 33) % (unsigned long)(1 + round % 4));
    }
    Cover c = {.kind = kind};
    figure_cells(f, (Frame){10, 5, 2 * COLUMNS, 3 * ROWS}, &(FigureCells){COLUMNS, ROWS, kind},
                 cover, &c);
    for (int j = 0; j < ROWS; j++)
      for (int i = 0; i < COLUMNS; i++) assert_int_equal(c.seen[j][i], 1);
    if (round % 4 == 0) assert_int_equal(c.patches, 1);
  }
  arena_free(a);
}

// ---------------------------------------------------------------- lines

enum { SIDE = 81 };

typedef struct Field {
  Arena *arena;
  Axes axes;
  HeightGrid grid;
  double x[SIDE], z[SIDE * SIDE];
} Field;

typedef double Height(double x, double y);

static void field_new(Field *f, Height *height) {
  f->arena = arena_new();
  Figure *figure = figure_new(f->arena, 400, 400, "");
  f->axes = (Axes){figure, {0, 0, 400, 400}, {-2, 2, false, ""}, {-2, 2, false, ""}};
  for (int i = 0; i < SIDE; i++) f->x[i] = -2 + 4.0 * i / (SIDE - 1);
  for (int j = 0; j < SIDE; j++)
    for (int i = 0; i < SIDE; i++) f->z[j * SIDE + i] = height(f->x[i], f->x[j]);
  f->grid = (HeightGrid){f->x, f->x, SIDE, SIDE, f->z};
}

static double value_x(Spot s) {
  return -2 + s.x / 100;
}
static double value_y(Spot s) {
  return 2 - s.y / 100;
}

static double bowl(double x, double y) {
  return x * x + y * y;
}
static double saddle(double x, double y) {
  return x * y;
}
static double waves(double x, double y) {
  return sin(3 * x) * cos(2 * y) + 0.1 * x;
}

static void a_circle_is_one_closed_line(void **state) {
  (void)state;
  Field f;
  field_new(&f, bowl);
  axes_height_lines(&f.axes, &f.grid, 1, (Stroke){INK_BLACK, 1, DASH_FULL});
  assert_int_equal(f.axes.figure->shapes.count, 1);
  const Shape *s = &f.axes.figure->shapes.at[0];
  double length = 0;
  for (int i = 0; i < s->spot_count; i++) {
    double x = value_x(s->spots[i]), y = value_y(s->spots[i]);
    assert_close(sqrt(bowl(x, y)), 1, 1e-3);
    if (i) length += hypot(x - value_x(s->spots[i - 1]), y - value_y(s->spots[i - 1]));
  }
  assert_close(length, 2 * acos(-1.0), 0.01); // all around, once
  arena_free(f.arena);
}

// The total length of the lines is that of the pieces in the cells, none twice; ends lie at the edge or at gaps.
static void lines_end_at_the_edge(void **state) {
  (void)state;
  static Height *const HEIGHTS[] = {bowl, saddle, waves};
  for (int k = 0; k < 3; k++)
    for (double level = -0.75; level < 6; level += 0.25) {
      Field f;
      field_new(&f, HEIGHTS[k]);
      axes_height_lines(&f.axes, &f.grid, level, (Stroke){INK_BLACK, 1, DASH_FULL});
      for (int n = 0; n < f.axes.figure->shapes.count; n++) {
        const Shape *s = &f.axes.figure->shapes.at[n];
        const Spot ends[2] = {s->spots[0], s->spots[s->spot_count - 1]};
        bool closed = hypot(ends[0].x - ends[1].x, ends[0].y - ends[1].y) < 1e-9;
        for (int e = 0; e < 2 && !closed; e++) {
          double x = fabs(value_x(ends[e])), y = fabs(value_y(ends[e]));
          assert_close(fmax(x, y), 2, 1e-9);
        }
        for (int i = 0; i < s->spot_count; i++)
          assert_close(HEIGHTS[k](value_x(s->spots[i]), value_y(s->spots[i])), level, 0.01);
      }
      arena_free(f.arena);
    }
}

static void gaps_have_no_lines(void **state) {
  (void)state;
  Field f;
  field_new(&f, bowl);
  for (int j = 0; j < SIDE; j++)
    for (int i = 0; i < SIDE / 2; i++) f.z[j * SIDE + i] = nan("");
  axes_height_lines(&f.axes, &f.grid, 1, (Stroke){INK_BLACK, 1, DASH_FULL});
  assert_int_equal(f.axes.figure->shapes.count, 1);
  const Shape *s = &f.axes.figure->shapes.at[0];
  for (int i = 0; i < s->spot_count; i++) assert_true(value_x(s->spots[i]) > -1e-9);
  arena_free(f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cell_is_covered_once),
      cmocka_unit_test(a_circle_is_one_closed_line),
      cmocka_unit_test(lines_end_at_the_edge),
      cmocka_unit_test(gaps_have_no_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
