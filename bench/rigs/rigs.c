// Right-hand sides of examples/real by hand, and a classical Runge-Kutta method with a fixed step: what a careful user of SciPy compiles
// and calls by ctypes. p is in the order of the problem files; every function returns the model at the samples in out.
#include <math.h>
#include <string.h>

// Times, inputs (or NULL), number of samples, start state, parameters, the model at the samples.
typedef void Simulate(const double *t, const double *u, int n, const double *start, const double *p,
                      double *out);
Simulate emps, tanks, single, pair, damper;

typedef void Rhs(const double *x, double u, const double *p, double *dx);

enum { STATES_MOST = 4 };

// Input between samples: linear (hold = 0) or as it was at the sample.
static void integrate(Rhs *f, int nx, double *x, const double *t, const double *u, int n, int parts,
                      int hold, const double *p,
                      void (*show)(const double *, double, const double *, double *), int ny,
                      double *out) {
  double k[4][STATES_MOST], y[STATES_MOST];
  for (int i = 0;; i++) {
    show(x, u ? u[i] : 0, p, out + ny * i);
    if (i == n - 1) return;
    double h = (t[i + 1] - t[i]) / parts;
    for (int j = 0; j < parts; j++) {
      double a = u ? u[i] : 0, slope = u && !hold ? (u[i + 1] - u[i]) / parts : 0;
      double begin = a + slope * j, middle = begin + slope / 2, end = begin + slope;
      f(x, begin, p, k[0]);
      for (int s = 0; s < nx; s++) y[s] = x[s] + h / 2 * k[0][s];
      f(y, middle, p, k[1]);
      for (int s = 0; s < nx; s++) y[s] = x[s] + h / 2 * k[1][s];
      f(y, middle, p, k[2]);
      for (int s = 0; s < nx; s++) y[s] = x[s] + h * k[2][s];
      f(y, end, p, k[3]);
      for (int s = 0; s < nx; s++) x[s] += h / 6 * (k[0][s] + 2 * k[1][s] + 2 * k[2][s] + k[3][s]);
    }
  }
}

static void show_first(const double *x, double u, const double *p, double *out) {
  (void)u, (void)p;
  out[0] = x[0];
}

// ---------------------------------------------------------------- EMPS: M Fv Fc offset dFv Fq load drift

// x[2] is the time, for the offset that drifts.
static void emps_rhs(const double *x, double u, const double *p, double *dx) {
  double force = 35.15065188248547 * u, direction = tanh(x[1] / 0.001);
  dx[0] = x[1];
  dx[2] = 1;
  dx[1] = (force - p[3] - p[7] * x[2] - (p[1] + p[4] * (1 - direction) / 2) * x[1] -
           (p[2] + p[5] * x[0] + p[6] * fabs(force)) * direction) /
          p[0];
}

void emps(const double *t, const double *u, int n, const double *start, const double *p,
          double *out) {
  double x[3] = {start[0], start[1], t[0]};
  integrate(emps_rhs, 3, x, t, u, n, 1, 0, p, show_first, 1, out);
}

// ---------------------------------------------------------------- tanks: k1 k2 k3 k4 k5 x1.start x2.start n2 h2

static void tanks_rhs(const double *x, double u, const double *p, double *dx) {
  double q1 = sqrt(fmax(x[0], 1e-3)), spill = 0.75 * fmax(x[0] - 10, 0);
  dx[0] = p[3] * u - p[0] * q1 - spill;
  dx[1] = p[1] * q1 - p[2] * pow(fmax(x[1] - p[8], 1e-3), p[7]) + p[4] * spill -
          0.75 * fmax(x[1] - 10, 0);
}

static void show_level(const double *x, double u, const double *p, double *out) {
  (void)u, (void)p;
  out[0] = fmin(x[1], 10);
}

void tanks(const double *t, const double *u, int n, const double *start, const double *p,
           double *out) {
  double x[2] = {p[5], p[6]};
  (void)start;
  integrate(tanks_rhs, 2, x, t, u, n, 8, 1, p, show_level, 1, out);
}

// ---------------------------------------------------------------- single pendulum: p c d k tilt

static void single_rhs(const double *x, double u, const double *p, double *dx) {
  (void)u;
  dx[0] = x[1];
  dx[1] =
      p[0] * sin(x[0] - p[4]) - p[1] * tanh(x[1] / 0.05) - p[2] * x[1] - p[3] * x[1] * x[1] * x[1];
}

void single(const double *t, const double *u, int n, const double *start, const double *p,
            double *out) {
  double x[2] = {start[0], start[1]};
  integrate(single_rhs, 2, x, t, u, n, 1, 0, p, show_first, 1, out);
}

// ---------------------------------------------------------------- double pendulum: J1 J2 G1 G2 c1 air tilt1 tilt2

static void pair_rhs(const double *x, double u, const double *p, double *dx) {
  double c = cos(x[0] - x[1]), s = sin(x[0] - x[1]);
  double m1 = -s * x[3] * x[3] + p[2] * sin(x[0] - p[6]) - p[4] * tanh(x[2] / 0.05);
  double m2 = s * x[2] * x[2] + p[3] * sin(x[1] - p[7]) - p[5] * x[3], det = p[0] * p[1] - c * c;
  (void)u;
  dx[0] = x[2], dx[1] = x[3];
  dx[2] = (p[1] * m1 - c * m2) / det;
  dx[3] = (p[0] * m2 - c * m1) / det;
}

static void show_pair(const double *x, double u, const double *p, double *out) {
  (void)u, (void)p;
  out[0] = x[0], out[1] = x[1];
}

void pair(const double *t, const double *u, int n, const double *start, const double *p,
          double *out) {
  double x[4];
  memcpy(x, start, sizeof x);
  integrate(pair_rhs, 4, x, t, u, n, 1, 0, p, show_pair, 2, out);
}

// ---------------------------------------------------------------- MR damper: Kx Kw rho f0 z.start k k3 Kq; states z, place

static void damper_rhs(const double *x, double v, const double *p, double *dx) {
  dx[0] = v - p[2] * fabs(v) * x[0];
  dx[1] = v;
}

static void show_force(const double *x, double v, const double *p, double *out) {
  out[0] = p[1] * p[2] * x[0] + p[0] * v + (p[5] + p[6] * x[1] * x[1]) * x[1] + p[7] * v * fabs(v) +
           p[3];
}

void damper(const double *t, const double *u, int n, const double *start, const double *p,
            double *out) {
  double x[2] = {p[4], 0};
  (void)start;
  integrate(damper_rhs, 2, x, t, u, n, 100, 0, p, show_force, 1, out);
}
