// What the data can tell. Sensitivities are divided by the noise of their channel and multiplied by the typical size
// of each unknown; the singular values of their triangle R say how many standard deviations the data change along the
// right singular vectors. A direction below 1 is hidden by the noise, and cannot be determined; how it compares with the
// strongest one does not matter, which chaotic motion may magnify by 1e9, as long as it is above rounding errors. Where the
// residuals are exact, 1 has no meaning: then directions below the accuracy of the simulation cannot be determined. Those
// that no data would show (R v = 0) are looked into by invariance.c.
#include "stats/identify.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "num/svd.h"
#include "stats/invariance.h"
#include "stats/say.h"
#include "stats/weak_product.h"

static const double PART_LEAST =
    0.1;                        // of the largest part of a direction: smaller ones are not named
static const double HIDDEN = 1; // standard errors above this many sizes tell nothing
enum { SIMULATIONS = 60 };      // of all experiments, to look into directions

// ---------------------------------------------------------------- triangles

// Between pieces of a motion, each divided by its standard deviation.
static void add_gaps(Arena *a, const Samples *rows, QrSum *sum) {
  double **column = ARENA_ARRAY(a, double *, rows->n + 1);
  int first = rows->count + rows->prior_count;
  for (int k = 0; k <= rows->n; k++) {
    column[k] = ARENA_ARRAY(a, double, rows->gap_count + 1);
    for (int i = 0; i < rows->gap_count && rows->gap_unit > 0; i++)
      column[k][i] = rows->column[k][first + i] * rows->scale[first + i] / rows->gap_unit;
  }
  qr_sum_add(sum, column, rows->gap_count);
}

enum { CHUNK = 256 }; // rows that are copied at once

// Triangle of rows whose channels are divided by unit[channel].
static double *triangle_of(Arena *a, const Samples *rows, const double *unit, bool with_gaps) {
  int n = rows->n;
  QrSum *sum = qr_sum_new(a, n);
  if (with_gaps) add_gaps(a, rows, sum); // heavy rows first
  double *block = ARENA_ARRAY(a, double, (size_t)(n + 1) * CHUNK);
  double **column = ARENA_ARRAY(a, double *, n + 1), *R = ARENA_ARRAY(a, double, n *n + 1);
  for (int k = 0; k <= n; k++) column[k] = block + (size_t)k * CHUNK;
  for (int c = 0; c < rows->channel_count; c++)
    for (int from = 0; from < rows->channels[c].count && patience_lasts(0); from += CHUNK) {
      int left = rows->channels[c].count - from, some = left < CHUNK ? left : CHUNK;
      for (int k = 0; k < n; k++)
        for (int i = 0; i < some; i++)
          column[k][i] = rows->column[k][rows->channels[c].first + from + i] / unit[c];
      memset(column[n], 0, CHUNK * sizeof *block);
      qr_sum_add(sum, column, some);
    }
  for (int i = 0; i < n; i++) memcpy(R + i * n, sum->R + i * (n + 1), (size_t)n * sizeof *R);
  return R;
}

static double *channel_sizes(const Analysis *an, double factor) {
  double *unit = ARENA_ARRAY(an->scratch, double, an->s->channel_count + 1);
  for (int c = 0; c < an->s->channel_count; c++) unit[c] = factor * an->rows->channels[c].rms;
  return unit;
}

static double value_size(const Analysis *an, int k) {
  return typical_size(&an->p->unknowns[k], an->x[k]);
}

// A small unknown that may be zero is not badly known: it is compared with the range between its bounds or, without bounds
// but near zero, with several times what noise hides.
static bool may_be_zero(const Unknown *f) {
  bool bounded = isfinite(f->max - f->min);
  return f->min < 0 && f->max > 0 && (bounded || f->start == 0);
}

static double size_about_zero(const Unknown *f, double hidden) {
  double range = f->max - f->min;
  return isfinite(range) ? range / 4 : 10 * hidden;
}

// At a bound the value is the user's, and may be far below what the data can show: then the size is the change that noise
// would just hide if all other unknowns were known.
static void find_sizes(Analysis *an, const double *R) {
  int n = an->s->n;
  an->size = ARENA_ARRAY(an->scratch, double, n + 1);
  for (int k = 0; k < n; k++) {
    double square = 0;
    for (int i = 0; i <= k; i++) square += R[i * n + k] * R[i * n + k];
    an->size[k] = value_size(an, k);
    if (an->assumed || !(square > 0)) continue;
    double hidden = 1 / sqrt(square);
    if (stopped_by_bound(an, k)) an->size[k] = fmax(an->size[k], hidden);
    if (may_be_zero(&an->p->unknowns[k]))
      an->size[k] = fmax(an->size[k], size_about_zero(&an->p->unknowns[k], hidden));
  }
}

// Length of R times the direction, which is in typical sizes.
static double seen(const Analysis *an, const double *R, const double *direction) {
  int n = an->s->n;
  double square = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = i; k < n; k++) sum += R[i * n + k] * an->size[k] * direction[k];
    square += sum * sum;
  }
  return sqrt(square);
}

// ---------------------------------------------------------------- the model for invariances

typedef struct Prober {
  const Analysis *an;
  QrSum *sum;
  double squares;
  int left; // of SIMULATIONS
} Prober;

static EvalSpec probe_spec(const Prober *q, bool slopes) {
  EvalSpec spec = eval_spec(eval_fitting(q->an->work), NULL);
  spec.weighting = q->an->weighting;
  spec.slopes = slopes;
  return spec;
}

static double unit_of_row(const Prober *q, const ResidualBlock *b, int i) {
  int at = channel_number(q->an->weighting->data, b->experiment, b->channel);
  if (samples_row(&q->an->rows->channels[at], b->first + i) < 0) return 0;
  return b->scale[i] > 0 ? 1 / (b->scale[i] * q->an->rows->channels[at].rms) : 0;
}

static void add_slopes(void *data, const ResidualBlock *b) {
  const Prober *q = data;
  for (int i = 0; i < b->rows; i++) {
    double unit = unit_of_row(q, b, i);
    for (int k = 0; k <= q->sum->n; k++) b->column[k][i] *= unit;
  }
  qr_sum_add(q->sum, b->column, b->rows);
}

static bool probe_triangle(void *self, const double *x, double *R) {
  Prober *q = self;
  int n = q->sum->n;
  qr_sum_clear(q->sum);
  EvalSpec spec = probe_spec(q, true);
  if (!evaluate_rows(q->an->work, &spec, x, add_slopes, q)) return false;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      R[i * n + k] = q->sum->R[i * (n + 1) + k];
      if (!isfinite(R[i * n + k])) return false;
    }
  return true;
}

static void add_differences(void *data, const ResidualBlock *b) {
  Prober *q = data;
  const SampleChannel *c =
      &q->an->rows->channels[channel_number(q->an->weighting->data, b->experiment, b->channel)];
  const double *base = q->an->rows->column[q->sum->n], *r = b->column[q->sum->n];
  for (int i = 0; i < b->rows; i++) {
    int row = samples_row(c, b->first + i);
    if (row < 0) continue;
    double change = r[i] * unit_of_row(q, b, i) - base[row] / c->rms;
    q->squares += change * change;
  }
}

static double probe_change(void *self, const double *x) {
  Prober *q = self;
  q->squares = 0;
  EvalSpec spec = probe_spec(q, false);
  if (!evaluate_rows(q->an->work, &spec, x, add_differences, q)) return nan("");
  return sqrt(q->squares / q->an->rows->count);
}

// ---------------------------------------------------------------- lists of directions

typedef ARRAY(StatDirection) Directions;

static bool takes_part(const StatDirection *d, int number, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(d->vector[k]));
  return fabs(d->vector[number]) >= PART_LEAST * most;
}

static void name_parts(const Analysis *an, const StatDirection *d, Text *t) {
  const char **item = ARENA_ARRAY(an->scratch, const char *, an->s->n + 1);
  int count = 0;
  for (int k = 0; k < an->s->n; k++)
    if (takes_part(d, k, an->s->n)) item[count++] = an->p->unknowns[k].name;
  say_list(t, item, count);
}

static const char *keep(const Analysis *an, Text *t) {
  const char *text = arena_copy(an->a, t->at, t->length);
  text_done(t);
  return text;
}

// Change of the data, in the units of R, for a change of one unknown by its typical size.
static double seen_alone(const Analysis *an, const double *R, int k) {
  int n = an->s->n;
  double square = 0;
  for (int i = 0; i <= k; i++) square += R[i * n + k] * R[i * n + k];
  return sqrt(square) * an->size[k];
}

static void find_inactive(Analysis *an, const double *R, Prober *prober, Directions *out) {
  int n = an->s->n;
  for (int k = 0; k < n && patience_lasts(n); k++) {
    if (seen_alone(an, R, k) > STAT_NOTHING * sqrt(an->rows->count)) continue;
    double *v = ARENA_ARRAY(an->a, double, n + 1);
    v[k] = 1;
    an->s->parameters[k].inactive = true;
    StatDirection d = {.vector = v, .confirmed_factor = 1.3};
    double *x = ARENA_ARRAY(an->scratch, double, n + 1);
    memcpy(x, an->x, (size_t)n * sizeof *x);
    x[k] = x[k] != 0 ? x[k] * d.confirmed_factor : an->size[k];
    bool tried = !an->pieces && prober->left-- > 0;
    d.confirmed_change = tried ? probe_change(prober, x) : nan("");
    d.structural = d.confirmed = d.confirmed_change <= residual_accuracy(an->p);
    d.text = arena_print(an->a, "%s changes no residual%s.", an->p->unknowns[k].name,
                         d.confirmed || an->pieces    ? ""
                         : !isnan(d.confirmed_change) ? " here; a change by 30 % does"
                                                      : " here; not confirmed by simulation");
    array_push(an->scratch, out, d);
  }
}

// most: directions that the noise hides; others are seen, however weak they are beside the strongest.
static void find_structural(Analysis *an, const double *R, int most, Prober *prober,
                            Directions *out) {
  int n = an->s->n;
  const char **name = ARENA_ARRAY(an->scratch, const char *, n + 1);
  double *lower = ARENA_ARRAY(an->scratch, double, n + 1),
         *upper = ARENA_ARRAY(an->scratch, double, n + 1);
  bool *inactive = ARENA_ARRAY(an->scratch, bool, n + 1);
  for (int k = 0; k < n; k++) {
    const Unknown *f = &an->p->unknowns[k];
    name[k] = f->name, lower[k] = f->min, upper[k] = f->max;
    inactive[k] = an->s->parameters[k].inactive;
  }
  double accuracy = problem_accuracy(an->p), square = 0;
  for (int k = 0; k < n; k++) square += seen_alone(an, R, k) * seen_alone(an, R, k);
  InvarianceModel m = {.self = prober,
                       .triangle = probe_triangle,
                       .change = probe_change,
                       .n = n,
                       .name = name,
                       .order = unknown_ranks(an),
                       .x = an->x,
                       .lower = lower,
                       .upper = upper,
                       .inactive = inactive,
                       .most = most,
                       .left = &prober->left,
                       .accuracy = accuracy,
                       .blur = 10 * accuracy * sqrt(square / an->rows->count)};
  StatDirection *found;
  int count = invariance_directions(an->a, &m, R, &found);
  if (!patience_lasts(0)) return;
  for (int i = 0; i < count; i++) {
    square = 0;
    for (int k = 0; k < n; k++) {
      if (an->x[k] != 0)
        found[i].vector[k] *= fabs(an->x[k]) / an->size[k];
      else
        found[i].vector[k] /= an->size[k];
      square += found[i].vector[k] * found[i].vector[k];
    }
    for (int k = 0; k < n; k++) found[i].vector[k] /= sqrt(square);
    array_push(an->scratch, out, found[i]);
  }
}

// ---------------------------------------------------------------- weak directions

// R in typical sizes, without the directions that are listed already.
static double *remaining(const Analysis *an, const double *R, const Directions *known) {
  int n = an->s->n;
  double *S = ARENA_ARRAY(an->scratch, double, n *n + 1),
         *Q = ARENA_ARRAY(an->scratch, double, n *n + 1);
  for (int i = 0; i < n * n; i++) S[i] = R[i] * an->size[i % n];
  for (int d = 0; d < known->count && patience_lasts(4L * n * n);
       d++) { // Gram-Schmidt, then projection
    double *q = Q + d * n, square = 0;
    memcpy(q, known->at[d].vector, (size_t)n * sizeof *q);
    for (int e = 0; e < d; e++) {
      double product = 0;
      for (int k = 0; k < n; k++) product += q[k] * Q[e * n + k];
      for (int k = 0; k < n; k++) q[k] -= product * Q[e * n + k];
    }
    for (int k = 0; k < n; k++) square += q[k] * q[k];
    for (int k = 0; k < n; k++) q[k] /= sqrt(square);
    for (int i = 0; i < n; i++) {
      double product = 0;
      for (int k = 0; k < n; k++) product += S[i * n + k] * q[k];
      for (int k = 0; k < n; k++) S[i * n + k] -= product * q[k];
    }
  }
  return S;
}

// The first that takes part, better one that no bound has stopped: its value means something.
static int leading_part(const Analysis *an, const StatDirection *d) {
  int first = -1;
  for (int k = an->s->n - 1; k >= 0; k--)
    if (takes_part(d, k, an->s->n) && (first < 0 || !stopped_by_bound(an, k))) first = k;
  return first;
}

// "a changes by 3, b by -0.2 and c by 1e-05", along the direction, stretched by scale.
static void say_changes(const Analysis *an, const StatDirection *d, double scale, Text *t) {
  const char **item = ARENA_ARRAY(an->scratch, const char *, an->s->n + 1);
  int count = 0;
  for (int k = 0; k < an->s->n; k++)
    if (takes_part(d, k, an->s->n)) {
      item[count] = arena_print(an->scratch, "%s%s by %.2g", an->p->unknowns[k].name,
                                count == 0 ? " changes" : "", scale * d->vector[k] * an->size[k]);
      count++;
    }
  say_list(t, item, count);
}

static void say_errors_at_1_percent(const Analysis *an, const StatDirection *d, Text *t) {
  const char *begin = " With noise of 1 % of each channel";
  for (int k = 0; k < an->s->n; k++) {
    double relative = an->s->parameters[k].relative_at_1_percent;
    if (!takes_part(d, k, an->s->n) || !(relative > HIDDEN)) continue;
    text_print(t, "%s the standard error of %s is %.2g times its value", begin,
               an->p->unknowns[k].name, relative);
    begin = ", and";
  }
  if (begin[0] == ',') text_add(t, ".");
}

static void say_share(double change, Text *t) {
  if (change < 10)
    text_print(t, "%s%.1g of their size, ", change < 0.1 ? "only " : "", change);
  else
    text_print(t, "%.1g times their size, ", change);
}

// By how much it changes the data, and what that is compared with.
static const char *weak_text(Analysis *an, const StatDirection *d, const double *R_data,
                             bool numerical) {
  int leading = leading_part(an, d), count = 0;
  for (int k = 0; k < an->s->n; k++) count += takes_part(d, k, an->s->n);
  double scale = 1 / d->vector[leading];
  double change = fabs(scale) * seen(an, R_data, d->vector) / sqrt(an->rows->count);
  Text t;
  text_init(&t);
  if (count > 1) {
    text_add(&t, "The data do not tell how ");
    name_parts(an, d, &t);
    text_add(&t, " share their effect: when ");
    say_changes(an, d, scale, &t);
    text_add(&t, ", the simulated data change by ");
  } else
    text_print(&t,
               "%s cannot be determined from these data: a change by its own size changes the "
               "simulated data by ",
               an->p->unknowns[leading].name);
  say_share(change, &t);
  if (numerical)
    text_print(&t, "which %s (rel_tol %.1g) cannot tell from nothing.",
               an->assumed ? "the simulation" : "rounding in the simulation",
               an->p->simulate.rel_tol);
  else
    text_print(&t, "and the noise hides changes %.2g times as large (one standard error).",
               fabs(1 / (scale * d->singular_value)));
  if (an->assumed) say_errors_at_1_percent(an, d, &t);
  for (int k = 0; k < d->combination_count; k++)
    text_print(&t, " Of the two they determine only %s.", d->combinations[k].text);
  return keep(an, &t);
}

static void clean(double *v, int n) {
  double most = 0, square = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
  for (int k = 0; k < n; k++) {
    if (fabs(v[k]) < 1e-3 * most) v[k] = 0;
    square += v[k] * v[k];
  }
  for (int k = 0; k < n; k++) v[k] /= sqrt(square);
}

static void describe_weak(Analysis *an, const double *R_data, double limit,
                          const SeenDirections *others, StatDirection *d) {
  int n = an->s->n;
  bool numerical = d->singular_value <= limit;
  if (!an->assumed && an->fitted) weak_product_add(an, others, d);
  d->text = weak_text(an, d, R_data, numerical);
  for (int k = 0; numerical && k < n; k++)
    if (takes_part(d, k, n) && !an->s->parameters[k].reason) {
      an->s->parameters[k].identifiable = false;
      an->s->parameters[k].reason = d->text;
    }
}

// Directions that are seen, but less than the noise, or than what is computed at all.
static void find_weak(Analysis *an, const double *R, const double *R_data, double limit,
                      Directions *out) {
  int n = an->s->n, known = out->count;
  double *S = remaining(an, R, out), *s = ARENA_ARRAY(an->scratch, double, n + 1);
  double *V = ARENA_ARRAY(an->scratch, double, n *n + 1);
  svd_right(n, n, S, s, V);
  int r = n - known - 1;
  for (; r >= 0 && patience_lasts((long)n * n); r--) {
    if (s[r] > limit && (an->assumed || s[r] >= 1 / HIDDEN)) break;
    StatDirection d = {.vector = ARENA_ARRAY(an->a, double, n + 1), .confirmed_change = nan("")};
    for (int k = 0; k < n; k++) d.vector[k] = V[k * n + r];
    clean(d.vector, n);
    d.singular_value = s[r];
    array_push(an->scratch, out, d);
  }
  bool changed = weak_directions_apart(an, out->at + known, out->count - known);
  for (int i = known; changed && i < out->count; i++)
    out->at[i].singular_value = seen(an, R, out->at[i].vector);
  for (int i = known; i < out->count && patience_lasts(0); i++)
    describe_weak(an, R_data, limit, &(SeenDirections){s, V, r + 1}, &out->at[i]);
}

// ---------------------------------------------------------------- single unknowns

static void find_singular_values(Analysis *an, const double *R, double limit_factor) {
  Statistics *s = an->s;
  int n = s->n;
  double *S = ARENA_ARRAY(an->scratch, double, n *n + 1),
         *V = ARENA_ARRAY(an->scratch, double, n *n + 1);
  for (int i = 0; i < n * n; i++) S[i] = R[i] * an->size[i % n];
  svd_right(n, n, S, s->singular_values, V);
  for (int k = 0; k < n; k++)
    s->rank += s->singular_values[k] > limit_factor * s->singular_values[0];
}

// Variances of the unknowns for rows of variance 1 and, from row `equal` on, rows without errors: the sum of q q' over all
// rows is the unit matrix.
static double *variances_by_equal_rows(Arena *a, const RowSet *set, const Projection *p,
                                       int equal) {
  double *variance = ARENA_ARRAY(a, double, p->n + 1), *q = ARENA_ARRAY(a, double, p->rank + 1);
  for (int k = 0; k < p->n; k++)
    for (int r = 0; r < p->rank; r++) variance[k] += p->G[k * p->rank + r] * p->G[k * p->rank + r];
  for (int i = equal; i < set->count; i++) {
    projection_row(p, set, i, q);
    for (int k = 0; k < p->n; k++) {
      double product = 0;
      for (int r = 0; r < p->rank; r++) product += p->G[k * p->rank + r] * q[r];
      variance[k] -= product * product;
    }
  }
  for (int k = 0; k < p->n; k++) variance[k] = p->lost[k] ? nan("") : fmax(variance[k], 0);
  return variance;
}

// Standard errors if the noise were 1 % of each channel's rms, from the data alone: priors count nothing.
static void find_errors_at_1_percent(Analysis *an) {
  const Samples *rows = an->rows;
  int n = an->s->n, count = samples_rows(rows);
  double *unit = channel_sizes(an, 0.01), *factor = ARENA_ARRAY(an->scratch, double, count + 1);
  for (int c = 0; c < rows->channel_count; c++)
    for (int i = 0; i < rows->channels[c].count; i++)
      factor[rows->channels[c].first + i] = 1 / unit[c];
  int free = count - rows->constraint_count;
  for (int i = rows->count + rows->prior_count; i < free && rows->gap_unit > 0; i++)
    factor[i] = rows->scale[i] / rows->gap_unit;
  samples_weigh_constraints(rows, factor);
  RowSet set = {n, count, rows->column, factor, NULL, NULL};
  const Projection *p = projection_without_rows(an->scratch, &set, unseen_part(an));
  const double *variance = variances_by_equal_rows(an->scratch, &set, p, free);
  for (int k = 0; k < n; k++)
    an->s->parameters[k].relative_at_1_percent = sqrt(variance[k]) / value_size(an, k);
}

// Unknowns that priors or constraints determine although the data do not.
static bool *known_otherwise(const Analysis *an) {
  const Samples *rows = an->rows;
  int count = samples_rows(rows);
  bool *known = ARENA_ARRAY(an->scratch, bool, rows->n + 1);
  if (rows->prior_count + rows->constraint_count == 0) return known;
  RowSet set = {rows->n, count, rows->column, rows->scale, NULL, NULL};
  const Projection *p = projection_without_rows(an->scratch, &set, unseen_part(an));
  for (int k = 0; k < rows->n; k++) known[k] = !p->lost[k];
  return known;
}

// "alpha is seen only in alpha*A and beta*alpha^(1-n)", or the text of the direction.
static const char *direction_reason(const Analysis *an, const StatDirection *d, int k) {
  const char **item = ARENA_ARRAY(an->scratch, const char *, d->combination_count + 1);
  int count = 0;
  for (int i = 0; i < d->combination_count; i++)
    if (d->combinations[i].exponent[k] != 0) item[count++] = d->combinations[i].text;
  if (count == 0 || !d->confirmed) return d->text;
  Text t;
  text_init(&t);
  text_print(&t, "The data show %s only in ", an->p->unknowns[k].name);
  say_list(&t, item, count);
  text_add(&t, ".");
  return keep(an, &t);
}

static void judge_by_direction(Analysis *an, const StatDirection *d, const bool *known) {
  for (int k = 0; k < an->s->n; k++) {
    StatParameter *out = &an->s->parameters[k];
    if (!invariance_takes_part(d, k) || known[k] || out->reason) continue;
    out->identifiable = false;
    out->reason = direction_reason(an, d, k);
  }
}

// The unknown that it is most correlated with, -1: none.
static int partner(const Statistics *s, int k) {
  int best = -1;
  for (int i = 0; i < s->n; i++) {
    double r = fabs(s->correlation[k * s->n + i]);
    if (i != k && r > 0.9 && (best < 0 || r > fabs(s->correlation[k * s->n + best]))) best = i;
  }
  return best;
}

static const char *bound_name(const StatParameter *s) {
  return s->lower_bound ? "lower" : "upper";
}

static void say_trade(const Analysis *an, int k, Text *t) {
  int other = partner(an->s, k);
  if (other < 0) return;
  text_print(t, " It trades with %s (correlation %.4f)", an->p->unknowns[other].name,
             an->s->correlation[k * an->s->n + other]);
  if (stopped_by_bound(an, other))
    text_print(t, ", which is at its %s bound", bound_name(&an->s->parameters[other]));
  text_add(t, ".");
}

// What is known of an unknown at a bound: how far from it the data allow it to be.
static void say_error_at_bound(const Analysis *an, int k, Text *t) {
  const StatParameter *s = &an->s->parameters[k];
  const Unknown *f = &an->p->unknowns[k];
  text_print(t, "%s is at its %s bound %g with a standard error of %.2g: ", f->name, bound_name(s),
             s->lower_bound ? f->min : f->max, s->std_error);
  if (s->lower_bound ? s->ci_high < f->max : s->ci_low > f->min)
    text_print(t, "by linear theory the data only say that it is %s %.2g.",
               s->lower_bound ? "below" : "above", s->lower_bound ? s->ci_high : s->ci_low);
  else
    text_add(t, "by linear theory it can be anywhere between its bounds.");
}

static void judge_by_error(Analysis *an, int k) {
  StatParameter *out = &an->s->parameters[k];
  double size = may_be_zero(&an->p->unknowns[k]) ? an->size[k] : value_size(an, k);
  double relative = out->std_error / size;
  if (out->reason || !(relative > HIDDEN) || (an->fitted && an->assumed)) return;
  Text t;
  text_init(&t);
  if (stopped_by_bound(an, k))
    say_error_at_bound(an, k, &t);
  else
    text_print(&t, "%she standard error of %s is %.3g times its %s.",
               an->assumed ? "With noise of 1 % of each channel t" : "T", an->p->unknowns[k].name,
               relative, size == fabs(an->x[k]) ? "value" : "usual size");
  say_trade(an, k, &t);
  out->identifiable = false;
  out->reason = keep(an, &t);
}

// How many directions the noise hides; without real noise it tells nothing.
static int hidden_directions(const Analysis *an) {
  int hidden = 0;
  for (int k = 0; k < an->s->n; k++)
    hidden += an->assumed || an->s->singular_values[k] < 1 / HIDDEN;
  return hidden;
}

void analyse_identifiability(Analysis *an) {
  Statistics *s = an->s;
  if (s->n == 0) return;
  double limit = an->assumed ? 10 * problem_accuracy(an->p) : unseen_part(an);
  double *R = triangle_of(an->scratch, an->rows, an->noise, true);
  double *R_data = triangle_of(an->scratch, an->rows, channel_sizes(an, 1), false);
  find_sizes(an, R);
  for (int k = 0; k < s->n; k++) s->parameters[k].identifiable = true;
  find_singular_values(an, R, limit);
  if (!patience_lasts(0)) return;
  find_errors_at_1_percent(an);
  Directions found = {0};
  bool *known = known_otherwise(an);
  Prober prober = {an, qr_sum_new(an->scratch, s->n), 0, SIMULATIONS};
  find_inactive(an, R_data, &prober, &found);
  int hidden = hidden_directions(an) - found.count;
  if (!an->pieces && hidden > 0) find_structural(an, R_data, hidden, &prober, &found);
  if (!patience_lasts(0)) return;
  for (int i = 0; i < found.count; i++) {
    found.at[i].singular_value = seen(an, R, found.at[i].vector);
    judge_by_direction(an, &found.at[i], known);
  }
  if (s->rank > s->n - found.count)
    s->rank = s->n - found.count; // not all solvers see them exactly
  find_weak(an, R, R_data, limit * s->singular_values[0], &found);
  for (int k = 0; k < s->n; k++) judge_by_error(an, k);
  s->directions = ARENA_ARRAY(an->a, StatDirection, found.count + 1);
  for (int i = 0; i < found.count; i++) s->directions[i] = found.at[i];
  s->direction_count = found.count;
}
