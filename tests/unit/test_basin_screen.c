#include "report/basin_screen.h"

#include "made_basin.h"

static const char *screen(const MadeBasin *m, int width, bool colour, Text *t) {
  text_init(t);
  basin_screen(t, &m->basin, (PageStyle){width, colour});
  return t->at;
}

static void letters_show_the_map_with_the_second_axis_upwards(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  const char *s = screen(&m, 60, false, &t);
  const char *top = strstr(s, "######bbbbbbxxxxxx......"),
             *middle = strstr(s, "############aaaaaa??????"),
             *bottom = strstr(s, "############aaaaaaaaaaaa");
  assert_true(top && middle && bottom && top < middle && middle < bottom);
  assert_int_equal(strncmp(s, "        1 #", 11), 0);       // the upper end of beta
  assert_non_null(strstr(s, "     0.01 ############aaaa")); // its lower end
  assert_non_null(strstr(s, "          1        alpha         4\n"));
  assert_non_null(strstr(s, "#   45.5 %  best optimum, objective 0.5\n"));
  assert_non_null(strstr(s, "?    9.1 %  not converged\n"));
  text_done(&t);
}

// Upper and lower half of each character have a colour.
static void half_blocks_show_two_rows_in_a_line(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  const char *s = screen(&m, 60, true, &t);
  char both[60];
  snprintf(both, sizeof both, "\033[38;5;%d;48;5;%dm▀\033[0m", shade_terminal(SHADE_BEST + 1),
           shade_terminal(SHADE_FAILED));
  assert_null(strstr(s, both));
  snprintf(both, sizeof both, "\033[38;5;%d;48;5;%dm▀\033[0m", shade_terminal(SHADE_FAILED),
           shade_terminal(SHADE_BEST + 1));
  assert_non_null(strstr(s, both));
  assert_null(strstr(s, "aaaa"));
  text_done(&t);
}

static void large_grids_are_thinned_out_to_the_terminal(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  static BasinStart many[300 * 200];
  memset(many, 0, sizeof many);
  for (int i = 0; i < 300 * 200; i++) many[i].end = BASIN_REACHED;
  m.basin.start = many;
  m.basin.count = m.basin.done = 300 * 200;
  m.axes[0].count = 300, m.axes[1].count = 200;
  for (int colour = 0; colour < 2; colour++) {
    char *s = (char *)screen(&m, 80, colour, &t);
    int lines = 0;
    for (char *line = strtok(s, "\n"); line; line = strtok(NULL, "\n"), lines++)
      assert_true(page_width_of(line) <= 80);
    assert_true(lines < 34);
    text_done(&t);
  }
}

static void one_axis_is_a_strip(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.basin.axis_count = 1;
  m.basin.count = m.basin.done = 4;
  const char *s = screen(&m, 60, false, &t);
  assert_non_null(strstr(s, "          ######aaaaaa\n          ######aaaaaa\n"));
  text_done(&t);
}

static void random_starts_are_spots(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.basin.random = true;
  const char *s = screen(&m, 80, false, &t);
  const char *end = strstr(s, "alpha");
  int spots = 0;
  for (const char *c = s; c < end; c++) spots += *c == '#' || *c == 'a' || *c == 'b';
  assert_int_equal(spots, 9 + 2); // and two letters of beta
  text_done(&t);
}

static void a_small_basin_of_the_best_optimum_is_seen(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  static BasinStart many[300];
  for (int i = 0; i < 300; i++)
    many[i] = (BasinStart){.end = BASIN_REACHED, .optimum = i == 127 ? 0 : 1};
  m.basin.start = many;
  m.basin.axis_count = 1;
  m.basin.count = m.basin.done = m.axes[0].count = 300;
  const char *s = screen(&m, 60, false, &t);
  assert_non_null(strstr(s, "aaaa#aaaa"));
  assert_non_null(strstr(s, "several starts each"));
  text_done(&t);
}

static void over_a_third_axis_the_most_frequent_outcome_shows(void **state) {
  (void)state;
  static const int LAYERS[12] = {0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1}; // 2 x 2 x 3
  MadeBasin m;
  Text t;
  made_basin(&m, LAYERS, 2);
  m.axes[0].count = m.axes[1].count = 2;
  m.axes[2] = (BasinAxis){"mu", 0, 1, BASIN_LINEAR, 3, 2};
  m.basin.axis_count = 3;
  const char *s = screen(&m, 60, false, &t);
  const char *top = strstr(s, "aaaaaaaaaaaa"), *bottom = strstr(s, "######aaaaaa");
  assert_true(top && bottom && top < bottom);
  assert_non_null(strstr(s, "over mu the most frequent outcome"));
  text_done(&t);
}

static void labels_tell_the_ends_apart(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.axes[0].low = 20, m.axes[0].high = 20.00001;
  m.axes[1].low = 0.6, m.axes[1].high = 0.600000001;
  const char *s = screen(&m, 60, false, &t);
  assert_non_null(strstr(s, "20.00001\n"));
  assert_non_null(strstr(s, "  upwards: beta from 0.6 to 0.600000001\n"));
  text_done(&t);
}

static void a_single_start_is_labelled_with_where_it_is(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.axes[0].count = m.axes[1].count = 1;
  m.basin.count = m.basin.done = 1;
  const char *s = screen(&m, 60, false, &t);
  assert_non_null(strstr(s, "      0.1 ######\n"));
  assert_non_null(strstr(s, "2.5\n"));
  assert_null(strstr(s, "0.01"));
  assert_non_null(strstr(s, "to the right: alpha"));
  text_done(&t);
}

static void long_names_stand_in_lines_of_their_own(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.axes[0].name = "stiffness_of_the_primary_suspension_spring_left";
  m.axes[1].name = "'damping of the primary suspension'";
  const char *s = screen(&m, 80, false, &t);
  assert_int_equal(strncmp(s, "  upwards: 'damping of the primary suspension'\n", 47), 0);
  assert_non_null(strstr(s, "\n  to the right: stiffness_of_the_primary_suspension_spring_left\n"));
  assert_non_null(strstr(s, "     0.01 ############aaaa"));
  text_done(&t);
}

static void random_starts_at_one_place_do_not_hide_the_best_optimum(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.basin.random = true;
  for (int i = 0; i < 12; i++) m.starts[3 * i] = 2, m.starts[3 * i + 1] = 0.1;
  const char *s = screen(&m, 80, false, &t);
  const char *spot = strstr(s, "#");
  assert_true(spot && spot < strstr(s, "alpha"));
  assert_non_null(strstr(s, "several starts in one place"));
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_show_the_map_with_the_second_axis_upwards),
      cmocka_unit_test(half_blocks_show_two_rows_in_a_line),
      cmocka_unit_test(large_grids_are_thinned_out_to_the_terminal),
      cmocka_unit_test(one_axis_is_a_strip),
      cmocka_unit_test(random_starts_are_spots),
      cmocka_unit_test(a_small_basin_of_the_best_optimum_is_seen),
      cmocka_unit_test(over_a_third_axis_the_most_frequent_outcome_shows),
      cmocka_unit_test(labels_tell_the_ends_apart),
      cmocka_unit_test(a_single_start_is_labelled_with_where_it_is),
      cmocka_unit_test(long_names_stand_in_lines_of_their_own),
      cmocka_unit_test(random_starts_at_one_place_do_not_hide_the_best_optimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
