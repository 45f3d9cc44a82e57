#include "study/same_data.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/c_locale.h"

typedef struct DataPair { // two problems, and where the comparison is
  const Problem *one, *other;
  const char *role; // "" or "validation "
  int experiment;
  const char *column; // NULL: not in a channel
  Err *err;
} DataPair;

static bool differ(const DataPair *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool differ(const DataPair *d, const char *format, ...) {
  char what[400], where[200] = "";
  va_list args;
  va_start(args, format);
  c_vsnprintf(what, sizeof what, format, args);
  va_end(args);
  if (d->experiment >= 0 && d->column)
    c_snprintf(where, sizeof where, "%sexperiment %d, column '%.100s': ", d->role,
               d->experiment + 1, d->column);
  else if (d->experiment >= 0)
    c_snprintf(where, sizeof where, "%sexperiment %d: ", d->role, d->experiment + 1);
  return fail_at(d->err, ERR_DATA, (Place){d->other->path, 0, 0},
                 "these data are not those of %s, so the models cannot be compared: %s%s",
                 d->one->path, where, what);
}

static bool same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

// ---------------------------------------------------------------- channels

const Channel *same_channel(const Experiment *e, const Experiment *of, int c) {
  int place = 0;
  for (int k = 0; k < c; k++) place += strcmp(of->channels[k].column, of->channels[c].column) == 0;
  for (int k = 0; k < e->channel_count; k++)
    if (strcmp(e->channels[k].column, of->channels[c].column) == 0 && place-- == 0)
      return &e->channels[k];
  return NULL;
}

static bool is_given(SigmaKind k) {
  return k == SIGMA_NUMBER || k == SIGMA_RELATIVE;
}

static const char *sigma_text(const Channel *c, char out[60]) {
  if (is_given(c->sigma_kind))
    c_snprintf(out, 60, "%.9g", c->sigma);
  else
    c_snprintf(out, 60, "%s", c->sigma_kind == SIGMA_ESTIMATED ? "estimated" : "unknown");
  return out;
}

static bool same_noise(const DataPair *d, const Channel *a, const Channel *b) {
  char x[60], y[60];
  bool given = is_given(a->sigma_kind);
  if (given != is_given(b->sigma_kind) || (!given && a->sigma_kind != b->sigma_kind) ||
      (given && a->sigma != b->sigma))
    return differ(d, "sigma is %s there and %s here", sigma_text(a, x), sigma_text(b, y));
  if (a->weight != b->weight)
    return differ(d, "the weight is %.9g there and %.9g here", a->weight, b->weight);
  return true;
}

// As in the data, whatever the times of a problem count from.
static double first_time(const Experiment *e) {
  double first = HUGE_VAL;
  for (int c = 0; c < e->channel_count; c++)
    if (e->channels[c].count) first = fmin(first, e->channels[c].t[0]);
  return e->origin + first;
}

static bool same_sample(const DataPair *d, const Experiment *e, const Channel *a, const Channel *b,
                        int i) {
  char time[32];
  experiment_time(e, a->t[i], 6, time);
  if (a->t[i] != b->t[i])
    return differ(d, "sample %d is at %.9g there and at %.9g here", i + 1, e->origin + a->t[i],
                  e->origin + b->t[i]);
  if (!same_number(a->y[i], b->y[i]))
    return differ(d, "the value at %s is %.9g there and %.9g here", time, a->y[i], b->y[i]);
  if ((a->from != NULL) != (b->from != NULL) || (a->from && !same_number(a->from[i], b->from[i])))
    return differ(d, "the prediction of the sample at %s begins elsewhere", time);
  double x = a->sample_weight ? a->sample_weight[i] : 1;
  double y = b->sample_weight ? b->sample_weight[i] : 1;
  if (x != y)
    return differ(d, "the sample at %s has the weight %.9g there and %.9g here", time, x, y);
  return true;
}

static bool same_samples(const DataPair *d, const Experiment *e, const Channel *a,
                         const Channel *b) {
  if (a->count != b->count) return differ(d, "%d samples there and %d here", a->count, b->count);
  for (int i = 0; i < a->count; i++)
    if (!same_sample(d, e, a, b, i)) return false;
  return true;
}

// ---------------------------------------------------------------- problems

static bool same_experiments(DataPair *d, const Problem *a, const Problem *b) {
  d->experiment = -1;
  if (a->experiment_count != b->experiment_count)
    return differ(d, "%d %sexperiments there and %d here", a->experiment_count, d->role,
                  b->experiment_count);
  for (int e = 0; e < a->experiment_count; e++) {
    const Experiment *x = &a->experiments[e], *y = &b->experiments[e];
    d->experiment = e, d->column = NULL;
    if (x->origin != y->origin && first_time(x) != first_time(y))
      return differ(d, "the first sample is at %.9g there and at %.9g here", first_time(x),
                    first_time(y));
    if (x->origin != y->origin)
      return differ(d, "times count from %.9g there and from %.9g here", x->origin, y->origin);
    for (int c = 0; c < y->channel_count; c++)
      if (!same_channel(x, y, c))
        return differ(d, "the column '%s' is fitted here and not there", y->channels[c].column);
    for (int c = 0; c < x->channel_count; c++) {
      const Channel *twin = same_channel(y, x, c);
      d->column = x->channels[c].column;
      if (!twin) return differ(d, "it is fitted there and not here");
      if (!same_noise(d, &x->channels[c], twin) || !same_samples(d, x, &x->channels[c], twin))
        return false;
    }
  }
  d->experiment = -1;
  return true;
}

static bool same_options(const DataPair *d) {
  const FitOptions *a = &d->one->options, *b = &d->other->options;
  if (a->residual != b->residual)
    return differ(d, "residual: %s there and %s here", residual_word(d->one),
                  residual_word(d->other));
  if (a->criterion != b->criterion) return differ(d, "the option criterion is not the same");
  if (a->loss != b->loss || (a->loss == LOSS_HUBER && a->huber_limit != b->huber_limit))
    return differ(d, "the options loss and huber_limit are not the same");
  return true;
}

bool same_data(const Problem *one, const Problem *other, Err *err) {
  DataPair d = {one, other, "", -1, NULL, err};
  if (!same_options(&d) || !same_experiments(&d, one, other)) return false;
  d.role = "validation ";
  if (!one->validation != !other->validation)
    return differ(&d, "there are experiments for validation only in %s",
                  one->validation ? one->path : other->path);
  return !one->validation || same_experiments(&d, one->validation, other->validation);
}

// ---------------------------------------------------------------- digest

static Sha256 channel_digest(const Channel *c) {
  Sha256Work w;
  size_t bytes = (size_t)c->count * sizeof *c->t;
  double noise[3] = {is_given(c->sigma_kind) ? 0 : 1 + (double)c->sigma_kind,
                     is_given(c->sigma_kind) ? c->sigma : 0, c->weight};
  sha256_begin(&w);
  sha256_add(&w, c->column, strlen(c->column) + 1);
  sha256_add(&w, noise, sizeof noise);
  sha256_add(&w, c->t, bytes);
  sha256_add(&w, c->y, bytes);
  for (int i = 0; i < c->count; i++) {
    double weight = c->sample_weight ? c->sample_weight[i] : 1;
    sha256_add(&w, &weight, sizeof weight);
  }
  return sha256_end(&w);
}

// The order of the channels does not matter: their digests are added as numbers.
Sha256 data_digest(const Problem *p) {
  Sha256Work w;
  sha256_begin(&w);
  for (int e = 0; e < p->experiment_count; e++) {
    Sha256 sum = {{0}};
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      Sha256 one = channel_digest(&p->experiments[e].channels[c]);
      for (int i = 0, carry = 0; i < SHA256_BYTES; i++) {
        carry += sum.at[i] + one.at[i];
        sum.at[i] = (unsigned char)carry;
        carry >>= 8;
      }
    }
    sha256_add(&w, sum.at, sizeof sum.at);
  }
  return sha256_end(&w);
}
