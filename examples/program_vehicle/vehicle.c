// A car that brakes in a straight line, as a program of its own: vehicle RUN.in RESULT.csv
//
// The equations are those of ../braking/braking.mo. entrain knows nothing of them: it writes RUN.in from the template
// run.in.template, starts this program and reads RESULT.csv. RUN.in has a name and a value in each line.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WHEELS = 4, STATES = 1 + WHEELS };

typedef struct Car {
  double mu[WHEELS]; // friction of the brake pads: front left, front right, rear left, rear right
  double m, J, R;    // kg; kg.m2 and m of a wheel
  double load[2];    // N on a wheel, front and rear
  double B, C, D;    // tyre
  double gain[2];    // N.m/bar, brake torque by pressure and friction, front and rear
  double pressure;   // bar
  double stop;       // s
  double step;       // s, of the integrator
  double each;       // s, between rows of the result
  double pause;      // ms to sleep: a program that takes as long as a large model
} Car;

static const Car DEFAULT = {
    .mu = {0.1954, 0.1772, 0.1672, 0.1669},
    .m = 1520,
    .J = 1.2,
    .R = 0.31,
    .load = {4000, 3450},
    .B = 12,
    .C = 1.5,
    .D = 1.1,
    .gain = {62, 30},
    .pressure = 90,
    .stop = 2.4,
    .step = 0.0005,
    .each = 0.006,
};

static int is_rear(int wheel) {
  return wheel >= 2;
}

// x: speed of the car (m/s), then of the wheels (rad/s)
static void derivatives(const Car *c, double t, const double x[STATES], double dx[STATES]) {
  double u = x[0], total = 0;
  double p = c->pressure * (1 - exp(-t / 0.1)) * (0.9 + 0.1 * sin(6 * t));
  for (int i = 0; i < WHEELS; i++) {
    double w = x[1 + i];
    double force = c->load[is_rear(i)] * c->D * sin(c->C * atan(c->B * (w * c->R - u) / (u + 0.5)));
    double brake = c->mu[i] * c->gain[is_rear(i)] * p * tanh(w);
    dx[1 + i] = (-c->R * force - brake) / c->J;
    total += force;
  }
  dx[0] = total / c->m;
}

// One step by Heun's method: the mean of the slopes at both ends.
static void step(const Car *c, double t, double h, double x[STATES]) {
  double first[STATES], second[STATES], ahead[STATES];
  derivatives(c, t, x, first);
  for (int i = 0; i < STATES; i++) ahead[i] = x[i] + h * first[i];
  derivatives(c, t + h, ahead, second);
  for (int i = 0; i < STATES; i++) x[i] += h / 2 * (first[i] + second[i]);
}

static void give_up(const char *what, const char *name) {
  fprintf(stderr, "vehicle: %s '%s'\n", what, name);
  exit(1);
}

static void read_car(const char *path, Car *c) {
  struct {
    const char *name;
    double *value;
  } known[] = {
      {"mu1", &c->mu[0]}, {"mu2", &c->mu[1]}, {"mu3", &c->mu[2]},   {"mu4", &c->mu[3]},
      {"mass", &c->m},    {"stop", &c->stop}, {"pause", &c->pause},
  };
  FILE *in = fopen(path, "r");
  if (!in) give_up("cannot read", path);
  char line[200], name[200];
  double value;
  while (fgets(line, sizeof line, in)) {
    if (line[0] == '#' || line[strspn(line, " \n")] == 0) continue;
    size_t k = 0, count = sizeof known / sizeof *known;
    if (sscanf(line, "%199s %lf", name, &value) != 2) give_up("cannot read the line", line);
    while (k < count && strcmp(name, known[k].name) != 0) k++;
    if (k == count) give_up("there is no parameter", name);
    *known[k].value = value;
  }
  fclose(in);
}

static void simulate(const Car *c, FILE *out) {
  double x[STATES] = {19.5, 62.9, 62.9, 62.9, 62.9};
  int rows = (int)ceil(c->stop / c->each - 1e-9), inner = (int)ceil(c->each / c->step - 1e-9);
  fprintf(out, "t,u,w1,w2,w3,w4\n");
  for (int k = 0; k <= rows; k++) {
    fprintf(out, "%g", k * c->each);
    for (int i = 0; i < STATES; i++) fprintf(out, ",%g", x[i]); // %g: six digits
    fprintf(out, "\n");
    for (int n = 0; n < inner; n++) step(c, k * c->each + n * c->each / inner, c->each / inner, x);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: vehicle RUN.in RESULT.csv\n");
    return 2;
  }
  Car car = DEFAULT;
  read_car(argv[1], &car);
  if (car.pause > 0) {
    struct timespec t = {(time_t)(car.pause / 1000), (long)(1e6 * fmod(car.pause, 1000))};
    nanosleep(&t, NULL);
  }
  FILE *out = fopen(argv[2], "w");
  if (!out) give_up("cannot write", argv[2]);
  simulate(&car, out);
  if (fclose(out) != 0) give_up("cannot write", argv[2]);
  printf("%g s simulated\n", car.stop);
  return 0;
}
