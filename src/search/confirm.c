// Which searches are worth most, and how many are enough, was measured on 62 problems: exchange, mirror and two spread points
// found the better optimum in 54 of 54 cases with bounds drawn at random about the values; parts of a portfolio from one
// start all ended at the same wrong one.
#include "search/confirm.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/patience.h"
#include "base/pool.h"
#include "base/record.h"
#include "model/second.h"
#include "num/design.h"
#include "num/random.h"
#include "search/certificate.h"
#include "search/homotopy.h"
#include "search/images.h"
#include "search/local_search.h"
#include "search/many_fits.h"
#include "search/optima.h"
#include "search/sigma.h"
#include "search/starts.h"
#include "search/term_scores.h"
#include "search/verdict.h"

enum { LANES_TOGETHER = 4 };    // searches: few enough that several cores have some
enum { MIRROR_INSTEAD = 1001 }; // number of the random point where the mirror is the optimum itself
enum { SPREAD_POINTS = 4, IMAGES_TAKEN = 5, ROUNDS_MOST = 8, LOCAL_ITERATIONS = 60 };
// Far searches of a candidate that fits the noise; of another one first, and at most.
enum { FAR_FITS = 3, FAR_FIRST = 2, FAR_MOST = 5 };

static const struct {
  const char *word;
  bool far;
} KINDS[] = {
#define CONFIRM_KIND(name, word, far) {word, far},
    CONFIRM_KINDS
#undef CONFIRM_KIND
};

bool confirm_is_wanted(const Problem *p) {
  bool asks = p->method == METHOD_AUTO || p->method == METHOD_PORTFOLIO ||
              (p->method == METHOD_HOMOTOPY && p->options.homotopy == HOMOTOPY_AUTO);
  return asks && p->options.confirm != CONFIRM_OFF && p->unknown_count > 0;
}

// ---------------------------------------------------------------- starts

typedef struct Trials { // of one batch
  double *starts;       // rows of unknowns
  ConfirmKind *kinds;
  Method *methods;
  int count;
} Trials;

enum { TRIALS_MOST = IMAGES_TAKEN + 4 + FAR_MOST };

static double *add_trial(const Search *s, Trials *t, ConfirmKind kind) {
  bool coupled = KINDS[kind].far && s->problem->model->nx > 0 && fitting_feedback(s->fitting);
  double *x = t->starts + (size_t)t->count * (size_t)s->n;
  t->kinds[t->count] = kind;
  t->methods[t->count++] = coupled ? METHOD_HOMOTOPY : local_search_method(s->problem);
  memcpy(x, s->best.x, (size_t)s->n * sizeof *x);
  return x;
}

static double inside(const Unknown *u, double x) {
  return fmin(fmax(x, u->min), u->max);
}

static void add_images(Search *s, Trials *t) {
  Image image[IMAGES_TAKEN];
  int count = images_find(s, s->best.x, image, IMAGES_TAKEN);
  for (int k = 0; k < count; k++) {
    bool exchange = image[k].kind == IMAGE_EXCHANGE;
    double *x = add_trial(s, t, exchange ? CONFIRM_EXCHANGE : CONFIRM_IMAGE);
    memcpy(x, image[k].x, (size_t)s->n * sizeof *x);
  }
}

static void add_mirror(const Search *s, Trials *t) {
  double *x = add_trial(s, t, CONFIRM_MIRROR);
  for (int i = 0; i < s->n; i++) {
    const Unknown *u = &s->problem->unknowns[i];
    double low, high;
    bool decades;
    start_range(u, &low, &high, &decades);
    x[i] = inside(u, decades && x[i] > 0 ? low * high / x[i] : low + high - x[i]);
  }
  if (optima_same_numbers(s, x, s->best.x)) random_point(s->problem, MIRROR_INSTEAD, x);
}

static void add_spread(const Search *s, Trials *t, int number) {
  Confirmation *c = s->confirmation;
  size_t n = (size_t)s->n;
  if (!c->spread) {
    const FitOptions *o = &s->problem->options;
    c->spread = ARENA_ARRAY(s->arena, double, SPREAD_POINTS *n + 1);
    design_points(o->sampling, (uint64_t)o->seed, s->n, SPREAD_POINTS, c->spread);
  }
  double *x = add_trial(s, t, CONFIRM_SPREAD);
  for (size_t i = 0; i < n; i++)
    x[i] = start_between(&s->problem->unknowns[i], c->spread[(size_t)number * n + i]);
}

static void add_far(const Search *s, Trials *t, int number) {
  if (number == 0)
    add_mirror(s, t);
  else
    add_spread(s, t, number - 1);
}

static const double SHAKE = 0.02;

// A pair: random signs, and the opposite ones.
static void add_shakes(const Search *s, Trials *t, int pair) {
  for (int side = 1; side >= -1; side -= 2) {
    Random random;
    random_seed_stream(&random, (uint64_t)s->problem->options.seed, 1000 + (uint64_t)pair);
    double *x = add_trial(s, t, CONFIRM_SHAKE);
    for (int i = 0; i < s->n; i++) {
      const Unknown *u = &s->problem->unknowns[i];
      double low, high, sign = random_uniform(&random) < 0.5 ? -side : side;
      bool decades;
      start_range(u, &low, &high, &decades);
      double size = x[i] != 0 ? fabs(x[i]) : fmin(high - low, 1) / 10;
      x[i] = inside(u, x[i] + sign * SHAKE * size);
    }
  }
}

static bool has_kinks(const Search *s) {
  Model *m = s->problem->model;
  Arena *a = arena_new();
  int *parameters = ARENA_ARRAY(a, int, s->n + 1), count = 0;
  for (int i = 0; i < s->n; i++) parameters[count++] = s->problem->unknowns[i].parameter;
  Expr *kinks;
  bool any = model_moved_event(m, parameters, count) >= 0;
  pthread_mutex_lock(m->lock);
  any = any || model_kinks(m, a, parameters, count, &kinks) > 0;
  pthread_mutex_unlock(m->lock);
  arena_free(a);
  return any;
}

// ---------------------------------------------------------------- one search

// A search that ended because it led to the known optimum has its values.
static void end_at_known(Search *s) {
  if (s->best.end != LOCAL_KNOWN_END) return;
  memcpy(s->best.x, s->known->x, (size_t)s->n * sizeof *s->best.x);
  s->best.objective = s->known->objective;
}

// A confirming search: local, or one coupled and one free fit. As RunFit; the method says which, data is the optimum at which
// it may end, NULL: none.
static FitResult *confirming_fit(const Problem *p, EvalWork *w, const double *start,
                                 FitListener *listener, void *data) {
  FitResult *r = fit_result_new(p, start);
  Search *s = search_new(p, w, r, listener, NULL);
  s->start = r->start;
  s->known = data;
  s->next_start = search_copy(s, r->x);
  if (p->method == METHOD_HOMOTOPY) {
    search_begin(s, "homotopy");
    homotopy_auto(s, s->next_start, &HOMOTOPY_ONCE);
  } else
    local_search_stage(s, "local search", s->next_start, -1);
  end_at_known(s);
  if (s->best.objective < HUGE_VAL && noise_is_estimated(p)) sigma_settle(s, -1);
  search_finish(s);
  r->outcome = s->stopped                      ? FIT_STOPPED
               : s->over_budget                ? FIT_BUDGET
               : s->best.objective == HUGE_VAL ? FIT_NO_START
                                               : FIT_CONVERGED;
  search_done(s);
  return r;
}

// ---------------------------------------------------------------- a batch

enum { CAP_LEAST = 150, CAP_FACTOR = 3 }; // the first for each experiment

// Simulations that confirming may still use.
static long cap_left(const Search *s) {
  const Confirmation *c = s->confirmation;
  WorkCount search = work_count_rest(&c->before, &c->work);
  double rows = s->fitting->data->samples / fmax(s->problem->experiment_count, 1);
  if (work_count_length(&search, s->problem->model->nx, rows, s->n) <= WORK_IS_LONG)
    return LONG_MAX;
  long so_far = CAP_FACTOR * work_count_simulations(&search);
  long used = work_count_simulations(&s->budget.used) - work_count_simulations(&search);
  long least = CAP_LEAST * (s->problem->experiment_count > 0 ? s->problem->experiment_count : 1);
  return (so_far > least ? so_far : least) - used;
}

typedef struct Batch {
  Search *s;
  const Trials *trials;
  int taken;
  bool by_user; // what limits them is a limit of the user, not the cap
} Batch;

static bool take(void *data, int number, const ManyFitsAnswer *a) {
  Batch *b = data;
  Search *s = b->s;
  Confirmation *c = s->confirmation;
  bool affordable = search_affords(s, &a->work), within = cap_left(s) > 0;
  ConfirmEnd end = {.kind = b->trials->kinds[number],
                    .candidate = c->candidate,
                    .done = affordable && within && a->outcome != FIT_BUDGET,
                    .found = a->objective < HUGE_VAL,
                    .objective = a->comparable,
                    .x = search_copy(s, a->x),
                    .end = a->end};
  if (!affordable || (within && !end.done && b->by_user)) c->stopped = true;
  if (affordable && !end.done && !c->stopped) c->cut = true;
  if (!affordable || !within) return false;
  work_count_add(&s->budget.used, &a->work);
  many_fits_failures(a, s->n, s->budget.failed);
  array_push(s->arena, &c->ends, end);
  s->searches++;
  b->taken++;
  s->progress.iteration = b->taken;
  return search_goes_on(s);
}

static bool goes_on(void *data, int finished) {
  Batch *b = data;
  b->s->progress.iteration = finished;
  return search_goes_on(b->s);
}

// One after the other, with the work of the search: whoever runs it makes its simulations beside those of other searches.
static void run_in_turn(Batch *b, const Problem *inner, void *const *about) {
  Search *s = b->s;
  ManyFitsAnswer *answer = arena_alloc(s->arena, 1, many_fits_answer_size(s->n));
  for (int k = 0; k < b->trials->count && search_goes_on(s); k++) {
    Problem one = *inner;
    one.method = b->trials->methods[k];
    const double *start = b->trials->starts + (size_t)k * (size_t)s->n;
    FitResult *r = confirming_fit(&one, s->work, start, NULL, about[k]);
    many_fits_answer(r, s->n, answer);
    bool goes = r->outcome != FIT_STOPPED && take(b, k, answer);
    fit_free(r);
    if (!goes) return;
  }
}

static KnownOptimum candidate_of(const Search *s) {
  return (KnownOptimum){search_copy(s, s->best.x), s->best.objective, optima_unit(s)};
}

// Searches that were not made have no vote. Far ones are made for the next candidate, so that none is made twice.
static void note_undone(Search *s, const Trials *t, int taken) {
  Confirmation *c = s->confirmation;
  for (int k = taken; k < t->count; k++) {
    ConfirmEnd none = {.kind = t->kinds[k], .candidate = c->candidate};
    array_push(s->arena, &c->ends, none);
    c->far -= KINDS[t->kinds[k]].far;
  }
}

static void run_side_by_side(Batch *b, const Problem *inner, void *const *about) {
  Search *s = b->s;
  const Trials *t = b->trials;
  ManyFitsRequest q = {.fit = confirming_fit,
                       .starts = t->starts,
                       .methods = t->methods,
                       .about = about,
                       .count = t->count,
                       .threads = s->problem->options.threads,
                       .lanes = s->problem->options.lanes == LANES_AUTO,
                       .block = LANES_TOGETHER,
                       .take = take,
                       .listener = goes_on,
                       .data = b};
  long before = s->budget.used.in_turn;
  many_fits_run(s->fitting, inner, &q);
  work_count_share(&s->budget.used, before, pool_size(q.threads, t->count));
}

static void run_batch(Search *s, const Trials *t) {
  Confirmation *c = s->confirmation;
  Problem inner = *s->problem;
  FitOptions *o = &inner.options;
  long left = budget_left(&s->budget), cap = cap_left(s);
  long most = left < cap ? left : cap;
  Batch b = {.s = s, .trials = t, .by_user = left <= cap};
  if (most <= 0) *(b.by_user ? &c->stopped : &c->cut) = true;
  o->max_simulations = most < INT_MAX ? (int)most : INT_MAX;
  o->max_seconds = 0; // those of the whole search end it
  o->max_iterations = o->max_iterations < LOCAL_ITERATIONS ? o->max_iterations : LOCAL_ITERATIONS;
  KnownOptimum candidate = candidate_of(s);
  bool moves = noise_is_estimated(s->problem) || s->result->pieces; // its objective is another one
  void *about[TRIALS_MOST] = {0};
  for (int k = 0; k < t->count && !moves;
       k++) // shakes, which look for others near it, go to their own end
    about[k] = t->kinds[k] == CONFIRM_SHAKE ? NULL : &candidate;
  if (most > 0 && eval_simulator(s->work))
    run_in_turn(&b, &inner, about);
  else if (most > 0)
    run_side_by_side(&b, &inner, about);
  if (b.taken < t->count && !c->cut) c->stopped = true;
  note_undone(s, t, b.taken);
}

// ---------------------------------------------------------------- candidates

// Where events move with the unknowns, the objective has kinks, at which searches end a little above the optimum (a carriage that
// sticks, driven by a measured force): nothing that the data tell apart.
static const double KINKED = 0.1; // of twice the log-likelihood

static bool same_but_for_kinks(const Search *s, const ConfirmEnd *e) {
  double best = search_comparable(s);
  return s->confirmation->kinks && optima_same_numbers(s, e->x, s->best.x) &&
         optima_difference(s, fmin(best, e->objective), fmax(best, e->objective)) < KINKED;
}

static bool agrees(const Search *s, const ConfirmEnd *e) {
  bool same = optima_same_objective(s, search_comparable(s), e->objective);
  return e->done && e->found && (same || same_but_for_kinks(s, e)) &&
         !(e->judged == s->confirmation->candidate && e->distinct);
}

typedef struct FarCount {
  int done, found, agree;
} FarCount;

static FarCount count_far(const Search *s) {
  const Confirmation *c = s->confirmation;
  FarCount count = {0};
  for (int k = 0; k < c->ends.count; k++) {
    const ConfirmEnd *e = &c->ends.at[k];
    if (!KINDS[e->kind].far || !e->done) continue;
    count.done++;
    count.found += e->found;
    count.agree += agrees(s, e) && !e->first;
  }
  return count;
}

// Noise decides little where it explains this many times its own variance: below 180 samples, if their noise is estimated.
static const double WEAK_NOISE = 1.9;

static bool noise_is_weak(const Search *s) {
  return !s->best.facts.exact && (!certificate_noise_tells(s->weighting) ||
                                  certificate_allowance(s->fitting->data) > WEAK_NOISE);
}

static int agree_least(const Search *s) {
  return verdict_agree_least(s->best.fits, noise_is_weak(s));
}

// Where noise does not decide, two far searches must agree, or three: one that found nothing says nothing, and one that agrees is worth
// another one; so is each where the residuals are noise.
static int far_wanted(const Search *s) {
  const Confirmation *c = s->confirmation;
  FarCount count = count_far(s);
  if (c->far < FAR_FIRST) return FAR_FIRST;
  bool few = count.agree < agree_least(s);
  bool open = few && (count.agree > 0 || count.found < FAR_FIRST || s->best.fits);
  return open && c->far < FAR_MOST ? c->far + 1 : c->far;
}

// Images and shakes of the present candidate. Shakes find what is near: where the residuals are noise, and where kinks make
// false optima beside the true one.
static void add_local(Search *s, Trials *t, bool images, bool shakes) {
  bool kinks = shakes && s->confirmation->kinks;
  if (images) add_images(s, t);
  for (int pair = 0; shakes && !s->result->pieces && pair < (kinks ? 2 : s->best.fits); pair++)
    add_shakes(s, t, pair);
}

static void add_more_far(Search *s, Trials *t, int wanted) {
  Confirmation *c = s->confirmation;
  for (; c->far < wanted; c->far++) add_far(s, t, c->far);
}

// What is still to be done for the present candidate, in the order of worth. One that fits the noise needs all of it. Another
// one can only be agreed on: far searches first, the rest when these agree.
static Trials plan(Search *s) {
  Confirmation *c = s->confirmation;
  Trials t = {.starts = ARENA_ARRAY(s->arena, double, (size_t)TRIALS_MOST *(size_t)s->n + 1),
              .kinds = ARENA_ARRAY(s->arena, ConfirmKind, TRIALS_MOST),
              .methods = ARENA_ARRAY(s->arena, Method, TRIALS_MOST)};
  bool local = !c->local && (s->best.fits || count_far(s).agree >= agree_least(s));
  if (s->best.fits) {
    add_local(s, &t, local, false);
    add_more_far(s, &t, FAR_FIRST);
    add_local(s, &t, false, local);
    add_more_far(s, &t, c->far >= FAR_FITS && noise_is_weak(s) ? far_wanted(s) : FAR_FITS);
  } else if (local)
    add_local(s, &t, true, true);
  else
    add_more_far(s, &t, far_wanted(s));
  c->local = c->local || local;
  return t;
}

static void begin_candidate(Search *s) {
  Confirmation *c = s->confirmation;
  c->candidate++;
  c->x = search_copy(s, s->best.x);
  c->local = c->cut = c->stopped = false;
}

// Goes on from where a search ended that was cut short.
static void polish_end(Search *s, ConfirmEnd *e) {
  if (local_end_converged(e->end) || noise_is_estimated(s->problem)) return;
  LocalSearch l = local_search_full(s);
  KnownOptimum known = candidate_of(s);
  l.near = true;
  if (!s->result->pieces) l.known = &known;
  l.max_iterations = l.max_iterations < LOCAL_ITERATIONS ? l.max_iterations : LOCAL_ITERATIONS;
  local_search_run(s, &l, e->x);
  e->objective = l.objective, e->end = l.end;
  if (e->end != LOCAL_KNOWN_END) return;
  memcpy(e->x, known.x, (size_t)s->n * sizeof *e->x);
  e->objective = known.objective;
}

// A coupled and a free fit without more ado may end on the way to the candidate.
static const double ON_THE_WAY = 1.5; // times its objective

static void polish_near_ends(Search *s) {
  Confirmation *c = s->confirmation;
  for (int k = 0; k < c->ends.count && search_goes_on(s) && cap_left(s) > 0; k++) {
    ConfirmEnd *e = &c->ends.at[k];
    bool near = e->done && e->found && e->objective < ON_THE_WAY * s->best.objective;
    if (near && !e->polished && !agrees(s, e)) {
      polish_end(s, e);
      e->polished = true;
    }
  }
}

// False: it was stopped before there was an objective, and the candidate stays.
static bool adopt(Search *s, const ConfirmEnd *e, bool another) {
  const char *by =
      another ? arena_print(s->arena, "confirming search: %s", KINDS[e->kind].word) : s->result->by;
  double objective = e->objective;
  if (noise_is_estimated(s->problem)) {
    objective = search_evaluate(s, 0, 1, e->x);
    if (objective == HUGE_VAL) return false;
    s->best.objective = HUGE_VAL; // comparable objectives have decided
  }
  search_offer(s, by, e->x, objective, e->end);
  if (noise_is_estimated(s->problem)) sigma_settle(s, -1);
  return true;
}

// As good up to what searches leave open: nothing makes it the better one. With the same numbers it is the more exact end, unless
// it moves them by less than a thousandth of a standard error; then what has no effect on the data stays where it is, too.
static const double AS_GOOD_OTHER = 0.5, AS_GOOD_SAME = 1e-7; // of twice the log-likelihood

static bool is_as_good(const Search *s, const ConfirmEnd *e) {
  double best = search_comparable(s);
  double limit = optima_same_numbers(s, e->x, s->best.x) ? AS_GOOD_SAME : AS_GOOD_OTHER;
  return optima_same_objective(s, best, e->objective) &&
         optima_difference(s, e->objective, best) < limit;
}

static bool is_better(const Search *s, const ConfirmEnd *e) {
  return e->done && e->found && e->objective < search_comparable(s) && !is_as_good(s, e) &&
         problem_satisfied(s->problem, e->x);
}

// An end that is better than the candidate, but not the same optimum: searches did not converge there.
static bool has_better(const Search *s) {
  const Confirmation *c = s->confirmation;
  for (int k = 0; k < c->ends.count; k++)
    if (is_better(s, &c->ends.at[k]) &&
        !optima_same_objective(s, search_comparable(s), c->ends.at[k].objective))
      return true;
  return false;
}

// The best of the ends that has not been tried; NULL: none is better than the candidate.
static ConfirmEnd *best_untried(Search *s) {
  Confirmation *c = s->confirmation;
  ConfirmEnd *best = NULL;
  for (int k = 0; k < c->ends.count && !s->result->pieces; k++) {
    ConfirmEnd *e = &c->ends.at[k];
    if (is_better(s, e) && !e->tried && (!best || e->objective < best->objective)) best = e;
  }
  return best;
}

// The best of the ends takes the place of the candidate if it is better. True: it is another optimum.
static bool take_better(Search *s) {
  for (ConfirmEnd *e; (e = best_untried(s)) && search_goes_on(s);) {
    bool another = !optima_same_objective(s, search_comparable(s), e->objective);
    e->tried = true;
    if (another) polish_end(s, e);
    if (!local_end_converged(e->end) || !adopt(s, e, another)) continue;
    search_find_facts(s);
    e->first = e->first || another;
    if (!another) continue;
    s->confirmation->better++;
    begin_candidate(s);
    return true;
  }
  return false;
}

// ---------------------------------------------------------------- rivals

// An end nearly as good as the best that was judged already and is the same as this one.
static const ConfirmEnd *twin_of(const Search *s, const ConfirmEnd *e) {
  const Confirmation *c = s->confirmation;
  for (int k = 0; k < c->ends.count && &c->ends.at[k] != e; k++) {
    const ConfirmEnd *other = &c->ends.at[k];
    if (other->judged == c->candidate && optima_same_numbers(s, other->x, e->x) &&
        optima_same_objective(s, other->objective, e->objective))
      return other;
  }
  return NULL;
}

static void judge_rival(Search *s, ConfirmEnd *e) {
  Confirmation *c = s->confirmation;
  const ConfirmEnd *twin = twin_of(s, e);
  double top = fmax(s->best.objective, e->objective);
  e->distinct = false;
  e->judged = c->candidate;
  if (twin) {
    e->distinct = twin->distinct;
    return;
  }
  polish_end(s, e);
  if (!local_end_converged(e->end) || optima_same_numbers(s, s->best.x, e->x)) return;
  if (noise_is_estimated(s->problem)) // with the sigmas of the candidate
    top = fmax(s->best.objective, search_evaluate(s, 0, 1, e->x));
  e->distinct = optima_barrier(s, s->best.x, e->x, top);
}

static bool may_be_rival(const Search *s, const ConfirmEnd *e) {
  return e->done && e->found && e->judged != s->confirmation->candidate &&
         problem_satisfied(s->problem, e->x) && !optima_same_numbers(s, s->best.x, e->x) &&
         optima_is_near(s, search_comparable(s), e->objective);
}

// What a limit or the user ends says nothing.
static void judge_rivals(Search *s) {
  Confirmation *c = s->confirmation;
  c->unjudged = false;
  for (int k = 0; k < c->ends.count && !c->unjudged && !s->result->pieces; k++) {
    ConfirmEnd *e = &c->ends.at[k];
    if (!may_be_rival(s, e)) continue;
    if (search_goes_on(s)) judge_rival(s, e);
    c->unjudged = !search_goes_on(s);
    if (c->unjudged) e->judged = 0;
  }
}

static bool has_rival(const Search *s) {
  const Confirmation *c = s->confirmation;
  for (int k = 0; k < c->ends.count; k++) {
    const ConfirmEnd *e = &c->ends.at[k];
    if (e->judged == c->candidate && e->distinct &&
        optima_is_near(s, search_comparable(s), e->objective))
      return true;
  }
  return false;
}

// ---------------------------------------------------------------- the verdict

// Searches that certain needs: exchange, mirror, one spread point and the shakes; the rest may be cut by the cap.
static bool is_complete(const Search *s) {
  const Confirmation *c = s->confirmation;
  bool cut_locals = false;
  for (int k = 0; k < c->ends.count; k++)
    cut_locals |= c->ends.at[k].candidate == c->candidate && !KINDS[c->ends.at[k].kind].far &&
                  !c->ends.at[k].done;
  return c->local && !cut_locals && !c->stopped && !c->unjudged &&
         count_far(s).done >= (c->cut ? 2 : FAR_FITS);
}

// Tests of noise see large errors of the model. A candidate that would be certain is also asked for terms that its equations
// miss, which shows much smaller ones.
static bool is_asked_for_terms(const Search *s) {
  const FitFacts *f = &s->best.facts;
  return f->looked || f->exact || s->result->pieces || s->problem->options.loss == LOSS_HUBER;
}

// asked: for terms that are missing.
static FitVerdict verdict_if(const Search *s, bool asked) {
  const FitFacts *f = &s->best.facts;
  // There may be rivals, or nobody has seen the residuals.
  bool better = has_better(s);
  bool unjudged = s->confirmation->unjudged || !(f->known || f->exact) || better;
  return verdict_decide(&(VerdictFacts){.ambiguous = has_rival(s),
                                        .fits = s->best.fits,
                                        .complete = is_complete(s) && !better && asked,
                                        .weak = noise_is_weak(s),
                                        .far_agree = unjudged ? 0 : count_far(s).agree});
}

static FitVerdict verdict_of(const Search *s) {
  return verdict_if(s, is_asked_for_terms(s));
}

static bool is_settled(const Search *s) {
  return s->confirmation && s->confirmation->x &&
         memcmp(s->confirmation->x, s->best.x, (size_t)s->n * sizeof(double)) == 0;
}

static void tally(Search *s) {
  const Confirmation *c = s->confirmation;
  FitSearches *out = &s->result->searches;
  *out = (FitSearches){.better = c->better,
                       .cut = c->cut || c->stopped || c->unjudged,
                       .capped = c->cut && !c->stopped && !c->unjudged};
  for (int k = 0; k < c->ends.count; k++) {
    const ConfirmEnd *e = &c->ends.at[k];
    bool counts = KINDS[e->kind].far || e->candidate == c->candidate;
    if (!counts || e->first) continue; // the one that found it does not confirm it
    out->planned++;
    out->done += e->done;
    out->agree += agrees(s, e);
    out->failed += e->done && !e->found;
    out->far += e->done && KINDS[e->kind].far;
    out->far_agree += KINDS[e->kind].far && agrees(s, e);
  }
}

// Why the search goes on, for those who watch it.
static const char *doubt_about(const Search *s) {
  const FitSearches *n = &s->result->searches;
  const FitFacts *f = &s->best.facts;
  if (s->best.fits || !isfinite(f->noise.ratio))
    return arena_print(s->arena, "best so far confirmed by %d of %d searches", n->agree,
                       n->planned);
  return arena_print(s->arena,
                     "best so far: residuals %.3g times the noise, %d of %d searches agree",
                     f->noise.ratio, n->agree, n->planned);
}

// Rivals among results that leave more than noise, and that no far search agrees on, are no reason to stop looking.
static bool is_decided(const Search *s, FitVerdict v) {
  bool open = !s->best.fits && count_far(s).agree < agree_least(s);
  return v != FIT_DOUBTFUL && !(v == FIT_AMBIGUOUS && open);
}

// Asks a candidate that would be certain. True: a term is missing.
static bool misses_a_term(Search *s) {
  FitFacts *f = &s->best.facts;
  if (is_asked_for_terms(s) || verdict_if(s, true) != FIT_CERTAIN) return false;
  TermScores t = {.arena = arena_new(),
                  .problem = s->fitting->problem,
                  .work = s->work,
                  .weighting = s->weighting,
                  .x = s->best.x};
  if (term_scores_find(&t)) f->missing = term_scores_missing(&t);
  f->looked = search_goes_on(s);
  if (f->missing.term) {
    f->missing.term = arena_print(s->arena, "%s", f->missing.term);
    f->missing.state = arena_print(s->arena, "%s", f->missing.state);
  }
  arena_free(t.arena);
  s->best.fits = certificate_fits(f);
  return f->missing.term;
}

static int confirm_in_rounds(Search *s) {
  Confirmation *c = s->confirmation;
  int better = 0;
  for (int round = 0; round < ROUNDS_MOST && search_goes_on(s); round++) {
    Trials t = plan(s);
    if (t.count == 0) break;
    run_batch(s, &t);
    polish_near_ends(s);
    better += take_better(s);
    if (c->cut || c->stopped) break;
  }
  judge_rivals(s);
  return better + take_better(s); // a rival may have been polished
}

static bool confirm_candidate(Search *s) {
  Confirmation *c = s->confirmation;
  double began = patience_clock();
  c->before = s->budget.used;
  search_begin(s, "confirming searches");
  if (!is_settled(s)) begin_candidate(s);
  int better = confirm_in_rounds(s);
  for (int k = 0; k < ROUNDS_MOST && misses_a_term(s); k++) better += confirm_in_rounds(s);
  c->x = search_copy(s, s->best.x);
  WorkCount more = work_count_rest(&s->budget.used, &c->before);
  more.seconds = record_seconds(patience_clock() - began); // searches side by side share them
  work_count_add(&c->work, &more);
  tally(s);
  FitVerdict v = verdict_of(s);
  const FitSearches *n = &s->result->searches;
  search_end(s, s->best.fits, s->best.objective, "%s: %d of %d ended here%s", fit_verdict_word(v),
             n->agree, n->done, better ? ", after a better optimum had been found" : "");
  bool decided = is_decided(s, v);
  if (!decided) s->progress.doubt = doubt_about(s);
  return decided;
}

// Restarts may have agreed since.
static bool reconsider(Search *s) {
  judge_rivals(s);
  misses_a_term(s);
  return is_decided(s, verdict_of(s));
}

bool confirm_best(Search *s) {
  if (s->best.objective == HUGE_VAL) return false;
  if (!confirm_is_wanted(s->problem)) return s->best.fits;
  if (!search_goes_on(s)) return false;
  if (is_settled(s)) return reconsider(s);
  if (!s->confirmation) {
    s->confirmation = ARENA_NEW(s->arena, Confirmation);
    s->confirmation->kinks = has_kinks(s);
  }
  local_search_polish(s);
  if (noise_is_estimated(s->problem)) sigma_settle(s, -1);
  if (!local_end_converged(s->best.end) || !problem_satisfied(s->problem, s->best.x)) return false;
  search_find_facts(s);
  return confirm_candidate(s);
}

void confirm_note(Search *s, const double *x, double objective, LocalEnd end) {
  Confirmation *c = s->confirmation;
  bool whole = search_goes_on(s); // one that a limit ended has no vote
  if (!c || !confirm_is_wanted(s->problem)) return;
  ConfirmEnd note = {.kind = CONFIRM_RESTART,
                     .candidate = c->candidate,
                     .done = whole,
                     .found = objective < HUGE_VAL,
                     .objective = comparable_objective(s->problem, objective, s->weighting->sigma),
                     .x = search_copy(s, x),
                     .end = end,
                     .first = objective < HUGE_VAL &&
                              memcmp(x, s->best.x, (size_t)s->n * sizeof *x) == 0};
  array_push(s->arena, &c->ends, note);
}

// ---------------------------------------------------------------- what was found

// An optimum beside the result.
static bool is_another(const Search *s, const ConfirmEnd *e) {
  return !agrees(s, e) && e->done && e->found && local_end_converged(e->end);
}

static bool is_one(Search *s, const ConfirmEnd *a, const ConfirmEnd *b) {
  if (!optima_same_objective(s, a->objective, b->objective)) return false;
  return optima_same_numbers(s, a->x, b->x) || optima_one_valley(s, a->x, b->x, a->objective);
}

void confirm_join(Search *s) {
  Confirmation *c = s->confirmation;
  for (int k = 0; c && k < c->ends.count; k++) {
    ConfirmEnd *e = &c->ends.at[k];
    e->optimum = k;
    for (int j = 0; j < k && e->optimum == k && is_another(s, e); j++)
      if (c->ends.at[j].optimum == j && is_another(s, &c->ends.at[j]) &&
          is_one(s, &c->ends.at[j], e))
        e->optimum = j;
  }
}

// Room for another optimum, or the one that the end is at.
static FitOptimum *optimum_of(Search *s, const ConfirmEnd *e) {
  FitResult *r = s->result;
  for (int k = 0; k < r->optima.count; k++) {
    FitOptimum *o = &r->optima.at[k];
    if (optima_same_objective(s, o->objective, e->objective) && optima_same_numbers(s, o->x, e->x))
      return o;
  }
  FitOptimum new = {.x = e->x,
                    .objective = e->objective,
                    .worse = optima_difference(s, search_comparable(s), e->objective)};
  array_push(s->arena, &r->optima, new);
  return &r->optima.at[r->optima.count - 1];
}

static int by_objective(const void *a, const void *b) {
  const FitOptimum *s = a, *t = b;
  return (s->worse > t->worse) - (s->worse < t->worse);
}

// The best one, then those that other searches converged to.
static void list_optima(Search *s) {
  const Confirmation *c = s->confirmation;
  FitResult *r = s->result;
  FitOptimum best = {.x = s->best.x,
                     .objective = search_comparable(s),
                     .converged = local_end_converged(s->best.end)};
  array_push(s->arena, &r->optima, best);
  for (int k = 0; k < c->ends.count; k++) {
    const ConfirmEnd *e = &c->ends.at[k];
    if (agrees(s, e)) {
      r->optima.at[0].searches++;
      continue;
    }
    if (!is_another(s, e)) continue;
    FitOptimum *o = optimum_of(s, &c->ends.at[e->optimum]);
    o->searches++;
    o->converged = true;
    o->distinct = o->distinct || (e->judged == c->candidate && e->distinct);
  }
  qsort(r->optima.at + 1, (size_t)r->optima.count - 1, sizeof *r->optima.at, by_objective);
}

static void note_extremes(Search *s) {
  const Confirmation *c = s->confirmation;
  FitResult *r = s->result;
  r->low = search_copy(s, s->best.x), r->high = search_copy(s, s->best.x);
  for (int k = 0; k < c->ends.count; k++)
    for (int i = 0; i < s->n && agrees(s, &c->ends.at[k]); i++) {
      r->low[i] = fmin(r->low[i], c->ends.at[k].x[i]);
      r->high[i] = fmax(r->high[i], c->ends.at[k].x[i]);
    }
}

void confirm_conclude(Search *s) {
  FitResult *r = s->result;
  if (!s->confirmation) return;
  r->search_work = work_count_rest(&r->work, &s->confirmation->work);
  r->searches = (FitSearches){.better = s->confirmation->better, .cut = true};
  if (!is_settled(s)) return; // what was confirmed is not the result
  tally(s);
  r->verdict = verdict_of(s);
  list_optima(s);
  note_extremes(s);
}
