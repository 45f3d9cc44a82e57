// The map of correlations: symmetric, readable, and only of what is known.
#include "report/correlations_figure.h"

#include "draw/colour_scale.h"
#include "pictures.h"

enum { UNKNOWNS_MOST = 100 };

typedef struct MadeCorrelations {
  Arena *arena;
  Unknown unknowns[UNKNOWNS_MOST];
  Problem problem;
  Statistics *statistics;
} MadeCorrelations;

static MadeCorrelations *made(int n) {
  Arena *a = arena_new();
  MadeCorrelations *m = ARENA_NEW(a, MadeCorrelations);
  m->arena = a;
  for (int k = 0; k < n; k++)
    m->unknowns[k] = (Unknown){.name = arena_print(a, "parameter_%d", k), .unit = ""};
  m->problem = (Problem){.path = "p.yaml", .unknowns = m->unknowns, .unknown_count = n};
  m->statistics = statistics_new(n, 0);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      m->statistics->correlation[i * n + k] = i == k ? 1 : cos(3 * i + 3 * k + (i - k) * (i - k));
  return m;
}

static void done(MadeCorrelations *m) {
  statistics_free(m->statistics);
  arena_free(m->arena);
}

static const Figure *draw(MadeCorrelations *m) {
  const Figure *f = correlations_figure(m->arena, &m->problem, m->statistics);
  if (f) assert_picture_is_sound(f);
  return f;
}

// The cells, by rows, are the first boxes.
static const Shape *cell_at(const Figure *f, int n, int i, int k) {
  int at = i * n + k;
  for (int s = 0; s < f->shapes.count; s++)
    if (f->shapes.at[s].kind == SHAPE_BOX && at-- == 0) return &f->shapes.at[s];
  return NULL;
}

static void the_map_is_symmetric_and_in_its_colours(void **state) {
  (void)state;
  static const int COUNTS[] = {2, 5, 12, 20, 60};
  for (int c = 0; c < 5; c++) {
    int n = COUNTS[c];
    MadeCorrelations *m = made(n);
    const Figure *f = draw(m);
    ColourScale scale = {-1, 1, false, "", true};
    const Shape *first = cell_at(f, n, 0, 0);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        const Shape *s = cell_at(f, n, i, k), *mirrored = cell_at(f, n, k, i);
        assert_int_equal(s->fill, colour_of(&scale, m->statistics->correlation[i * n + k]));
        assert_int_equal(s->fill, mirrored->fill);
        assert_close(s->frame.x - first->frame.x, mirrored->frame.y - first->frame.y, 1e-9);
      }
    done(m);
  }
}

static Ink ink_below(const Figure *f, Spot at) { // of the last box there
  Ink ink = INK_NONE;
  for (int i = 0; i < f->shapes.count; i++) {
    const Frame *b = &f->shapes.at[i].frame;
    if (f->shapes.at[i].kind == SHAPE_BOX && f->shapes.at[i].fill != INK_NONE && at.x > b->x &&
        at.x < b->x + b->width && at.y > b->y && at.y < b->y + b->height)
      ink = f->shapes.at[i].fill;
  }
  return ink;
}

// A page with a dark background exchanges black and white, but not these.
static void numbers_can_be_read_on_their_cells(void **state) {
  (void)state;
  MadeCorrelations *m = made(12);
  const Figure *f = draw(m);
  int numbers = 0;
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    Ink below = s->kind == SHAPE_LETTERS ? ink_below(f, s->spots[0]) : INK_NONE;
    if (below == INK_NONE) continue;
    assert_int_equal(s->lettering.ink, ink_on(below));
    numbers++;
  }
  assert_int_equal(numbers, 144);
  done(m);
}

static void numbers_are_rounded_but_never_to_one(void **state) {
  (void)state;
  MadeCorrelations *m = made(3);
  double values[3] = {0.9999, -0.99999, -0.001};
  for (int k = 0; k < 3; k++) {
    int i = k == 2, j = k == 0 ? 1 : 2;
    m->statistics->correlation[3 * i + j] = m->statistics->correlation[3 * j + i] = values[k];
  }
  const Figure *f = draw(m);
  assert_non_null(letters_beginning_with(f, "0.99"));
  assert_non_null(letters_beginning_with(f, "-0.99"));
  assert_non_null(letters_beginning_with(f, "0.00"));
  done(m);
}

static void what_is_not_known_is_not_drawn(void **state) {
  (void)state;
  MadeCorrelations *m = made(4);
  double *c = m->statistics->correlation;
  assert_null(letters_beginning_with(draw(m), "Hatched"));
  for (int k = 0; k < 4; k++) c[4 + k] = c[4 * k + 1] = nan(""); // of the second
  assert_non_null(letters_beginning_with(draw(m), "Hatched"));
  for (int i = 0; i < 16; i++)
    if (i != 0) c[i] = nan(""); // only one is left
  assert_null(draw(m));
  done(m);
  for (int n = 0; n < 2; n++) {
    m = made(n);
    assert_null(draw(m));
    done(m);
  }
  m = made(3);
  assert_null(correlations_figure(m->arena, &m->problem, NULL));
  Statistics *none = statistics_new(3, 0);
  assert_null(correlations_figure(m->arena, &m->problem, none));
  statistics_free(none);
  done(m);
}

static bool has_text(const Figure *f, const char *text) {
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].kind == SHAPE_LETTERS && strcmp(f->shapes.at[i].text, text) == 0)
      return true;
  return false;
}

// Of more than there is room for those with the strongest correlations, in their order.
static void of_many_the_strongest_are_shown(void **state) {
  (void)state;
  MadeCorrelations *m = made(100);
  for (int i = 0; i < 100; i++)
    for (int k = 0; k < 100; k++)
      m->statistics->correlation[100 * i + k] = i == k ? 1 : 0.1 + 0.001 * fmin(i, k);
  m->statistics->correlation[3 * 100 + 7] = m->statistics->correlation[7 * 100 + 3] = -0.9;
  const Figure *f = draw(m);
  assert_true(has_text(f, "parameter_3"));
  assert_true(has_text(f, "parameter_7"));
  assert_false(has_text(f, "parameter_5"));
  assert_true(has_text(f, "parameter_99"));
  assert_non_null(strstr(f->title, "the strongest 60 of 100"));
  done(m);
}

static void names_stay_text(void **state) {
  (void)state;
  MadeCorrelations *m = made(3);
  m->unknowns[0].name = "<script>alert(1)</script>";
  m->unknowns[1].name = "vehicle.axle[2].wheel[1].tyre.coefficient.of.friction[left rear]";
  m->problem.path = "<script>.yaml";
  assert_svg_has_no_element(draw(m), "<script");
  done(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_map_is_symmetric_and_in_its_colours),
      cmocka_unit_test(numbers_can_be_read_on_their_cells),
      cmocka_unit_test(numbers_are_rounded_but_never_to_one),
      cmocka_unit_test(what_is_not_known_is_not_drawn),
      cmocka_unit_test(of_many_the_strongest_are_shown),
      cmocka_unit_test(names_stay_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
