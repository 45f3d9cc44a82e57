#include "search/confirm.h"

#include "made_problem.h"
#include "num/design.h"
#include "search/fit.h"
#include "search/local_search.h"
#include "search/starts.h"
#include "searching.h"
#include "threshold.h"

static FitResult *fit_auto(Hand *h) {
  h->problem.method = METHOD_AUTO;
  return fit_run(&h->problem, NULL, NULL, NULL);
}

static long confirming_work(const FitResult *r) {
  return work_count_simulations(&r->work) - work_count_simulations(&r->search_work);
}

// ---------------------------------------------------------------- numbers that can change places

// Two lags in series: their rates are exchangeable.
static Hand *lags(double noise) {
  Hand *h = hand_text("model Lags\n  parameter Real k1 = 1;\n  parameter Real k2 = 4;\n"
                      "  Real x(start = 0, fixed = true);\n  Real y(start = 0, fixed = true);\n"
                      "equation\n  der(x) = k1*(1 - x);\n  der(y) = k2*(x - y);\nend Lags;\n");
  hand_experiment(
      h, (HandData){.channels = {"y"}, .step = 0.05, .count = 120, .noise = noise, .seed = 3});
  hand_estimate(h, "k1", -1, 0.7, 0.05, 50);
  hand_estimate(h, "k2", -1, 6, 0.05, 50);
  return h;
}

static void exchanged_numbers_are_ambiguous(void **state) {
  (void)state;
  static const double NOISE[] = {0, 0.005};
  for (int k = 0; k < 2; k++) {
    Hand *h = lags(NOISE[k]);
    FitResult *r = fit_auto(h);
    assert_int_equal(r->verdict, FIT_AMBIGUOUS);
    assert_int_equal(r->outcome, FIT_UNCERTAIN);
    assert_true(r->optima.count >= 2 && r->optima.at[1].distinct);
    const double *other = r->optima.at[1].x;
    assert_close_relative(other[0], r->x[1], 0.01);
    assert_close_relative(other[1], r->x[0], 0.01);
    assert_true(r->optima.at[1].worse < 0.1);
    assert_non_null(strstr(r->why, "k1 and k2 have changed places"));
    assert_non_null(strstr(r->why, r->x[0] < r->x[1] ? "'k1 <= k2'" : "'k2 <= k1'"));
    fit_free(r);
    hand_done(h);
  }
}

static void a_constraint_makes_it_certain(void **state) {
  (void)state;
  Made m;
  made_open(&m);
  made_file(&m, "lags.mo",
            "model Lags\n  parameter Real k1(min = 0.05, max = 50) = 1;\n"
            "  parameter Real k2(min = 0.05, max = 50) = 4;\n"
            "  Real x(start = 0, fixed = true);\n  Real y(start = 0, fixed = true);\n"
            "equation\n  der(x) = k1*(1 - x);\n  der(y) = k2*(x - y);\nend Lags;\n");
  char data[6000] = "t,y\n";
  Random random;
  random_seed(&random, 5);
  for (int i = 0; i < 120; i++) {
    double t = 0.05 * i, y = 1 - (4 * exp(-t) - exp(-4 * t)) / 3;
    snprintf(data + strlen(data), 40, "%.2f,%.8f\n", t, y + 0.003 * random_normal(&random));
  }
  made_file(&m, "d.csv", data);
  Problem *p = made_load(&m, "model: lags.mo\nexperiments: [{data: d.csv, measure: {y: y}}]\n"
                             "estimate: {k1: 0.7, k2: 6}\nconstraints: ['k1 <= k2']\n");
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  assert_close_relative(r->x[0], 1.0, 0.05);
  assert_close_relative(r->x[1], 4.0, 0.1);
  fit_free(r);
  made_close(&m);
}

// ---------------------------------------------------------------- two wells

enum { WAVES = 200 };

// A motion with wells at a = 1 and near a = -1, the latter worse by `worse` in units of twice the log-likelihood: both fit the
// noise, and local searches end at the nearer one.
static Hand *two_wells(double worse, double start) {
  char text[400];
  snprintf(text, sizeof text,
           "model Wells\n  parameter Real a = 1;\n  Real y;\nequation\n"
           "  y = 10*sin(time) + 5*(a^2 - 1)*sin(2*time) + %.12g*(a - 1)/2*cos(2*time);\n"
           "end Wells;\n",
           sqrt(worse / (WAVES / 2.0)));
  Hand *h = hand_text(text);
  Experiment *e = hand_experiment(
      h, (HandData){.channels = {"y"}, .step = 6.283185307179586 * 3 / WAVES, .count = WAVES});
  Channel *c = &e->channels[0];
  double *y = ARENA_ARRAY(h->arena, double, WAVES), part = 0;
  Random random;
  random_seed(&random, 8);
  for (int i = 0; i < WAVES; i++) y[i] = random_normal(&random);
  for (int i = 0; i < WAVES; i++) part += y[i] * cos(2 * c->t[i]) / (WAVES / 2.0);
  for (int i = 0; i < WAVES; i++) y[i] += c->y[i] - part * cos(2 * c->t[i]); // it favours no well
  c->y = y;
  c->sigma_kind = SIGMA_NUMBER, c->sigma = 1;
  hand_estimate(h, "a", -1, start, -3, 2.5);
  return h;
}

static void the_better_of_two_wells_is_found(void **state) {
  (void)state;
  static const double STARTS[] = {-1.2, -0.8, 1.1};
  for (int k = 0; k < 3; k++) {
    Hand *h = two_wells(25, STARTS[k]);
    h->problem.method = METHOD_LM;
    FitResult *local = fit_run(&h->problem, NULL, NULL, NULL);
    assert_true(local->fits && local->outcome == FIT_CONVERGED); // in either well
    assert_int_equal(local->verdict, FIT_DOUBTFUL);
    assert_true((local->x[0] > 0) == (STARTS[k] > 0));
    FitResult *r = fit_auto(h);
    assert_int_equal(r->verdict, FIT_CERTAIN);
    assert_close(r->x[0], 1.0, 0.05);
    assert_int_equal(strstr(r->by, "confirming search") != NULL, STARTS[k] < 0);
    assert_int_equal(r->searches.better, STARTS[k] < 0);
    assert_true(r->optima.count == 2 && r->optima.at[1].worse > 15 && r->optima.at[1].x[0] < 0);
    fit_free(local);
    fit_free(r);
    hand_done(h);
  }
}

static bool wells_are_ambiguous(void *data, double worse) {
  Hand *h = two_wells(worse, *(double *)data);
  FitResult *r = fit_auto(h);
  bool ambiguous = r->verdict == FIT_AMBIGUOUS;
  assert_true(ambiguous || r->verdict == FIT_CERTAIN);
  assert_true(r->optima.count == 2);
  assert_true(r->optima.at[1].distinct == ambiguous);
  assert_close_relative(r->optima.at[1].worse, worse, 0.02);
  fit_free(r);
  hand_done(h);
  return ambiguous;
}

// Of one unknown: 99 % of the chi-square law are 6.63.
static void wells_that_chance_may_order_are_ambiguous(void **state) {
  (void)state;
  double start = -1.2;
  assert_turns(wells_are_ambiguous, &start, 6.4, 6.9);
  start = 1.2;
  assert_turns(wells_are_ambiguous, &start, 6.4, 6.9);
}

// ---------------------------------------------------------------- all kinds of problems

typedef struct Number {
  const char *name;
  double truth, start, min, max;
} Number;

typedef struct Kind {
  const char *what, *text;
  const char *channels[2];
  Number numbers[4];
  double noise;
  int experiments; // 0: one
  void (*change)(Problem *p);
} Kind;

#define DECAY                                                                                      \
  "model Decay\n  parameter Real k = 0.5;\n  parameter Real b = 2;\n"                              \
  "  Real x(start = 3, fixed = true);\nequation\n  der(x) = b - k*x;\nend Decay;\n"
#define WAVE                                                                                       \
  "model Wave\n  parameter Real a = 1;\n  parameter Real b = 0;\n  Real y;\nequation\n"            \
  "  y = a*sin(time) + b*cos(time);\nend Wave;\n"

static void use_prior(Problem *p) {
  p->unknowns[0].has_prior = true;
  p->unknowns[0].prior_mean = p->unknowns[0].start, p->unknowns[0].prior_sd = 0.5;
}
static void estimate_sigma(Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      p->experiments[e].channels[c].sigma_kind = SIGMA_ESTIMATED;
}
static void use_huber(Problem *p) {
  p->options.loss = LOSS_HUBER;
  double *y = (double *)p->experiments[0].channels[0].y;
  for (int i = 7; i < 150; i += 31) y[i] += 2;
}
static void use_integral(Problem *p) {
  p->options.criterion = CRITERION_INTEGRAL;
}
static void use_logarithms(Problem *p) {
  for (int i = 0; i < p->unknown_count; i++) p->unknowns[i].log = true;
}

static const Kind KINDS[] = {
    {"one number", DECAY, {"x"}, {{"k", 0.5, 2, 0.05, 5}}, 0.01, 0, NULL},
    {"two numbers", DECAY, {"x"}, {{"k", 0.5, 2, 0.05, 5}, {"b", 2, 1, 0.1, 10}}, 0.01, 0, NULL},
    {"without noise", DECAY, {"x"}, {{"k", 0.5, 2, 0.05, 5}, {"b", 2, 1, 0.1, 10}}, 0, 0, NULL},
    {"a prior", DECAY, {"x"}, {{"k", 0.5, 0.6, 0.05, 5}, {"b", 2, 1, 0.1, 10}}, 0.01, 0, use_prior},
    {"estimated sigma",
     DECAY,
     {"x"},
     {{"k", 0.5, 2, 0.05, 5}, {"b", 2, 1, 0.1, 10}},
     0.01,
     0,
     estimate_sigma},
    {"outliers", DECAY, {"x"}, {{"k", 0.5, 2, 0.05, 5}, {"b", 2, 1, 0.1, 10}}, 0.01, 0, use_huber},
    {"an integral",
     DECAY,
     {"x"},
     {{"k", 0.5, 2, 0.05, 5}, {"b", 2, 1, 0.1, 10}},
     0.01,
     0,
     use_integral},
    {"logarithms",
     DECAY,
     {"x"},
     {{"k", 0.5, 2, 0.05, 5}, {"b", 2, 1, 0.1, 10}},
     0.01,
     0,
     use_logarithms},
    {"experiments", DECAY, {"x"}, {{"k", 0.5, 2, 0.05, 5}, {"b", 2, 1, 0.1, 10}}, 0.01, 4, NULL},
    {"no bounds",
     DECAY,
     {"x"},
     {{"k", 0.5, 2, -HUGE_VAL, HUGE_VAL}, {"b", 2, 1, -HUGE_VAL, HUGE_VAL}},
     0.01,
     0,
     NULL},
    {"half a bound",
     DECAY,
     {"x"},
     {{"k", 0.5, 2, 0, HUGE_VAL}, {"b", 2, 1, -HUGE_VAL, 10}},
     0.01,
     0,
     NULL},
    {"no states", WAVE, {"y"}, {{"a", 1, 3, 0.01, 10}, {"b", 0.5, 2, -5, 5}}, 0.01, 0, NULL},
    {"a number that is 0", WAVE, {"y"}, {{"a", 1, 3, -10, 10}, {"b", 0, 2, -5, 5}}, 0.01, 0, NULL},
    {"exactly 0", WAVE, {"y"}, {{"a", 1, 3, -10, 10}, {"b", 0, 2, -5, 5}}, 0, 0, NULL},
    {"at a bound", WAVE, {"y"}, {{"a", 1, 3, -10, 10}, {"b", 0.2, 2, 0.2, 5}}, 0.01, 0, NULL},
    {"at 0, its bound", WAVE, {"y"}, {{"a", 1, 3, -10, 10}, {"b", 0, 2, 0, 5}}, 0.01, 0, NULL},
    {"nothing to couple",
     "model Clock\n  parameter Real a = 1;\n  Real z(start = 1, fixed = true);\n  Real y;\n"
     "equation\n  der(z) = -z;\n  y = a*sin(time);\nend Clock;\n",
     {"y"},
     {{"a", 1, 3, -10, 10}},
     0.01,
     0,
     NULL},
};

static Hand *kind_open(const Kind *k) {
  Hand *h = hand_text(k->text);
  for (int i = 0; i < 4 && k->numbers[i].name; i++)
    hand_truth(h, k->numbers[i].name, k->numbers[i].truth);
  for (int e = 0; e < (k->experiments ? k->experiments : 1); e++) {
    if (k->experiments) hand_truth(h, "x.start", 1 + 2 * e);
    hand_experiment(h, (HandData){.channels = {k->channels[0]},
                                  .step = 0.05,
                                  .count = 200,
                                  .noise = k->noise,
                                  .seed = (uint64_t)e + 1});
  }
  for (int i = 0; i < 4 && k->numbers[i].name; i++) {
    const Number *n = &k->numbers[i];
    hand_estimate(h, n->name, -1, n->start, n->min, n->max);
  }
  if (k->change) k->change(&h->problem);
  return h;
}

static void counts_are_sound(const FitResult *r) {
  const FitSearches *n = &r->searches;
  assert_true(n->done <= n->planned && n->agree + n->failed <= n->done);
  assert_true(n->far <= n->done && n->far_agree <= n->far && n->far_agree <= n->agree);
  assert_true(confirming_work(r) >= 0);
  long sum = 0;
  for (int i = 0; i < r->stages.count; i++)
    if (strcmp(r->stages.at[i].name, "confirming searches") == 0)
      sum += r->stages.at[i].simulations;
  assert_int_equal(sum, confirming_work(r));
  assert_true(r->search_work.seconds > 0 && r->search_work.seconds <= r->work.seconds);
  for (int k = 1; k < r->optima.count; k++)
    assert_true(r->optima.at[k].worse >= r->optima.at[k - 1].worse);
}

static void problems_of_all_kinds_are_certain(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
    Hand *h = kind_open(&KINDS[k]);
    FitResult *r = fit_auto(h);
    if (r->verdict != FIT_CERTAIN)
      print_error("%s: %s, %s\n", KINDS[k].what, fit_verdict_word(r->verdict), r->why);
    assert_int_equal(r->verdict, FIT_CERTAIN);
    assert_int_equal(r->outcome, FIT_CONVERGED);
    for (int i = 0; i < r->problem->unknown_count; i++)
      assert_close(r->x[i], KINDS[k].numbers[i].truth,
                   (KINDS[k].noise ? 0.05 : 1e-6) * fmax(1, fabs(r->x[i])));
    assert_true(r->searches.far >= 3 && r->searches.planned == r->searches.done);
    counts_are_sound(r);
    fit_free(r);
    hand_done(h);
  }
}

static void twelve_numbers_are_confirmed(void **state) {
  (void)state;
  char text[2000] = "model Many\n", sum[600] = "0";
  for (int i = 1; i <= 12; i++) {
    snprintf(text + strlen(text), 60, "  parameter Real c%d = %.2f;\n", i, 2.0 / i);
    snprintf(sum + strlen(sum), 40, " + c%d*sin(%d*time)", i, i);
  }
  snprintf(text + strlen(text), 700, "  Real y;\nequation\n  y = %s;\nend Many;\n", sum);
  Hand *h = hand_text(text);
  hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.02, .count = 400, .noise = 0.02});
  static char names[12][16];
  for (int i = 0; i < 12; i++) {
    snprintf(names[i], sizeof names[i], "c%d", i + 1);
    hand_estimate(h, names[i], -1, 0.5, -5, 5);
  }
  FitResult *r = fit_auto(h);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  assert_int_equal(r->searches.planned, 2 + 3 + 2); // exchanges of two pairs, far, shakes
  assert_int_equal(r->searches.agree, r->searches.done);
  fit_free(r);
  hand_done(h);
}

// Ends of confirming searches are better by rounding only: not worth a number that changes no residual.
static void what_changes_no_residual_stays_at_its_start(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    Hand *h = hand_text("model Idle\n  parameter Real k = 1;\n  parameter Real c = 1;\n"
                        "  Real x(start = 1, fixed = true);\n  Real z(start = 0, fixed = true);\n"
                        "equation\n  der(x) = -k*x;\n  der(z) = c*x;\nend Idle;\n");
    hand_experiment(
        h, (HandData){.channels = {"x"}, .step = 0.05, .count = 100, .noise = 0.01, .seed = seed});
    hand_estimate(h, "k", -1, 3, 0.1, 10);
    hand_estimate(h, "c", -1, 1.3, 0.1, 10);
    FitResult *r = fit_auto(h);
    assert_close_relative(r->x[0], 1.0, 0.05);
    assert_true(r->x[1] == 1.3);
    fit_free(r);
    hand_done(h);
  }
}

// ---------------------------------------------------------------- model errors

// The model lacks a cubic term of 30 %.
static void a_model_that_misses_something_is_never_certain(void **state) {
  (void)state;
  for (int seed = 1; seed <= 3; seed++) {
    Hand *h = hand_text("model Stiff\n  parameter Real a = 2;\n  parameter Real d = 0.1;\n"
                        "  parameter Real b = 0;\n  Real x(start = 1, fixed = true);\n"
                        "  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n"
                        "  der(v) = -d*v - a*x - b*x^3;\nend Stiff;\n");
    hand_truth(h, "b", 0.6);
    Experiment *e = hand_experiment(
        h,
        (HandData){
            .channels = {"x"}, .step = 0.1, .count = 200, .noise = 0.02, .seed = (uint64_t)seed});
    e->p[hand_parameter(h, "b")] = 0;
    hand_estimate(h, "a", -1, 1.5, 0.1, 20);
    hand_estimate(h, "d", -1, 0.2, 0.01, 2);
    FitResult *r = fit_auto(h);
    assert_int_equal(r->verdict, FIT_AGREED);
    assert_int_equal(r->outcome, FIT_CONVERGED);
    assert_true(r->searches.far_agree >= 2);
    assert_non_null(strstr(r->why, "no proof"));
    counts_are_sound(r);
    fit_free(r);
    hand_done(h);
  }
}

// ---------------------------------------------------------------- the option

static void confirming_can_be_switched_off(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
    Hand *h = kind_open(&KINDS[k]);
    h->problem.options.confirm = CONFIRM_OFF;
    assert_false(confirm_is_wanted(&h->problem));
    FitResult *r = fit_auto(h);
    assert_int_equal(r->verdict, FIT_DOUBTFUL);
    assert_int_equal(r->outcome, FIT_CONVERGED); // it fits, as before
    assert_true(r->fits);
    assert_int_equal(confirming_work(r), 0);
    assert_true(r->search_work.seconds == r->work.seconds);
    assert_true(r->optima.count == 0 && r->searches.planned == 0);
    assert_non_null(strstr(r->why, "no confirming searches were made"));
    fit_free(r);
    hand_done(h);
  }
}

static void only_methods_that_look_for_the_best_confirm(void **state) {
  (void)state;
  Hand *h = kind_open(&KINDS[0]);
  for (int m = 0; m < METHOD_COUNT; m++) {
    h->problem.method = (Method)m;
    bool wants = m == METHOD_AUTO || m == METHOD_PORTFOLIO || m == METHOD_HOMOTOPY;
    assert_true(confirm_is_wanted(&h->problem) == wants);
  }
  h->problem.method = METHOD_HOMOTOPY;
  h->problem.options.homotopy = HOMOTOPY_PAPER;
  assert_false(confirm_is_wanted(&h->problem));
  hand_done(h);
}

// ---------------------------------------------------------------- threads, lanes, limits

static void results_do_not_depend_on_threads(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
    FitResult *first = NULL;
    Hand *hands[3];
    FitResult *all[3];
    for (int threads = 1; threads <= 3; threads++) {
      Hand *h = hands[threads - 1] = kind_open(&KINDS[k]);
      h->problem.options.threads = threads;
      FitResult *r = all[threads - 1] = fit_auto(h);
      if (!first) first = r;
      assert_memory_equal(r->x, first->x, (size_t)h->problem.unknown_count * sizeof *r->x);
      assert_int_equal(r->verdict, first->verdict);
      assert_memory_equal(&r->searches, &first->searches, sizeof r->searches);
      assert_int_equal(work_count_simulations(&r->work), work_count_simulations(&first->work));
      assert_string_equal(r->why, first->why);
    }
    Hand *h = kind_open(&KINDS[k]);
    h->problem.options.lanes = LANES_OFF;
    FitResult *r = fit_auto(h);
    assert_int_equal(r->verdict, first->verdict);
    for (int i = 0; i < h->problem.unknown_count; i++)
      assert_close(r->x[i], first->x[i], 1e-5 * fmax(1, fabs(r->x[i])));
    fit_free(r);
    hand_done(h);
    for (int i = 0; i < 3; i++) fit_free(all[i]), hand_done(hands[i]);
  }
}

static void a_budget_that_ends_confirming_leaves_doubt(void **state) {
  (void)state;
  static const int CASES[] = {1, 4, 8, 11};
  for (int c = 0; c < 4; c++) {
    Hand *h = kind_open(&KINDS[CASES[c]]);
    FitResult *whole = fit_auto(h);
    int needed = (int)work_count_simulations(&whole->work), doubtful = 0;
    for (int most = 1; most < needed; most++) {
      h->problem.options.max_simulations = most;
      FitResult *r = fit_auto(h);
      assert_true(work_count_simulations(&r->work) <= most + h->problem.experiment_count);
      assert_true(r->verdict == FIT_DOUBTFUL || r->verdict == FIT_CERTAIN);
      assert_int_equal(r->outcome, r->verdict == FIT_CERTAIN ? FIT_CONVERGED : FIT_BUDGET);
      // What decides is done: only comparing the ends may be cut.
      if (r->verdict == FIT_CERTAIN) assert_int_equal(r->searches.done, whole->searches.done);
      if (r->verdict == FIT_DOUBTFUL && r->fits && r->searches.planned) {
        char words[100];
        snprintf(words, sizeof words, "confirmed by %d of %d searches", r->searches.agree,
                 r->searches.planned);
        bool all = r->searches.done == r->searches.planned;
        assert_true((r->searches.cut && strstr(r->why, words)) ||
                    (all && strstr(r->why, "before it was asked for terms")));
        doubtful++;
      }
      fit_free(r);
    }
    assert_true(doubtful > 3);
    fit_free(whole);
    hand_done(h);
  }
}

// Exchanged rates: whatever ends it, the result is never called certain.
static void a_rival_that_was_not_judged_leaves_doubt(void **state) {
  (void)state;
  Hand *h = lags(0.005);
  FitResult *whole = fit_auto(h);
  int needed = (int)work_count_simulations(&whole->work);
  assert_int_equal(whole->verdict, FIT_AMBIGUOUS);
  for (int most = 1; most < needed; most++) {
    h->problem.options.max_simulations = most;
    FitResult *r = fit_auto(h);
    if (r->verdict == FIT_CERTAIN) print_error("certain with %d of %d\n", most, needed);
    assert_true(r->verdict == FIT_DOUBTFUL || r->verdict == FIT_AMBIGUOUS);
    fit_free(r);
  }
  fit_free(whole);
  hand_done(h);
}

typedef struct Listening {
  int calls, most;
  int confirming; // calls while it confirms
} Listening;

static bool listen(void *data, const FitProgress *p) {
  Listening *l = data;
  l->confirming += strcmp(p->stage, "confirming searches") == 0;
  return ++l->calls < l->most;
}

// So long that it is asked several times.
static void it_can_be_stopped_while_it_confirms(void **state) {
  (void)state;
  static const int CASES[] = {1, 4}; // the second with estimated sigma
  for (int c = 0; c < 2; c++) {
    Hand *h = kind_open(&KINDS[CASES[c]]);
    bool stopped = true;
    int during = 0;
    h->problem.options.threads = 1 + c;
    h->problem.simulate.max_step = 6e-4;
    h->problem.method = METHOD_AUTO;
    for (int most = 1; stopped && most < 3000; most += 1 + most / 2) {
      Listening l = {.most = most};
      FitResult *r = fit_run(&h->problem, NULL, listen, &l);
      stopped = r->outcome == FIT_STOPPED;
      if (stopped) assert_int_equal(l.calls, most);
      if (l.confirming) {
        during++;
        assert_true(r->objective < HUGE_VAL);
        assert_true(r->search_work.seconds > 0 && r->search_work.seconds <= r->work.seconds);
        assert_close(r->x[0], KINDS[CASES[c]].numbers[0].truth, 0.05);
        if (r->verdict == FIT_CERTAIN) // stopped when all was decided
          assert_true(r->searches.done == r->searches.planned && !r->searches.cut);
        if (r->verdict == FIT_AGREED) assert_true(r->facts.known && r->searches.far_agree >= 2);
      }
      fit_free(r);
    }
    assert_true(during > 0);
    hand_done(h);
  }
}

// ---------------------------------------------------------------- which searches, and how many

// A candidate that is handed in: two numbers that change nothing, beside one that does.
typedef struct Planted {
  Hand *hand;
  Searching q;
  double seen[2000][3]; // unknowns of all simulations
  int count;
} Planted;

static void note_point(Watched *w, const SimulationOrder *o) {
  Planted *p = w->data;
  const Problem *problem = w->fitting->problem;
  assert_true(p->count < 2000);
  for (int i = 0; i < problem->unknown_count; i++)
    p->seen[p->count][i] = o->run->p[problem->unknowns[i].parameter];
  p->count++;
}

static void planted_open(Planted *p, double k1, double k2) {
  memset(p, 0, sizeof *p);
  p->hand = hand_text("model Planted\n  parameter Real a = 1;\n  parameter Real k1 = 1;\n"
                      "  parameter Real k2 = 1;\n  Real y;\nequation\n"
                      "  y = a*sin(time) + 0*k1*k2;\nend Planted;\n");
  hand_experiment(
      p->hand, (HandData){.channels = {"y"}, .step = 0.05, .count = 200, .noise = 0.02, .seed = 3});
  hand_estimate(p->hand, "a", -1, 1, -5, 5);
  hand_estimate(p->hand, "k1", -1, k1, -HUGE_VAL, HUGE_VAL);
  hand_estimate(p->hand, "k2", -1, k2, -HUGE_VAL, HUGE_VAL);
  p->hand->problem.method = METHOD_AUTO;
}

// Confirms the optimum with these numbers.
static void planted_confirm(Planted *p) {
  Problem *problem = &p->hand->problem;
  searching_open(&p->q, problem, NULL, NULL);
  Search *s = p->q.s;
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = problem->unknowns[i].start;
  LocalSearch l = local_search_full(s);
  local_search_run(s, &l, x);
  x[1] = problem->unknowns[1].start, x[2] = problem->unknowns[2].start;
  search_offer(s, "planted", x, search_evaluate(s, 0, 1, x), LOCAL_STEP_END);
  p->q.watched.change = note_point, p->q.watched.data = p;
  confirm_best(s);
}

static void planted_close(Planted *p) {
  searching_close(&p->q);
  hand_done(p->hand);
}

static bool was_at(const Planted *p, double k1, double k2) {
  for (int i = 0; i < p->count; i++)
    if (fabs(p->seen[i][1] - k1) < 1e-9 * fabs(k1) && fabs(p->seen[i][2] - k2) < 1e-9 * fabs(k2))
      return true;
  return false;
}

static int count_of(const Planted *p, ConfirmKind kind) {
  const Confirmation *c = p->q.s->confirmation;
  int count = 0;
  for (int k = 0; k < c->ends.count; k++) count += c->ends.at[k].kind == kind;
  return count;
}

static void a_candidate_that_fits_has_three_far_searches_and_a_pair_of_shakes(void **state) {
  (void)state;
  Planted p;
  planted_open(&p, 30, 600);
  planted_confirm(&p);
  assert_int_equal(count_of(&p, CONFIRM_EXCHANGE), 0); // of another size
  assert_int_equal(count_of(&p, CONFIRM_MIRROR), 1);
  assert_int_equal(count_of(&p, CONFIRM_SPREAD), 2);
  assert_int_equal(count_of(&p, CONFIRM_SHAKE), 2);
  static const ConfirmKind ORDER[] = {CONFIRM_MIRROR, CONFIRM_SPREAD, CONFIRM_SHAKE, CONFIRM_SHAKE,
                                      CONFIRM_SPREAD}; // of worth
  for (int k = 0; k < 5; k++) assert_int_equal(p.q.s->confirmation->ends.at[k].kind, ORDER[k]);
  int shaken = 0;
  for (int i = -1; i <= 1; i += 2)
    for (int j = -1; j <= 1; j += 2) {
      bool here = was_at(&p, 30 * (1 + 0.02 * i), 600 * (1 + 0.02 * j));
      assert_true(here == was_at(&p, 30 * (1 - 0.02 * i), 600 * (1 - 0.02 * j))); // the opposite
      shaken += here;
      assert_false(was_at(&p, 30 * (1 + 0.04 * i), 600 * (1 + 0.04 * j)));
    }
  assert_int_equal(shaken, 2);
  planted_close(&p);
}

// In their bounds; in logarithms where these span decades.
static void the_mirror_reflects_every_number(void **state) {
  (void)state;
  Planted p;
  planted_open(&p, 3, 60);
  p.hand->unknowns[1].min = 0.1, p.hand->unknowns[1].max = 10;
  p.hand->unknowns[2].min = -10, p.hand->unknowns[2].max = 100;
  planted_confirm(&p);
  assert_true(was_at(&p, 0.1 * 10 / 3, -10 + 100 - 60));
  planted_close(&p);
}

// Of a design of four points, because as many may be needed.
static void spread_points_are_those_of_a_design(void **state) {
  (void)state;
  Planted p;
  double design[4 * 3];
  planted_open(&p, 3, 60);
  p.hand->unknowns[1].min = 0.1, p.hand->unknowns[1].max = 10;
  p.hand->unknowns[2].min = -10, p.hand->unknowns[2].max = 100;
  planted_confirm(&p);
  const FitOptions *o = &p.hand->problem.options;
  design_points(o->sampling, (uint64_t)o->seed, 3, 4, design);
  for (int k = 0; k < 2; k++)
    assert_true(was_at(&p, start_between(&p.hand->unknowns[1], design[3 * k + 1]),
                       start_between(&p.hand->unknowns[2], design[3 * k + 2])));
  planted_close(&p);
}

static bool is_exchanged(void *data, double ratio) {
  double size = *(double *)data;
  Planted p;
  planted_open(&p, size, size * ratio);
  planted_confirm(&p);
  bool exchanged = was_at(&p, size * ratio, size);
  assert_int_equal(count_of(&p, CONFIRM_EXCHANGE), exchanged);
  planted_close(&p);
  return exchanged;
}

static bool is_not_exchanged(void *data, double ratio) {
  return !is_exchanged(data, ratio);
}

// Within a factor of 10, and not the same within 2 %.
static void numbers_of_one_size_are_exchanged(void **state) {
  (void)state;
  static const double SIZES[] = {7e3, 7e5, -7e3}; // far from that of the third number
  for (int k = 0; k < 3; k++) {
    double size = SIZES[k];
    assert_threshold(is_exchanged, &size, 10);
    assert_threshold_from_above(is_exchanged, &size, 0.1);
    assert_turns(is_not_exchanged, &size, 1 / 0.9801, 1 / 0.9799);
    assert_turns(is_not_exchanged, &size, 0.9801, 0.9799);
    assert_false(is_exchanged(&size, -1.5));
  }
}

static void only_what_may_take_the_other_place_is_exchanged(void **state) {
  (void)state;
  Planted p;
  for (int k = 0; k < 7; k++) {
    planted_open(&p, 3000, 4000);
    Unknown *u = p.hand->unknowns;
    if (k == 1) u[2].unit = "m";
    if (k == 2) u[1].max = 3990;
    if (k == 3) u[2].min = 3010;
    if (k == 4) u[1].min = 2900, u[2].max = 4100; // which hold after the exchange, too
    if (k == 5) u[1].max = 4000, u[2].min = 3000; // at the bounds
    if (k == 6) u[1].min = 3000, u[2].max = 4000;
    planted_confirm(&p);
    bool expected = k == 0 || k > 3;
    assert_int_equal(count_of(&p, CONFIRM_EXCHANGE), expected);
    assert_true(was_at(&p, 4000, 3000) == expected);
    planted_close(&p);
  }
}

// Pairs with similar names come first, and there are two.
static void two_pairs_are_exchanged(void **state) {
  (void)state;
  Planted p;
  planted_open(&p, 2, 3);
  planted_confirm(&p); // a is 1: three pairs
  assert_int_equal(count_of(&p, CONFIRM_EXCHANGE), 2);
  assert_true(p.seen[0][1] == 3 && p.seen[0][2] == 2);
  planted_close(&p);
}

// Residuals with a slow wave that the model does not have, and less of it than of the motion.
static void spoil(Planted *p) {
  Channel *c = &p->hand->experiments[0].channels[0];
  double *y = (double *)c->y;
  for (int i = 0; i < c->count; i++) y[i] += 0.15 * cos(0.3 * c->t[i]);
}

// Two far ones first, and when these agree exchanges; shakes would tell nothing.
static void a_candidate_that_does_not_fit_has_far_searches_first(void **state) {
  (void)state;
  Planted p;
  planted_open(&p, 300, 400);
  spoil(&p);
  planted_confirm(&p);
  assert_false(p.q.s->best.fits);
  const Confirmation *c = p.q.s->confirmation;
  assert_int_equal(c->ends.count, 3);
  assert_int_equal(c->ends.at[0].kind, CONFIRM_MIRROR);
  assert_int_equal(c->ends.at[1].kind, CONFIRM_SPREAD);
  assert_int_equal(c->ends.at[2].kind, CONFIRM_EXCHANGE);
  planted_close(&p);
}

// y cannot be computed far from a = 1.
static FitResult *fit_narrow_of(int count, bool spoiled, int restarts) {
  Planted p = {.hand =
                   hand_text("model Narrow\n  parameter Real a = 1;\n  Real y;\nequation\n"
                             "  y = a*sin(time) + 1e-9*sqrt(0.01 - (a - 1)^2);\nend Narrow;\n")};
  hand_experiment(
      p.hand,
      (HandData){.channels = {"y"}, .step = 0.05, .count = count, .noise = 0.02, .seed = 3});
  hand_estimate(p.hand, "a", -1, 1.02, -5, 5);
  p.hand->problem.options.restarts = restarts;
  if (spoiled) spoil(&p);
  FitResult *r = fit_auto(p.hand);
  hand_done(p.hand);
  return r;
}

static FitResult *fit_narrow(bool spoiled, int restarts) {
  return fit_narrow_of(200, spoiled, restarts);
}

// Where far searches find nothing, noise must decide: with 177 samples it explains 1.9 times its variance.
static bool few_samples_leave_doubt(void *data, double count) {
  (void)data;
  FitResult *r = fit_narrow_of((int)count, false, 0);
  bool doubtful = r->verdict == FIT_DOUBTFUL;
  assert_true(r->fits && (doubtful || r->verdict == FIT_CERTAIN));
  fit_free(r);
  return doubtful;
}

static void few_samples_need_searches_that_agree(void **state) {
  (void)state;
  assert_turns(few_samples_leave_doubt, NULL, 170, 185);
}

// They neither vote for a result nor against it: where noise does not decide, five are tried.
static void searches_that_find_nothing_have_no_vote(void **state) {
  (void)state;
  FitResult *r = fit_narrow(false, 0);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  assert_true(r->searches.far == 3 && r->searches.failed == 3 && r->searches.agree == 2);
  fit_free(r);
  r = fit_narrow(true, 0);
  assert_int_equal(r->verdict, FIT_DOUBTFUL);
  assert_true(r->searches.far == 5 && r->searches.failed == 5 && r->searches.far_agree == 0);
  fit_free(r);
}

// Random starts that end at the same optimum are far searches, too: two are enough.
static void restarts_that_agree_end_the_search(void **state) {
  (void)state;
  FitResult *r = fit_narrow(true, 1000);
  int most = 0, k;
  assert_int_equal(r->verdict, FIT_AGREED);
  for (int i = 0; i < r->stages.count; i++)
    if (sscanf(r->stages.at[i].name, "restart %d", &k) == 1 && k > most) most = k;
  assert_in_range(most, 2, 999);
  assert_int_equal(r->searches.far, 5 + most);
  assert_int_equal(r->searches.far_agree, 2);
  fit_free(r);
}

// y can be computed near a = 1, near its mirror image and near the last spread point: the first and the fifth far search agree,
// those between find nothing. Then exchanges follow.
static void far_searches_go_on_until_two_agree(void **state) {
  (void)state;
  double design[4 * 3];
  FitOptions o;
  fit_options_init(&o);
  design_points(o.sampling, (uint64_t)o.seed, 3, 4, design);
  double last = -5 + 10 * design[9];
  char text[400];
  snprintf(text, sizeof text,
           "model Narrow\n  parameter Real a = 1;\n  parameter Real k1 = 1;\n"
           "  parameter Real k2 = 1;\n  Real y;\nequation\n"
           "  y = a*sin(time) + 1e-9*sqrt(0.01 - ((a - 1)*(a + 1)*(a - (%.9f)))^2) + 0*k1*k2;\n"
           "end Narrow;\n",
           last);
  Planted p = {.hand = hand_text(text)};
  hand_experiment(
      p.hand, (HandData){.channels = {"y"}, .step = 0.05, .count = 200, .noise = 0.02, .seed = 3});
  hand_estimate(p.hand, "a", -1, 1, -5, 5);
  hand_estimate(p.hand, "k1", -1, 300, 100, 900);
  hand_estimate(p.hand, "k2", -1, 400, 100, 900);
  p.hand->problem.options.restarts = 0;
  spoil(&p);
  FitResult *r = fit_auto(p.hand);
  assert_int_equal(r->verdict, FIT_AGREED);
  assert_true(r->searches.far == 5 && r->searches.far_agree == 2 && r->searches.failed == 3);
  assert_int_equal(r->searches.planned, 5 + 1);
  fit_free(r);
  hand_done(p.hand);
}

// Where an unknown moves a kink, false optima lie beside the true one: two pairs of shakes.
static void kinks_are_shaken_twice(void **state) {
  (void)state;
  Hand *h = hand_text("model Kink\n  parameter Real a = 0.3;\n  Real y;\nequation\n"
                      "  y = max(sin(time), a);\nend Kink;\n");
  hand_experiment(
      h, (HandData){.channels = {"y"}, .step = 0.05, .count = 200, .noise = 0.02, .seed = 3});
  hand_estimate(h, "a", -1, 0.4, 0, 0.9);
  FitResult *r = fit_auto(h);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  assert_int_equal(r->searches.planned, 3 + 4);
  fit_free(r);
  hand_done(h);
}

// Only a*b and c/b are determined: searches end all along a curve, where objectives are errors of simulations.
static void flat_directions_of_exact_data_are_no_rivals(void **state) {
  (void)state;
  static const double STARTS[][3] = {
      {1, 1, 1}, {9, 0.2, 3}, {0.3, 8, 0.5}, {5, 5, 5}, {0.2, 0.3, 9}};
  for (int k = 0; k < 5; k++) {
    Hand *h =
        hand_text("model Flat\n  parameter Real a = 2, b = 3, c = 1.5;\n  Real x(start = 0, fixed "
                  "= true), y;\nequation\n  der(x) = b*cos(time) - c/b*x;\n  y = a*x;\nend "
                  "Flat;\n");
    hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.05, .count = 200});
    hand_estimate(h, "a", -1, STARTS[k][0], 0.1, 10);
    hand_estimate(h, "b", -1, STARTS[k][1], 0.1, 10);
    hand_estimate(h, "c", -1, STARTS[k][2], 0.1, 10);
    FitResult *r = fit_auto(h);
    assert_int_equal(r->verdict, FIT_CERTAIN);
    fit_free(r);
    hand_done(h);
  }
}

// ---------------------------------------------------------------- the cap

typedef struct Costly {
  double rhs;       // evaluations that the search has used, of one state and one unknown
  long simulations; // the same
  int done;
  bool cut, decided;
  long iterations; // of confirming
} Costly;

// Searches that crawl: each of them uses all steps it is given.
static void confirm_costly(Costly *q) {
  const Kind *clock = &KINDS[sizeof KINDS / sizeof *KINDS - 1];
  Hand *h = kind_open(clock);
  crawl(&h->problem);
  h->problem.method = METHOD_AUTO;
  Searching w;
  searching_open(&w, &h->problem, NULL, NULL);
  Search *s = w.s;
  double x[] = {1};
  search_offer(s, "planted", x, search_evaluate(s, 0, 1, x), LOCAL_STEP_END);
  s->budget.used = (WorkCount){.simulations = q->simulations, .rhs = (long)q->rhs};
  q->decided = confirm_best(s);
  const Confirmation *c = s->confirmation;
  q->cut = c->cut, q->done = 0;
  for (int k = 0; k < c->ends.count; k++) q->done += c->ends.at[k].done;
  q->iterations = s->budget.used.iterations;
  searching_close(&w);
  hand_done(h);
}

static bool has_a_cap(void *data, double rhs) {
  Costly q = {.rhs = rhs, .simulations = *(long *)data};
  confirm_costly(&q);
  assert_true(q.cut == (q.done < 5));
  return q.cut;
}

// Only where the search was expensive: 2e7 numbers, about a tenth of a second.
static void cheap_searches_have_no_cap(void **state) {
  (void)state;
  long few = 1;
  assert_threshold_from_above(has_a_cap, &few, 2e7 / 2);
  Costly q = {.rhs = 1};
  confirm_costly(&q);
  assert_true(q.decided && q.done == 5);
  assert_int_equal(q.iterations, 5 * 60); // each has 60 steps
}

// 150 simulations, or three times those of the search. One search takes 61, the images 3; what begins below the cap may end.
static void the_cap_is_150_or_three_times_the_search(void **state) {
  (void)state;
  static const struct {
    long simulations;
    int done;
  } CASES[] = {{1, 3}, {50, 3}, {61, 3}, {63, 4}, {83, 5}};
  for (int k = 0; k < 5; k++) {
    Costly q = {.rhs = 1e8, .simulations = CASES[k].simulations};
    confirm_costly(&q);
    assert_int_equal(q.done, CASES[k].done);
    assert_true(q.decided == (q.done >= 4)); // mirror, one spread, both shakes
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchanged_numbers_are_ambiguous),
      cmocka_unit_test(a_constraint_makes_it_certain),
      cmocka_unit_test(the_better_of_two_wells_is_found),
      cmocka_unit_test(wells_that_chance_may_order_are_ambiguous),
      cmocka_unit_test(problems_of_all_kinds_are_certain),
      cmocka_unit_test(twelve_numbers_are_confirmed),
      cmocka_unit_test(what_changes_no_residual_stays_at_its_start),
      cmocka_unit_test(a_model_that_misses_something_is_never_certain),
      cmocka_unit_test(confirming_can_be_switched_off),
      cmocka_unit_test(only_methods_that_look_for_the_best_confirm),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(a_budget_that_ends_confirming_leaves_doubt),
      cmocka_unit_test(a_rival_that_was_not_judged_leaves_doubt),
      cmocka_unit_test(it_can_be_stopped_while_it_confirms),
      cmocka_unit_test(a_candidate_that_fits_has_three_far_searches_and_a_pair_of_shakes),
      cmocka_unit_test(the_mirror_reflects_every_number),
      cmocka_unit_test(spread_points_are_those_of_a_design),
      cmocka_unit_test(numbers_of_one_size_are_exchanged),
      cmocka_unit_test(only_what_may_take_the_other_place_is_exchanged),
      cmocka_unit_test(two_pairs_are_exchanged),
      cmocka_unit_test(a_candidate_that_does_not_fit_has_far_searches_first),
      cmocka_unit_test(searches_that_find_nothing_have_no_vote),
      cmocka_unit_test(few_samples_need_searches_that_agree),
      cmocka_unit_test(restarts_that_agree_end_the_search),
      cmocka_unit_test(far_searches_go_on_until_two_agree),
      cmocka_unit_test(kinks_are_shaken_twice),
      cmocka_unit_test(flat_directions_of_exact_data_are_no_rivals),
      cmocka_unit_test(cheap_searches_have_no_cap),
      cmocka_unit_test(the_cap_is_150_or_three_times_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
