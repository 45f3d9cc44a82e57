// Dormand and Prince's method of order 8 with run-time dimensions, as dop853.h says.
#include "hand/dop853.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Vectors are handed to functions of this file only, so that their place in registers is nobody else's concern.
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double Vec __attribute__((vector_size(32))); // four components at a time

enum { STAGES = 16, DENSE = 7 };

struct Dop853 {
  int n, m; // components, and vectors of four that hold them; the padding is 0
  HandRhs *f;
  const double *p;
  double rel_tol, abs_tol;
  Vec *memory, *k[STAGES], *y, *y_new, *stage, *dense[DENSE], *block;
  Dop853Count count;
};

Dop853 *dop853_new(int n) {
  Dop853 *w = calloc(1, sizeof *w);
  w->n = n;
  w->m = (n + 3) / 4;
  size_t size = (size_t)w->m * sizeof(Vec);
  size_t vectors = STAGES + DENSE + 3 + DOP853_BLOCK;
  Vec *all = w->memory = aligned_alloc(sizeof(Vec), vectors * size);
  memset(all, 0, vectors * size);
  for (int j = 0; j < STAGES; j++) w->k[j] = all + (size_t)j * w->m;
  for (int j = 0; j < DENSE; j++) w->dense[j] = all + (size_t)(STAGES + j) * w->m;
  w->y = all + (size_t)(STAGES + DENSE) * w->m;
  w->y_new = w->y + w->m;
  w->stage = w->y_new + w->m;
  w->block = w->stage + w->m;
  return w;
}

void dop853_free(Dop853 *w) {
  if (!w) return;
  free(w->memory);
  free(w);
}

int dop853_stride(const Dop853 *w) {
  return 4 * w->m;
}
Dop853Count dop853_count(const Dop853 *w) {
  return w->count;
}

static void evaluate(Dop853 *w, double t, const Vec *y, Vec *dy) {
  w->f(t, (const double *)y, w->p, (double *)dy);
}

// What the right-hand side has just written as single numbers must be read as such: a vector load would have to wait
// until all of them are in the cache. (This file is compiled with -fno-tree-slp-vectorize, or gcc merges the loads.)
static Vec fresh(const Vec *v) {
  const double *s = (const double *)v;
  return (Vec){s[0], s[1], s[2], s[3]};
}

// Coefficients: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., section II.10. Sums are
// written as trees so that the multiply-adds do not wait for each other.
#define STAGE(j, c, sum)                                                                           \
  for (int i = 0; i < m; i++) w->stage[i] = y[i] + h * (sum);                                      \
  evaluate(w, t + c * h, w->stage, w->k[j])

// k[0] is known. Makes k[1] to k[11], y_new and k[12].
static void step(Dop853 *w, double t, double h) {
  const int m = w->m;
  Vec *const *k = w->k, *y = w->y;
  STAGE(1, 0.05260015195876773, 0.05260015195876773 * fresh(k[0] + i));
  STAGE(2, 0.0789002279381516, 0.0197250569845379 * k[0][i] + 0.0591751709536137 * fresh(k[1] + i));
  STAGE(3, 0.1183503419072274,
        0.02958758547680685 * k[0][i] + 0.08876275643042054 * fresh(k[2] + i));
  STAGE(4, 0.2816496580927726,
        0.2413651341592667 * k[0][i] - 0.8845494793282861 * k[2][i] +
            0.924834003261792 * fresh(k[3] + i));
  STAGE(5, 0.3333333333333333,
        0.037037037037037035 * k[0][i] + 0.17082860872947386 * k[3][i] +
            0.12546768756682242 * fresh(k[4] + i));
  STAGE(6, 0.25,
        (0.037109375 * k[0][i] + 0.17025221101954405 * k[3][i]) +
            (0.06021653898045596 * k[4][i] - 0.017578125 * fresh(k[5] + i)));
  STAGE(7, 0.3076923076923077,
        (0.03709200011850479 * k[0][i] + 0.17038392571223998 * k[3][i]) +
            (0.10726203044637328 * k[4][i] - 0.015319437748624402 * k[5][i] +
             0.008273789163814023 * fresh(k[6] + i)));
  STAGE(
      8, 0.6512820512820513,
      (0.6241109587160757 * k[0][i] - 3.3608926294469414 * k[3][i] - 0.868219346841726 * k[4][i]) +
          (27.59209969944671 * k[5][i] + 20.154067550477894 * k[6][i] -
           43.48988418106996 * fresh(k[7] + i)));
  STAGE(
      9, 0.6,
      (0.47766253643826434 * k[0][i] - 2.4881146199716677 * k[3][i] - 0.590290826836843 * k[4][i]) +
          ((21.230051448181193 * k[5][i] + 15.279233632882423 * k[6][i]) +
           (-33.28821096898486 * k[7][i] - 0.020331201708508627 * fresh(k[8] + i))));
  STAGE(10, 0.8571428571428571,
        ((-0.9371424300859873 * k[0][i] + 5.186372428844064 * k[3][i]) +
         (1.0914373489967295 * k[4][i] - 8.149787010746927 * k[5][i])) +
            ((-18.52006565999696 * k[6][i] + 22.739487099350505 * k[7][i]) +
             (2.4936055526796523 * k[8][i] - 3.0467644718982196 * fresh(k[9] + i))));
  STAGE(11, 1.0,
        ((2.273310147516538 * k[0][i] - 10.53449546673725 * k[3][i]) +
         (-2.0008720582248625 * k[4][i] - 17.9589318631188 * k[5][i])) +
            ((27.94888452941996 * k[6][i] - 2.8589982771350235 * k[7][i]) +
             (-8.87285693353063 * k[8][i] + 12.360567175794303 * k[9][i] +
              0.6433927460157636 * fresh(k[10] + i))));
  for (int i = 0; i < m; i++)
    w->y_new[i] =
        y[i] + h * (((0.054293734116568765 * k[0][i] + 4.450312892752409 * k[5][i]) +
                     (1.8915178993145003 * k[6][i] - 5.801203960010585 * k[7][i])) +
                    ((0.3111643669578199 * k[8][i] - 0.1521609496625161 * k[9][i]) +
                     (0.20136540080403034 * k[10][i] + 0.04471061572777259 * fresh(k[11] + i))));
  evaluate(w, t + h, w->y_new, w->k[12]);
}

static Vec magnitude(Vec a) {
  typedef long Bits __attribute__((vector_size(32)));
  return (Vec)((Bits)a & 0x7fffffffffffffffL);
}

static Vec larger(Vec a, Vec b) {
  typedef long Bits __attribute__((vector_size(32)));
  Bits choose = a > b;
  return (Vec)(((Bits)a & choose) | ((Bits)b & ~choose));
}

static double total(Vec a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}

// Root mean square over all components; the estimates of order 5 and 3 combined as in the book.
static double error_norm(const Dop853 *w, double h) {
  const int m = w->m;
  Vec *const *k = w->k;
  Vec sum5 = {0}, sum3 = {0};
  for (int i = 0; i < m; i++) {
    Vec scale = w->abs_tol + w->rel_tol * larger(magnitude(w->y[i]), magnitude(w->y_new[i]));
    Vec inverse = 1 / scale;
    Vec e5 = inverse * (((0.01312004499419488 * k[0][i] - 1.2251564463762044 * k[5][i]) +
                         (-0.4957589496572502 * k[6][i] + 1.6643771824549864 * k[7][i])) +
                        ((-0.35032884874997366 * k[8][i] + 0.3341791187130175 * k[9][i]) +
                         (0.08192320648511571 * k[10][i] - 0.022355307863886294 * k[11][i])));
    Vec e3 = inverse * (((-0.18980075407240762 * k[0][i] + 4.450312892752409 * k[5][i]) +
                         (1.8915178993145003 * k[6][i] - 5.801203960010585 * k[7][i])) +
                        ((-0.4226823213237919 * k[8][i] - 0.1521609496625161 * k[9][i]) +
                         (0.20136540080403034 * k[10][i] + 0.02265179219836082 * k[11][i])));
    sum5 += e5 * e5;
    sum3 += e3 * e3;
  }
  double s5 = total(sum5), s3 = total(sum3), both = s5 + 0.01 * s3;
  return both > 0 ? fabs(h) * s5 / sqrt(both * w->n) : both; // 0, or not a number
}

// Three more stages and the polynomial of order 7: long by its coefficients.
static void prepare_dense(Dop853 *w, double t, double h) {
  const int m = w->m;
  Vec *const *k = w->k, *y = w->y;
  STAGE(13, 0.1,
        ((0.056167502283047954 * k[0][i] + 0.25350021021662483 * k[6][i]) +
         (-0.2462390374708025 * k[7][i] - 0.12419142326381637 * k[8][i])) +
            ((0.15329179827876568 * k[9][i] + 0.00820105229563469 * k[10][i]) +
             (0.007567897660545699 * k[11][i] - 0.008298 * fresh(k[12] + i))));
  STAGE(14, 0.2,
        ((0.03183464816350214 * k[0][i] + 0.028300909672366776 * k[5][i]) +
         (0.053541988307438566 * k[6][i] - 0.05492374857139099 * k[7][i])) +
            ((-0.00010834732869724932 * k[10][i] + 0.0003825710908356584 * k[11][i]) +
             (-0.00034046500868740456 * k[12][i] + 0.1413124436746325 * fresh(k[13] + i))));
  STAGE(15, 0.7777777777777778,
        ((-0.42889630158379194 * k[0][i] - 4.697621415361164 * k[5][i]) +
         (7.683421196062599 * k[6][i] + 4.06898981839711 * k[7][i])) +
            ((0.3567271874552811 * k[8][i] - 0.0013990241651590145 * k[12][i]) +
             (2.9475147891527724 * k[13][i] - 9.15095847217987 * fresh(k[14] + i))));
  for (int i = 0; i < m; i++) {
    Vec change = w->y_new[i] - y[i];
    w->dense[0][i] = change;
    w->dense[1][i] = h * k[0][i] - change;
    w->dense[2][i] = 2 * change - h * (k[12][i] + k[0][i]);
  }
  for (int i = 0; i < m; i++)
    w->dense[3][i] = h * (((-8.428938276109013 * k[0][i] + 0.5667149535193777 * k[5][i] -
                            3.0689499459498917 * k[6][i]) +
                           (2.38466765651207 * k[7][i] + 2.117034582445028 * k[8][i] -
                            0.871391583777973 * k[9][i])) +
                          ((2.2404374302607883 * k[10][i] + 0.6315787787694688 * k[11][i] -
                            0.08899033645133331 * k[12][i]) +
                           (18.148505520854727 * k[13][i] - 9.194632392478356 * k[14][i] -
                            4.436036387594894 * k[15][i])));
  for (int i = 0; i < m; i++)
    w->dense[4][i] = h * (((10.427508642579134 * k[0][i] + 242.28349177525817 * k[5][i] +
                            165.20045171727028 * k[6][i]) +
                           (-374.5467547226902 * k[7][i] - 22.113666853125306 * k[8][i] +
                            7.733432668472264 * k[9][i])) +
                          ((-30.674084731089398 * k[10][i] - 9.332130526430229 * k[11][i] +
                            15.697238121770845 * k[12][i]) +
                           (-31.139403219565178 * k[13][i] - 9.35292435884448 * k[14][i] +
                            35.81684148639408 * k[15][i])));
  for (int i = 0; i < m; i++)
    w->dense[5][i] =
        h *
        (((19.985053242002433 * k[0][i] - 387.0373087493518 * k[5][i] -
           189.17813819516758 * k[6][i]) +
          (527.8081592054236 * k[7][i] - 11.57390253995963 * k[8][i] + 6.8812326946963 * k[9][i])) +
         ((-1.0006050966910838 * k[10][i] + 0.7777137798053443 * k[11][i] -
           2.778205752353508 * k[12][i]) +
          (-60.19669523126412 * k[13][i] + 84.32040550667716 * k[14][i] +
           11.99229113618279 * k[15][i])));
  for (int i = 0; i < m; i++)
    w->dense[6][i] = h * (((-25.69393346270375 * k[0][i] - 154.18974869023643 * k[5][i] -
                            231.5293791760455 * k[6][i]) +
                           (357.6391179106141 * k[7][i] + 93.40532418362432 * k[8][i] -
                            37.45832313645163 * k[9][i])) +
                          ((104.0996495089623 * k[10][i] + 29.8402934266605 * k[11][i] -
                            43.53345659001114 * k[12][i]) +
                           (96.32455395918828 * k[13][i] - 39.17726167561544 * k[14][i] -
                            149.72683625798564 * k[15][i])));
}

static void dense_at(const Dop853 *w, double s, double *out) {
  double r = 1 - s;
  Vec *const *d = w->dense;
  for (int i = 0; i < w->m; i++) {
    Vec v = d[5][i] + s * d[6][i];
    v = d[4][i] + r * v;
    v = d[3][i] + s * v;
    v = d[2][i] + r * v;
    v = d[1][i] + s * v;
    v = d[0][i] + r * v;
    v = w->y[i] + s * v;
    memcpy(out + 4 * i, &v, sizeof v);
  }
}

static double rms(const Dop853 *w, const Vec *a, const Vec *b) {
  Vec sum = {0};
  for (int i = 0; i < w->m; i++) {
    Vec e = (b ? a[i] - b[i] : a[i]) / (w->abs_tol + w->rel_tol * magnitude(w->y[i]));
    sum += e * e;
  }
  return sqrt(total(sum) / w->n);
}

// Hairer's starting step.
static double first_step(Dop853 *w, double t, double span) {
  double d0 = rms(w, w->y, NULL), d1 = rms(w, w->k[0], NULL);
  double h0 = fmin(span, d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1);
  for (int i = 0; i < w->m; i++) w->stage[i] = w->y[i] + h0 * w->k[0][i];
  evaluate(w, t + h0, w->stage, w->k[1]);
  double d2 = rms(w, w->k[1], w->k[0]) / h0;
  double h1 = fmax(d1, d2) <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : pow(0.01 / fmax(d1, d2), 1. / 8);
  return fmin(fmin(100 * h0, h1), span);
}

static void begin(Dop853 *w, double t, const double *y0) {
  w->count = (Dop853Count){0};
  memcpy(w->y, y0, (size_t)w->n * sizeof *y0);
  evaluate(w, t, w->y, w->k[0]);
}

typedef struct Output { // rows either stay in out or go to the sink in blocks
  const double *times;
  int count, next;
  double *out;
  Dop853Sink *sink;
  void *self;
} Output;

// Output points up to t + h. false: the sink has had enough.
static bool write_points(Dop853 *w, double t, double h, Output *o) {
  const size_t stride = 4 * (size_t)w->m;
  if (o->next >= o->count || o->times[o->next] > t + h) return true;
  prepare_dense(w, t, h);
  w->count.rhs += 3;
  while (o->next < o->count && o->times[o->next] <= t + h) {
    double *rows = o->out ? o->out + (size_t)o->next * stride : (double *)w->block;
    int first = o->next, written = 0;
    for (; written < DOP853_BLOCK && o->next < o->count && o->times[o->next] <= t + h; written++)
      dense_at(w, (o->times[o->next++] - t) / h, rows + (size_t)written * stride);
    if (o->sink && !o->sink(o->self, first, written, rows)) return false;
  }
  return true;
}

static void swap(Vec **a, Vec **b) {
  Vec *c = *a;
  *a = *b;
  *b = c;
}

static bool write_first(Dop853 *w, Output *o) {
  o->next = 1;
  if (o->out) memcpy(o->out, w->y, (size_t)w->m * sizeof *w->y);
  return !o->sink || o->sink(o->self, 0, 1, (const double *)w->y);
}

static bool integrate(Dop853 *w, const double *y0, Output *o) {
  double t = o->times[0], end = o->times[o->count - 1];
  begin(w, t, y0);
  if (!write_first(w, o)) return false;
  double h = first_step(w, t, end - t), most = 6, last = 0;
  while (o->next < o->count) {
    if (t + 1.01 * h >= end) h = end - t;
    if (h < 1e-14 * fabs(t)) return false;
    step(w, t, h);
    w->count.rhs += 12;
    double error = error_norm(w, h);
    double size = log(fmax(error, 1e-12)); // PI control, Hairer and Wanner's beta = 0.04
    double factor = fmin(most, fmax(1. / 3, 0.9 * exp(0.04 * last - (1. / 8 - 0.03) * size)));
    if (error <= 1) {
      if (!write_points(w, t, h, o)) return false;
      t = h == end - t ? end : t + h;
      swap(&w->y, &w->y_new);
      swap(&w->k[0], &w->k[12]);
      w->count.steps++;
      most = 6;
      last = fmax(size, -9);
    } else {
      if (!isfinite(error)) factor = 0.1;
      w->count.rejected++;
      most = 1; // no growth after a rejected step
    }
    h *= factor;
  }
  return true;
}

bool dop853_run(Dop853 *w, HandRhs *f, const double *p, double rel_tol, double abs_tol,
                const double *y0, const double *times, int count, double *out) {
  w->f = f, w->p = p, w->rel_tol = rel_tol, w->abs_tol = abs_tol;
  return integrate(w, y0, &(Output){.times = times, .count = count, .out = out});
}

bool dop853_stream(Dop853 *w, HandRhs *f, const double *p, double rel_tol, double abs_tol,
                   const double *y0, const double *times, int count, Dop853Sink *sink, void *self) {
  w->f = f, w->p = p, w->rel_tol = rel_tol, w->abs_tol = abs_tol;
  return integrate(w, y0, &(Output){.times = times, .count = count, .sink = sink, .self = self});
}
