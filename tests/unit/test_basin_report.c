#include "report/basin_report.h"

#include "made_basin.h"

static int count_lines(const char *s) {
  int n = 0;
  for (; *s; s++) n += *s == '\n';
  return n;
}

static void the_report_tells_shares_and_what_is_missing(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.optima[0].fits = m.optima[1].flat = true;
  m.optima[0].error = 1e-7;
  text_init(&t);
  basin_text(&t, &m.basin, (PageStyle){80, false});
  static const char *const PARTS[] = {"problem.yaml: 45.5 % of 11 starts reach the best optimum\n",
                                      "4 x 3 starts over alpha and beta, mu = 0.5; lm",
                                      "stopped, 11 of 12 were done",
                                      "fits the noise; error 1e-7",
                                      "along a flat direction",
                                      "1 search (9.1 %) ended before it converged",
                                      "From 1 start (9.1 %) the model cannot be simulated",
                                      "10 simulations and 120 with sensitivities in 11 searches"};
  for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
    if (!strstr(t.at, PARTS[i])) fail_msg("lacks '%s':\n%s", PARTS[i], t.at);
  text_done(&t);
}

static void no_line_is_wider_than_the_terminal(void **state) {
  (void)state;
  static const int WIDTHS[] = {70, 80, 132};
  for (int w = 0; w < 3; w++) {
    MadeBasin m;
    Text t;
    made_basin(&m, MIXED, 3);
    m.problem.path = "p.yaml"; // paths stay in one piece
    text_init(&t);
    basin_text(&t, &m.basin, (PageStyle){WIDTHS[w], true});
    for (char *line = strtok(t.at, "\n"); line; line = strtok(NULL, "\n"))
      if (page_width_of(line) > WIDTHS[w]) fail_msg("%d: '%s'", page_width_of(line), line);
    text_done(&t);
  }
}

static void without_an_optimum_it_says_so(void **state) {
  (void)state;
  static const int NONE[12] = {-1, -1, -1, -1, -2, -2, -2, -2, -1, -1, -1, -1};
  MadeBasin m;
  Text t;
  made_basin(&m, NONE, 0);
  text_init(&t);
  basin_text(&t, &m.basin, (PageStyle){80, false});
  assert_non_null(strstr(t.at, "no start reaches an optimum"));
  assert_null(strstr(t.at, "Optima"));
  text_clear(&t);
  basin_json(&t, &m.basin, "0");
  assert_non_null(strstr(t.at, "\"basin_fraction\": 0"));
  text_done(&t);
}

static void stopped_without_an_optimum_it_says_how_far_it_came(void **state) {
  (void)state;
  static const int STOPPED[2][12] = {{-3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3},
                                     {-1, -2, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3}};
  static const char *const SAID[] = {"stopped before a search was done",
                                     "none of 2 starts so far reaches an optimum"};
  for (int i = 0; i < 2; i++) {
    MadeBasin m;
    Text t;
    made_basin(&m, STOPPED[i], 0);
    text_init(&t);
    basin_text(&t, &m.basin, (PageStyle){80, false});
    assert_non_null(strstr(t.at, SAID[i]));
    assert_null(strstr(t.at, "no start reaches"));
    text_done(&t);
  }
}

static void json_has_every_outcome(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  text_init(&t);
  basin_json(&t, &m.basin, "0.1");
  assert_non_null(strstr(t.at, "\"reached\": [1, 1, 2, 2, 1, 1, 2, 0, 1, 3, -1]"));
  assert_non_null(strstr(t.at, "\"reached_best\": 5"));
  assert_non_null(strstr(t.at, "\"parameters\": [\"alpha\", \"beta\", \"mu\"]"));
  assert_non_null(strstr(t.at, "\"scale\": \"log\""));
  assert_non_null(strstr(t.at, "\"error\": null"));
  text_done(&t);
}

static void csv_has_a_row_for_each_finished_start(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  text_init(&t);
  basin_csv(&t, &m.basin);
  assert_int_equal(count_lines(t.at), 12);
  assert_non_null(strstr(t.at, "start,outcome,optimum,objective,fits,iterations,simulations,"
                               "sensitivity_simulations,start alpha,start beta,start mu,alpha,beta,"
                               "mu\n1,reached,1,0.5,0,3,0,10,1,0.01,0.5,2,0.1,0.5\n"));
  assert_non_null(strstr(t.at, "\n8,not-converged,,99,0,"));
  assert_non_null(strstr(t.at, "\n11,failed,,,0,"));
  text_done(&t);
}

static void every_optimum_of_the_map_is_in_the_table(void **state) {
  (void)state;
  static const int RARE[12] = {0, 13, 13, 13, 13, 1, 2, 12, 12, 12, 11, 11};
  MadeBasin m;
  Text t;
  made_basin(&m, RARE, 14);
  text_init(&t);
  basin_text(&t, &m.basin, (PageStyle){80, false});
  const char *table = strstr(t.at, "Optima");
  assert_non_null(strstr(t.at, "optimum 14, objective 13.5"));
  assert_non_null(table);
  assert_non_null(strstr(table, "\n   14  33.3 %"));
  assert_non_null(strstr(table, "\n   12  16.7 %"));
  assert_null(strstr(table, "\n   11 ")); // reached by none
  assert_non_null(strstr(table, "1 more optimum, with 0.0 % of the starts."));
  text_done(&t);
}

static void long_names_are_shortened_and_what_has_no_room_named(void **state) {
  (void)state;
  MadeBasin m;
  Text t;
  made_basin(&m, MIXED, 3);
  m.unknowns[1].name = "damping_of_the_primary_suspension_of_the_left_wheel";
  m.basin.work.simulations = 1;
  text_init(&t);
  basin_text(&t, &m.basin, (PageStyle){80, false});
  assert_non_null(strstr(t.at, "damping_"));
  assert_null(strstr(t.at, "No room"));
  text_clear(&t);
  basin_text(&t, &m.basin, (PageStyle){.width = 40});
  assert_non_null(strstr(t.at, "No room for"));
  assert_non_null(strstr(t.at, "damping_of_the_primary_suspension_of_the_left_wheel"));
  assert_non_null(strstr(t.at, "  1 simulation and 120"));
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_report_tells_shares_and_what_is_missing),
      cmocka_unit_test(no_line_is_wider_than_the_terminal),
      cmocka_unit_test(without_an_optimum_it_says_so),
      cmocka_unit_test(stopped_without_an_optimum_it_says_how_far_it_came),
      cmocka_unit_test(json_has_every_outcome),
      cmocka_unit_test(csv_has_a_row_for_each_finished_start),
      cmocka_unit_test(every_optimum_of_the_map_is_in_the_table),
      cmocka_unit_test(long_names_are_shortened_and_what_has_no_room_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
