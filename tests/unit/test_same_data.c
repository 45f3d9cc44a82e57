// Problems with the same samples are the same, however they are written; every difference in samples, sigmas or weights is found
// and named.
#include "study/same_data.h"

#include "line_models.h"

static bool same(const Problem *a, const Problem *b, Err *err) {
  *err = (Err){0};
  Sha256 x = data_digest(a), y = data_digest(b);
  bool is = same_data(a, b, err);
  if (is) assert_true(sha256_equal(&x, &y));
  return is;
}

static void names_and_order_do_not_matter(void **state) {
  (void)state;
  Lines l;
  Err err;
  lines_open(&l, 1, 0.1, 0.1);
  const Problem *a = lines_problem(&l, "a.yaml", "measure: [y, z]", LINE_AB);
  const Problem *b = lines_problem(&l, "b.yaml", "measure: [z, y], name: other", LINE_ABC);
  const Problem *c = lines_problem(&l, "c.yaml", "measure: {y + 0*b: y, z: z}", LINE_AB);
  assert_true(same(a, a, &err) && same(a, b, &err) && same(b, a, &err) && same(a, c, &err));
  lines_close(&l);
}

static void every_difference_is_named(void **state) {
  (void)state;
  static const struct {
    const char *one, *other, *text;
  } CASES[] = {
      {"measure: [y]", "measure: [z]", "'z' is fitted here and not there"},
      {"measure: [y, z]", "measure: [y]", "fitted there and not here"},
      {"measure: [y]", "measure: {y: z}", "'z' is fitted here"},
      {"measure: [y]", "measure: [y], window: [0, 0.5]", "60 samples there and 30 here"},
      {"measure: [y]", "measure: {y: {sigma: 0.1}}", "sigma is unknown there and 0.1 here"},
      {"measure: [y]", "measure: {y: {sigma: estimate}}", "sigma is unknown there and estimated"},
      {"measure: {y: {sigma: 0.1}}", "measure: {y: {sigma: 0.2}}", "0.1 there and 0.2 here"},
      {"measure: [y]", "measure: {y: {weight: 2}}", "the weight is 1 there and 2 here"},
  };
  Lines l;
  lines_open(&l, 2, 0.1, 0.1);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Err err, back;
    const Problem *a = lines_problem(&l, "a.yaml", CASES[i].one, LINE_AB);
    const Problem *b = lines_problem(&l, "b.yaml", CASES[i].other, LINE_AB);
    assert_false(same(a, b, &err));
    assert_false(same(b, a, &back));
    if (!strstr(err.text, CASES[i].text)) fail_msg("%s", err.text);
    assert_non_null(strstr(err.text, "a.yaml"));
    assert_string_equal(err.file, "b.yaml");
    assert_int_equal(err_exit_status(err.code), 2);
    Sha256 x = data_digest(a), y = data_digest(b);
    assert_false(sha256_equal(&x, &y));
  }
  lines_close(&l);
}

// Whatever single sample changes, by however little, is found.
static void one_changed_sample_is_found(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 3, 0.1, 0.1);
  const Problem *a = lines_problem(&l, "a.yaml", "measure: [y]", LINE_AB);
  for (int i = 0; i < LINE_ROWS; i += 7) {
    Problem b = *a;
    Experiment e = a->experiments[0];
    Channel c = e.channels[0];
    double y[LINE_ROWS];
    Err err = {0};
    memcpy(y, c.y, sizeof y);
    y[i] = nextafter(y[i], 100);
    c.y = y, e.channels = &c, b.experiments = &e;
    assert_false(same_data(a, &b, &err));
    assert_non_null(strstr(err.text, "the value at"));
  }
  lines_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_order_do_not_matter),
      cmocka_unit_test(every_difference_is_named),
      cmocka_unit_test(one_changed_sample_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
