// The picture of a check: a number for each pair of channel and unknown, darker where it is larger.
#include "report/check_figure.h"

#include <stdlib.h>

#include "letters.h"

enum { CHANNELS_MOST = 60, UNKNOWNS_MOST = 60 };

typedef struct Told {
  Channel channels[CHANNELS_MOST];
  Experiment experiments[2];
  Unknown unknowns[UNKNOWNS_MOST];
  Problem problem;
  double sensitivity[2 * CHANNELS_MOST * UNKNOWNS_MOST];
  Check check;
  Arena *arena;
} Told;

static void make(Told *m, int experiments, int channels, int unknowns, const char *name) {
  memset(m, 0, sizeof *m);
  for (int i = 0; i < channels; i++) m->channels[i].name = "theta";
  for (int e = 0; e < experiments; e++) {
    m->experiments[e].name = e ? "second" : "first";
    m->experiments[e].channels = m->channels;
    m->experiments[e].channel_count = channels;
  }
  for (int k = 0; k < unknowns; k++) m->unknowns[k].name = name;
  m->problem.path = "swing.yaml";
  m->problem.experiments = m->experiments;
  m->problem.experiment_count = experiments;
  m->problem.unknowns = m->unknowns;
  m->problem.unknown_count = unknowns;
  for (int i = 0; i < experiments * channels * unknowns; i++) m->sensitivity[i] = 1e-4 * (i + 1);
  m->check = (Check){.problem = &m->problem, .sensitivity = m->sensitivity};
  m->arena = arena_new();
}

static Figure *draw(Told *m) {
  return check_sensitivity_figure(m->arena, &m->check);
}

static void every_pair_has_its_number(void **state) {
  (void)state;
  static Told m;
  make(&m, 2, 2, 3, "k");
  Figure *f = draw(&m);
  assert_letters_stand_well(f);
  assert_non_null(letters_beginning_with(f, "theta in first"));
  assert_non_null(letters_beginning_with(f, "theta in second"));
  for (int i = 0; i < 12; i++) {
    char text[32];
    snprintf(text, sizeof text, "%.2g", 0.01 * (i + 1)); // percent
    const Shape *s = letters_beginning_with(f, text);
    assert_non_null(s);
  }
  arena_free(m.arena);
}

static double brightness(Ink ink) {
  return 0.3 * ((ink >> 16) & 255) + 0.59 * ((ink >> 8) & 255) + 0.11 * (ink & 255);
}

static void larger_effects_are_darker_and_none_is_white(void **state) {
  (void)state;
  static Told m;
  make(&m, 1, 1, 5, "k");
  m.sensitivity[0] = 0;
  for (int k = 1; k < 5; k++) m.sensitivity[k] = pow(10, k - 5);
  Figure *f = draw(&m);
  double before = 256;
  int cells = 0;
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind != SHAPE_BOX || s->stroke.ink != INK_WHITE) continue;
    assert_true(brightness(s->fill) < before);
    before = brightness(s->fill);
    cells++;
  }
  assert_int_equal(cells, 5);
  assert_non_null(letters_beginning_with(f, "0"));
  arena_free(m.arena);
}

static void names_of_any_length_stand_well(void **state) {
  (void)state;
  static const char *const NAMES[] = {"k", "stiffness", "stiffness_of_the_spring",
                                      "a_name_that_is_much_longer_than_any_table_has_room_for_it"};
  static const int SIZES[] = {1, 3, 30, 60};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      static Told m;
      make(&m, 1, SIZES[k], SIZES[k], NAMES[i]);
      Figure *f = draw(&m);
      assert_letters_stand_well(f);
      assert_int_equal(letters_beginning_with(f, "Effect of the parameters (the f") != NULL,
                       k == 3);
      arena_free(m.arena);
    }
}

static void without_an_effect_there_is_nothing(void **state) {
  (void)state;
  static Told m;
  make(&m, 1, 1, 1, "k");
  m.sensitivity[0] = 0;
  assert_null(draw(&m));
  m.check.sensitivity = NULL;
  assert_null(draw(&m));
  arena_free(m.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_has_its_number),
      cmocka_unit_test(larger_effects_are_darker_and_none_is_white),
      cmocka_unit_test(names_of_any_length_stand_well),
      cmocka_unit_test(without_an_effect_there_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
