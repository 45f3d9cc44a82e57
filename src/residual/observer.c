// Along the motion x' = f + L (data - h) with h the measured quantities, A = df/dx, H = dh/dx:
//   P' = A P + P A' + Q - P H' R^-1 H P,  L = P H' R^-1,  R = diag(max(sigma^2 dt, (rms/4)^2/omega)),
// with size rms about the mean, angular frequency omega, noise sigma and sampling time dt of each channel. A single state
// that is measured gets the gain 4 omega, as in "pd".
//
// Pass 1 takes the noise where "pd" acts: Q = sum over channels of rms^2 (omega d1 d1' + omega^3 d2 d2') with its directions d1
// into measured states and d2 into their rates. Its motion tells how far each state must move to move the data: O_k = H A^k,
// and state i appears first in order k of a channel with the root mean square |O_ki|: s_i = rms omega^k 4^max(k-1,0)/|O_ki|,
// the least of all channels. Pass 2 takes Q = omega diag(s_i^2). The gains are its mean L without the first part: constants,
// which add no kinks to the coupled model. Pass 3 moves with them, and rejects them where errors grow, or where the data are
// missed: one gain cannot serve where a quantity rises with a state here and falls there.
//
// The differential equation needs no detectability: what is not seen keeps P = 0 or grows without any gain. Steps are
// exponential (num/riccati.h), so that stiff motion costs no more than other.
//
// Where the model has invariants, its states follow some free ones, dx = Z dx_F (observer_equations.h): A_F = (A Z)_F and
// H Z take the place of A and H, and gains act on the free states. All this is the same as in minimal coordinates.
#include "residual/observer.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "model/tangent.h"
#include "num/riccati.h"
#include "num/svd.h"

enum { ORDERS = 4 }; // a state that appears first in a higher one gets no noise of its own
enum { EXPERIMENTS_MOST = 4 };                      // that gains are designed for
static const double SETTLED = 0.05;                 // part of the record without gains
static const double HIDDEN = 4;                     // factor of each order above the first
static const double FASTER = 4;                     // than the data
static const double GROWTH_MOST = 3.16227766016838; // of an error over the record: 10^0.5
static const double MISSED_MOST = 1; // of the variation of the data, by the motion with these gains
static const double WORK_MOST =
    3e8; // multiply-adds of a pass; it ends there, before the end of the record
static const double STEP_ERROR = 0.02;  // of the largest size of a state so far
static const double SUBSTEPS_MOST = 64; // of an interval between samples
static const double NOTHING =
    1e-9; // of O_ki against the largest of its row, in sizes of the states

// ---------------------------------------------------------------- one experiment

typedef struct ObservedChannel {
  double rms, frequency;
  double weight; // 1/R, 0: not measured here
} ObservedChannel;

typedef enum Pass { PASS_FIRST, PASS_SCALED, PASS_TRIAL, PASS_COUNT } Pass;

// n states, m free ones; matrices by rows.
typedef struct Design {
  const Observer *o;
  const Experiment *run;
  ModelInputs inputs;
  const Input *const *data; // by channel
  int n, m, channels;
  SystemWork *work;
  ObservedChannel *channel;
  double frequency;   // the largest
  const double *grid; // sample times
  int grid_count;
  // At one point:
  double *value;     // of all outputs
  double *h;         // measured quantities at x
  double *A, *H, *J; // n x n; channels x n; J = A - L H
  FollowWork *follow;
  double *Z, *F;             // n x m, m x n
  double *A_free, *H_free;   // m x m, channels x m
  double *J_free, *Q, *G;    // m x m; G = H' R^-1 H
  double *force, *error, *v; // n; force = f + L (data - h)
  // The motion:
  double t, *x, *dx, *next;  // n
  double *P, *E;             // m x m, n x n
  double *L, *L_free;        // channels x n, channels x m
  double *P_start, *largest; // |x| so far
  RiccatiWork *riccati, *free_riccati;
  Lu *lu;
  double *T, *U; // scratch, n x n
  // What passes leave:
  double *order_squares; // [channel][order][free state]: integral of O_ki^2
  double *scale;         // s_i of the free states
  double *gain, settled; // integral of L_free and its time, then the mean
  double *growth;        // product of all exp(J_free h)
  double missed;         // integral of (data - h)^2/rms^2, the mean of the channels
  long steps, evaluations;
  int passes;          // begun
  bool not_computable; // what ended the last one
} Design;

static double product(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// out = A B, A rows x n, B n x columns
static void multiply(int rows, int n, int columns, const double *A, const double *B, double *out) {
  memset(out, 0, (size_t)rows * (size_t)columns * sizeof *out);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < columns && A[i * n + k] != 0; j++)
        out[i * columns + j] += A[i * n + k] * B[k * columns + j];
}

static double data_at(const Design *d, int channel, double t) {
  const Input *in = d->data[channel];
  int piece = input_piece(in, t, 1);
  double value;
  input_eval(in, t, &piece, &value, NULL);
  return value;
}

static void compute(Design *d, double t, const double *x) {
  if (d->o->system->branch_count) system_branch_restart(d->work, t, x);
  system_outputs(d->work, t, x, d->value, NULL);
  d->evaluations++;
}

// f + L (data - h) from the outputs at t.
static void compute_force(const Design *d, double t, double *force) {
  int n = d->n;
  memcpy(force, d->value, (size_t)n * sizeof *force);
  for (int k = 0; k < d->channels; k++) {
    if (d->channel[k].weight == 0) continue;
    double error = data_at(d, k, t) - d->value[n + k];
    for (int i = 0; i < n; i++) force[i] += d->L[k * n + i] * error;
  }
}

// S -= sum over channels of a_k b_k', S rows x columns.
static void take_products(const Design *d, int n, const double *a, const double *b, double *S) {
  for (int k = 0; k < d->channels; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) S[i * n + j] -= a[k * n + i] * b[k * n + j];
}

// A, H and what they are for the free states.
static void find_matrices(Design *d) {
  int n = d->n, m = d->m, nc = d->channels;
  const double *A = d->value + n + nc;
  derivatives_dense(&d->o->A, n, n, A, d->A);
  derivatives_dense(&d->o->H, nc, n, A + d->o->A.start[n], d->H);
  follow_free(d->follow, d->value, d->Z, d->F);
  multiply(n, n, m, d->A, d->Z, d->T);
  for (int j = 0; j < m; j++)
    memcpy(d->A_free + j * m, d->T + d->o->free[j] * m, (size_t)m * sizeof *d->T);
  multiply(nc, n, m, d->H, d->Z, d->H_free);
}

// All that a step from x needs, with what depends on time at t. The gains follow from P unless they are constant.
static void linearise(Design *d, double t, bool constant) {
  int n = d->n, m = d->m, nc = d->channels;
  compute(d, t, d->x);
  find_matrices(d);
  memset(d->G, 0, (size_t)m * (size_t)m * sizeof *d->G);
  for (int k = 0; k < nc; k++) {
    const double *row = d->H_free + k * m;
    double *L = d->L_free + k * m, weight = d->channel[k].weight;
    for (int i = 0; i < m && !constant; i++) L[i] = product(m, d->P + i * m, row) * weight;
    for (int i = 0; i < n; i++) d->L[k * n + i] = product(m, d->Z + i * m, L);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) d->G[i * m + j] += row[i] * row[j] * weight;
  }
  memcpy(d->J, d->A, (size_t)n * (size_t)n * sizeof *d->J);
  memcpy(d->J_free, d->A_free, (size_t)m * (size_t)m * sizeof *d->J);
  take_products(d, n, d->L, d->H, d->J);
  take_products(d, m, d->L_free, d->H_free, d->J_free);
  compute_force(d, t, d->force);
  memcpy(d->h, d->value + n, (size_t)nc * sizeof *d->h);
}

// Where "pd" acts, at the present point.
static void noise_of_first(Design *d) {
  int n = d->n, m = d->m;
  const Coupling *c = &d->o->first->coupling;
  memset(d->Q, 0, (size_t)m * (size_t)m * sizeof *d->Q);
  for (int k = 0; k < d->channels; k++)
    for (int rate = 0; rate < 2 && d->channel[k].weight > 0; rate++) {
      const ObservedChannel *ch = &d->channel[k];
      double size = ch->rms * ch->rms * (rate ? pow(ch->frequency, 3) : ch->frequency);
      memset(d->error, 0, (size_t)n * sizeof *d->error);
      for (int i = 0; i < c->term_count; i++)
        if (c->terms[i].channel == k && c->terms[i].rate == rate)
          d->error[c->terms[i].state] += d->value[d->o->directions_at + i];
      for (int i = 0; i < m; i++) d->v[i] = product(n, d->F + i * n, d->error);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) d->Q[i * m + j] += size * d->v[i] * d->v[j];
    }
}

static void noise_by_scale(Design *d) {
  memset(d->Q, 0, (size_t)d->m * (size_t)d->m * sizeof *d->Q);
  for (int i = 0; i < d->m; i++) d->Q[i * d->m + i] = d->frequency * d->scale[i] * d->scale[i];
}

// ---------------------------------------------------------------- a step

// O_k = H A^k of each channel.
static void add_orders(Design *d, double h) {
  int m = d->m;
  for (int k = 0; k < d->channels; k++) {
    if (d->channel[k].weight == 0) continue;
    memcpy(d->error, d->H_free + k * m, (size_t)m * sizeof *d->error);
    for (int order = 0; order < ORDERS; order++) {
      double *sum = d->order_squares + (k * ORDERS + order) * m;
      for (int i = 0; i < m; i++) sum[i] += d->error[i] * d->error[i] * h;
      multiply(1, m, m, d->error, d->A_free, d->v);
      memcpy(d->error, d->v, (size_t)m * sizeof *d->error);
    }
  }
}

static void add_gain(Design *d, double h) {
  double begin = d->run->start + SETTLED * (d->run->stop - d->run->start);
  if (d->t + h <= begin) return;
  d->settled += h;
  for (int i = 0; i < d->channels * d->m; i++) d->gain[i] += h * d->L_free[i];
}

static bool grow(Design *d, double h) {
  int measured = 0;
  double sum = 0;
  for (int k = 0; k < d->channels; k++) {
    if (d->channel[k].weight == 0) continue;
    sum += pow((data_at(d, k, d->t + h / 2) - d->h[k]) / d->channel[k].rms, 2);
    measured++;
  }
  d->missed += sum * h / measured;
  size_t bytes = (size_t)d->m * (size_t)d->m * sizeof *d->growth;
  if (!motion_step(d->free_riccati, d->J_free, d->v, h, d->E, d->error)) return false;
  matrix_product(d->m, d->E, d->growth, d->T);
  memcpy(d->growth, d->T, bytes);
  return true;
}

// The error of the step against STEP_ERROR: what the linear motion misses, through (I - h/2 J)^-1 h/2, which damps what is stiff.
static double step_error(Design *d, double t, double h) {
  int n = d->n;
  compute(d, t, d->next);
  compute_force(d, t, d->error);
  for (int i = 0; i < n; i++) {
    double straight = d->force[i];
    for (int j = 0; j < n; j++) straight += d->J[i * n + j] * d->dx[j];
    d->error[i] = h / 2 * (d->error[i] - straight);
  }
  for (int i = 0; i < n * n; i++) d->T[i] = -h / 2 * d->J[i];
  for (int i = 0; i < n; i++) d->T[i * n + i] += 1;
  if (!lu_factor(d->lu, d->T)) return nan("");
  lu_solve(d->lu, d->error, d->U);
  double most = 0;
  for (int i = 0; i < n; i++) {
    double size = fmax(d->largest[i], fabs(d->next[i])), e = fabs(d->U[i]) / (STEP_ERROR * size);
    if (size > 0) most = e <= most ? most : e; // NaN stays
  }
  return most;
}

// What the step was made for.
static bool use_step(Design *d, Pass pass, double h) {
  if (pass == PASS_TRIAL) return grow(d, h);
  if (pass == PASS_FIRST) add_orders(d, h);
  if (pass == PASS_SCALED) add_gain(d, h);
  return riccati_step(d->free_riccati, d->A_free, d->G, d->Q, h, d->P);
}

// One step of at most *h, which becomes the next one; none is shorter than `least` to be more accurate. false: it failed.
static bool step(Design *d, Pass pass, double least, double *h) {
  int n = d->n;
  for (;; *h /= 2) {
    double middle = d->t + *h / 2;
    linearise(d, middle, pass == PASS_TRIAL);
    if (pass == PASS_FIRST) noise_of_first(d);
    if (pass == PASS_SCALED) noise_by_scale(d);
    bool finite = motion_step(d->riccati, d->J, d->force, *h, d->E, d->dx);
    for (int i = 0; i < n; i++) d->next[i] = d->x[i] + d->dx[i];
    double error = finite ? step_error(d, middle, *h) : nan(""), done = *h;
    if (!patience_lasts(20L * n * n * n)) return false;
    if (!(error <= 1) && *h > least) continue;
    d->not_computable = isnan(error);
    if (d->not_computable || !use_step(d, pass, done)) return false;
    if (error < 0.1) *h *= 2;
    d->t += done;
    d->steps++;
    memcpy(d->x, d->next, (size_t)n * sizeof *d->x);
    for (int i = 0; i < n; i++) d->largest[i] = fmax(d->largest[i], fabs(d->x[i]));
    return true;
  }
}

static double work_of(const Design *d) {
  return riccati_work(d->riccati) + riccati_work(d->free_riccati);
}

static bool run_pass(Design *d, Pass pass) {
  int n = d->n;
  d->passes++;
  double before = work_of(d), h = HUGE_VAL;
  d->t = d->run->start;
  system_start(d->work, d->t, d->x); // has room for it
  memcpy(d->P, d->P_start, (size_t)d->m * (size_t)d->m * sizeof *d->P);
  for (int i = 0; i < n; i++) d->largest[i] = fmax(d->largest[i], fabs(d->x[i]));
  for (int k = 0; k < d->grid_count && work_of(d) - before <= WORK_MOST; k++) {
    double interval = d->grid[k] - d->t, rounding = 1e-9 * interval;
    while (d->grid[k] - d->t > rounding) {
      h = fmin(h, d->grid[k] - d->t);
      if (!step(d, pass, interval / SUBSTEPS_MOST, &h)) return false;
    }
    d->t = d->grid[k];
  }
  return true;
}

// ---------------------------------------------------------------- between the passes

static double size_of(const Design *d, int state) {
  if (d->largest[state] > 0) return d->largest[state];
  return sqrt(tangent_weight(d->o->data->problem->model, state));
}

// s_i by one channel, in the order in which the state appears first; HUGE_VAL: in none.
static double scale_by(const Design *d, int channel, int number) {
  const int *free = d->o->free;
  const ObservedChannel *c = &d->channel[channel];
  double time = d->t - d->run->start;
  for (int order = 0; order < ORDERS; order++) {
    const double *squares = d->order_squares + (channel * ORDERS + order) * d->m;
    double most = 0, here = sqrt(squares[number] / time);
    for (int j = 0; j < d->m; j++) most = fmax(most, sqrt(squares[j] / time) * size_of(d, free[j]));
    if (here * size_of(d, free[number]) > NOTHING * most)
      return c->rms * pow(c->frequency, order) * pow(HIDDEN, order > 1 ? order - 1 : 0) / here;
  }
  return HUGE_VAL;
}

static void find_scales(Design *d) {
  for (int i = 0; i < d->m; i++) {
    double least = HUGE_VAL;
    for (int k = 0; k < d->channels; k++)
      if (d->channel[k].weight > 0) least = fmin(least, scale_by(d, k, i));
    d->scale[i] = least < HUGE_VAL ? least : 0;
  }
}

// The largest factor by which an error has grown over the record, in sizes of the states.
static double growth_of(Design *d) {
  int m = d->m;
  for (int i = 0; i < m; i++) d->v[i] = d->scale[i] > 0 ? d->scale[i] : size_of(d, d->o->free[i]);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      d->T[i * m + j] = d->growth[i * m + j] * d->v[j] / d->v[i];
      if (!isfinite(d->T[i * m + j])) return HUGE_VAL;
    }
  svd(m, m, d->T, d->error, d->U);
  return d->error[0];
}

// ---------------------------------------------------------------- set-up

static double sampling_time(const Channel *c) {
  return c->count > 1 ? (c->t[c->count - 1] - c->t[0]) / (c->count - 1) : 0;
}

static ObservedChannel observe(const MeasuredData *data, int e, int c) {
  const Channel *ch = &data->problem->experiments[e].channels[c];
  const ChannelFacts *facts = channel_facts(data, e, c);
  double squares = 0, sigma = sigma_is_given(ch) ? ch->sigma : facts->noise;
  for (int i = 0; i < ch->count; i++) squares += pow(ch->y[i] - facts->mean, 2);
  if (!(sigma > 0)) sigma = 0; // unknown
  ObservedChannel o = {.rms = ch->count ? sqrt(squares / ch->count) : 0,
                       .frequency = facts->frequency};
  double R = fmax(sigma * sigma * sampling_time(ch), pow(o.rms / FASTER, 2) / o.frequency);
  o.weight = o.rms > 0 && R > 0 ? 1 / R : 0;
  return o;
}

static void observe_channels(Design *d, int e) {
  const MeasuredData *data = d->o->data;
  int longest = 0;
  for (int c = 0; c < d->run->channel_count; c++) {
    ObservedChannel *o = &d->channel[data->problem->channel_measured[e][c]];
    *o = observe(data, e, c);
    if (o->weight > 0) d->frequency = fmax(d->frequency, o->frequency);
    if (d->run->channels[c].count > d->run->channels[longest].count) longest = c;
  }
  d->grid = d->run->channels[longest].t;
  d->grid_count = d->run->channels[longest].count;
}

// The variance of a uniform law between the bounds, where a start value is unknown.
static void set_start_variance(Design *d, int e, const double *x) {
  const Problem *p = d->o->data->problem;
  const Model *m = p->model;
  for (int k = 0; k < p->unknown_count; k++) {
    const Unknown *u = &p->unknowns[k];
    const Parameter *q = &m->flat->parameters.at[u->parameter];
    if (!q->is_start || (u->experiment >= 0 && u->experiment != e)) continue;
    double range = u->max - u->min;
    if (!isfinite(range)) range = 2 * fabs(x[k]);
    for (int i = 0; i < d->m; i++)
      if (m->state[d->o->free[i]] == q->variable) d->P_start[i * d->m + i] += range * range / 12;
  }
}

static void make_room(Design *d, Arena *a) {
  size_t n = (size_t)d->n, nc = (size_t)d->channels;
  double **squares[] = {&d->A, &d->J, &d->Z, &d->F, &d->A_free, &d->J_free, &d->Q,
                        &d->G, &d->P, &d->E, &d->T, &d->U,      &d->growth, &d->P_start};
  double **by_channel[] = {&d->H, &d->H_free, &d->L, &d->L_free, &d->gain};
  double **vectors[] = {&d->force, &d->error, &d->v,       &d->x,
                        &d->dx,    &d->next,  &d->largest, &d->scale};
  for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
    *squares[k] = ARENA_ARRAY(a, double, n *n + 16);
  for (size_t k = 0; k < sizeof by_channel / sizeof *by_channel; k++)
    *by_channel[k] = ARENA_ARRAY(a, double, nc *n + 16);
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = ARENA_ARRAY(a, double, n + 16);
  d->order_squares = ARENA_ARRAY(a, double, nc *ORDERS *n + 1);
  d->value = ARENA_ARRAY(a, double, d->o->outputs + 16);
  d->h = ARENA_ARRAY(a, double, nc + 1);
  d->channel = ARENA_ARRAY(a, ObservedChannel, nc + 1);
}

static Design *design_new(const Observer *o, Arena *a, int e, const double *x) {
  const Problem *p = o->data->problem;
  const Input *const *inputs = o->feedback->inputs[e];
  Design *d = ARENA_NEW(a, Design);
  *d = (Design){.o = o,
                .run = &p->experiments[e],
                .inputs = {inputs, p->model->nu},
                .data = inputs + o->feedback->coupled->first_input,
                .n = p->model->nx,
                .m = o->free_count,
                .channels = p->measured_count};
  make_room(d, a);
  d->work = system_work_new(o->system);
  d->work->inputs = model_inputs_read, d->work->inputs_data = &d->inputs;
  d->follow = follow_work_new(o, a);
  d->riccati = riccati_new(a, d->n);
  d->free_riccati = riccati_new(a, d->m);
  d->lu = lu_new(a, d->n);
  for (int i = 0; i < d->m; i++) d->growth[i * d->m + i] = 1;
  observe_channels(d, e);
  set_start_variance(d, e, x);
  system_set_origin(d->work, d->run->origin);
  system_set_parameters(d->work, observer_parameters(a, p, e, x));
  if (o->G.rows) system_set_rate(d->work, d->grid_count / (d->run->stop - d->run->start));
  return d;
}

// ---------------------------------------------------------------- gains

// The gains of one experiment, by term of the feedback; NULL: there are none.
static const double *gains_of(Design *d, Arena *a, const char **why) {
  int count = d->channels * d->m;
  *why = "the motion that its design follows diverges";
  if (!(d->frequency > 0)) *why = "no channel varies";
  if (!(d->frequency > 0) || !run_pass(d, PASS_FIRST)) return NULL;
  find_scales(d);
  if (!run_pass(d, PASS_SCALED) || !(d->settled > 0)) return NULL;
  double *gain = ARENA_ARRAY(a, double, count + 1);
  for (int i = 0; i < count; i++) gain[i] = d->L_free[i] = d->gain[i] / d->settled;
  if (!run_pass(d, PASS_TRIAL)) return NULL;
  *why = "the model does not follow the data with it";
  if (!(d->missed <= MISSED_MOST * (d->t - d->run->start))) return NULL;
  *why = "errors of the states grow in spite of it";
  return growth_of(d) <= GROWTH_MOST ? gain : NULL;
}

static bool measure_the_same(const Problem *p, int a, int b) {
  const Experiment *x = &p->experiments[a], *y = &p->experiments[b];
  if (x->channel_count != y->channel_count) return false;
  for (int i = 0; i < x->channel_count; i++) {
    bool found = false;
    for (int k = 0; k < y->channel_count; k++)
      found |= p->channel_measured[a][i] == p->channel_measured[b][k];
    if (!found) return false;
  }
  return true;
}

static const double *design_one(const Observer *o, Arena *a, int e, const double *x, Budget *budget,
                                const char **why) {
  Arena *scratch = arena_new();
  Design *d = design_new(o, scratch, e, x);
  const double *gain = gains_of(d, a, why);
  if (budget) {
    budget->used.simulations += d->passes;
    budget->used.ended[OUTCOME_NOT_COMPUTABLE] += d->not_computable;
    if (d->not_computable)
      failed_simulation_note(
          budget->failed, OUTCOME_NOT_COMPUTABLE, x, o->data->problem->unknown_count,
          "the equations cannot be computed on the way to gains of the homotopy");
    budget->used.rhs += d->evaluations;
    budget->used.steps += d->steps;
  }
  system_work_free(d->work);
  arena_free(scratch);
  return gain;
}

// Gains do not depend on the size of a motion, so one experiment speaks for all that measure the same quantities.
const FeedbackGains *observer_design(const Observer *o, Arena *a, const double *x, Budget *budget,
                                     const char **why) {
  if (!o || !o->feedback) {
    *why = "no state can be moved freely";
    return NULL;
  }
  const Problem *p = o->data->problem;
  FeedbackGains *g = ARENA_NEW(a, FeedbackGains);
  const double **gain = ARENA_ARRAY(a, const double *, p->experiment_count + 1);
  int designed[EXPERIMENTS_MOST], count = 0;
  for (int e = 0; e < p->experiment_count; e++) {
    for (int k = 0; k < count && !gain[e]; k++)
      if (measure_the_same(p, e, designed[k])) gain[e] = gain[designed[k]];
    if (gain[e]) continue;
    if (count == EXPERIMENTS_MOST) {
      *why = "experiments measure too many different sets of quantities";
      return NULL;
    }
    *why = "max_simulations leaves no room for its design";
    if (budget && budget_left(budget) < PASS_COUNT) return NULL;
    gain[e] = design_one(o, a, e, x, budget, why);
    if (!gain[e]) return NULL;
    designed[count++] = e;
  }
  *g = (FeedbackGains){o->feedback, gain};
  return g;
}
