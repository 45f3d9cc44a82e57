// The differential-algebraic members of the Test Set for IVP Solvers (Mazzia and Magherini, release 2.4) against its reference
// solutions; those that are ordinary differential equations are in test_cases.c.
//
// Done: Andrews' mechanism, car axis, slider crank and Fekete points as constraints for positions (index 3), wheelset and
// water tubes (index 2), transistor amplifier (index 1), NAND gate and ring modulator (index 0, implicit or stiff).
// Not done: the two-bit adder (175 nodes and 175 charges; its ten gates ask for components, which the language does not have
// yet), and three ordinary differential equations: beam and EMEP (80 and 66 equations that want arrays and functions) and
// E5, whose stiffness Robertson's problem has as well.
#include <unistd.h>

#include "simulation.h"

static const char *const DATA = "../shared/data/ivp-testset";

enum { NUMBERS_MOST = 200, GROUPS = 4 };

// Variables that follow each other in the reference, and how far they may be away, relative to it; "-" is not compared.
typedef struct Group {
  const char *names;
  double tolerance;
} Group;

typedef struct Member {
  const char *file, *reference, *options;
  double stop;
  Group groups[GROUPS];
} Member;

// Solvers of index-3 equations, with which the references were computed, know positions best, then velocities; accelerations and
// multipliers have the fewest digits. Where a tolerance is larger than that of the positions, the digits of the reference end.
static const Member MEMBERS[] = {
    {"examples/andrews/andrews.mo",
     "andrews",
     "rel_tol=1e-11 abs_tol=1e-13",
     0.03,
     {{"beta theta gamma phi delta omega epsilon", 1e-9},
      {"vbeta vtheta vgamma vphi vdelta vomega vepsilon", 2e-7},
      {"abeta atheta agamma aphi adelta aomega aepsilon", 3e-6},
      {"lambda1 lambda2 lambda3 lambda4 lambda5 lambda6", 3e-6}}},
    {"tests/ivp/car_axis.mo",
     "caraxis",
     "rel_tol=1e-10 abs_tol=1e-12",
     3,
     {{"xl yl xr yr", 1e-10}, {"vxl vyl vxr vyr lambda1 lambda2", 3e-9}}},
    // x3 of the test set begins 2e-10 away from its constraint and stays there: there it is the velocity that is constrained
    {"tests/ivp/crank.mo",
     "crank",
     "rel_tol=1e-10 abs_tol=1e-15",
     0.1,
     {{"phi1 phi2 x3 q1 q2 q3 q4", 1e-7},
      {"vphi1 vphi2 vx3 vq1 vq2 vq3 vq4", 5e-7},
      {"- aphi2 ax3 aq1 aq2 aq3 aq4", 2e-4},
      {"lambda1 lambda2 lambda3", 1e-7}}},
    // by DASSL with tolerance 1e-9
    {"tests/ivp/wheelset.mo",
     "wheelset",
     "rel_tol=1e-8 abs_tol=1e-12",
     10,
     {{"x y z theta phi vx vy vz vtheta vphi beta psir xir psil xil lambda1 lambda2", 1e-5}}},
    {"tests/ivp/tube.mo",
     "tube",
     "rel_tol=1e-9 abs_tol=1e-11",
     17 * 3600,
     {{"phi1_2 phi2_3 phi2_6 phi3_4 phi3_5 phi4_5 phi5_10 phi6_5 phi7_4 phi7_8 phi8_5 phi8_10 "
       "phi9_8 "
       "phi11_9 phi11_12 phi12_7 phi12_8 phi13_11",
       2e-8},
      {"lambda1_2 lambda2_3 lambda2_6 lambda3_4 lambda3_5 lambda4_5 lambda5_10 lambda6_5 lambda7_4 "
       "lambda7_8 lambda8_5 lambda8_10 lambda9_8 lambda11_9 lambda11_12 lambda12_7 lambda12_8 "
       "lambda13_11",
       1e-9},
      {"p5 p8 p1 p2 p3 p4 p6 p7 p9 p10 p11 p12 p13", 1e-10}}},
    {"tests/ivp/transistor.mo",
     "transistor",
     "rel_tol=1e-9 abs_tol=1e-12",
     0.2,
     {{"y1 y2 y3 y4 y5 y6 y7 y8", 1e-9}}},
    {"tests/ivp/nand.mo",
     "nand",
     "rel_tol=1e-7 abs_tol=1e-9",
     80,
     {{"y1 y2 y3 y4 y5 y6 y7 y8 y9 y10 y11 y12 y13 y14", 1e-6}}},
    {"tests/ivp/ring.mo",
     "ring",
     "rel_tol=1e-7 abs_tol=1e-13",
     1e-3,
     {{"u1 u2 u3 u4 u5 u6 u7 i1 i2 i3 i4 i5 i6 i7 i8", 5e-6}}},
};

static void skip_without_data(void) {
  if (access(DATA, R_OK) == 0) return;
  print_message("%s is absent: nothing to compare with\n", DATA);
  skip();
}

static int read_reference(const char *name, double *out) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s.ref.txt", DATA, name);
  FILE *f = fopen(path, "r");
  int count = 0, index;
  assert_non_null(f);
  while (count < NUMBERS_MOST && fscanf(f, "%d %lf", &index, &out[count]) == 2) count++;
  fclose(f);
  return count;
}

static bool is_near(const Run *r, const char *name, double reference, double tolerance) {
  double x = last_value(r, name), apart = fabs(x - reference) / fabs(reference);
  if (apart <= tolerance) return true;
  print_error("%s = %.12g, reference %.12g, relative error %.2g is more than %.2g\n", name, x,
              reference, apart, tolerance);
  return false;
}

static void member_matches_the_reference(void **state) {
  const Member *m = *state;
  skip_without_data();
  double reference[NUMBERS_MOST];
  int count = read_reference(m->reference, reference), at = 0;
  Run r = simulate_fully(.file = m->file, .options = m->options, .times = &m->stop, .count = 1);
  Words *w = malloc(sizeof *w);
  bool all = true;
  for (int g = 0; g < GROUPS; g++) {
    split_words(m->groups[g].names, w);
    for (int i = 0; i < w->count; i++, at++)
      if (strcmp(w->at[i], "-") != 0)
        all &= is_near(&r, w->at[i], reference[at], m->groups[g].tolerance);
  }
  free(w);
  run_free(&r);
  assert_int_equal(at, count);
  assert_true(all);
}

// ---------------------------------------------------------------- Fekete points

enum { POINTS = 20, TEXT_SIZE = 200000 };

typedef struct Position {
  double at[3];
} Position;

// Where the test set begins: four circles of latitude.
static void place_points(Position *p) {
  static const struct {
    int count, first;
    double turn, latitude; // in parts of pi
  } CIRCLE[] = {{3, 1, 1. / 13, 3. / 8},
                {7, 1, 1. / 29, 1. / 8},
                {6, 1, 1. / 7, -2. / 15},
                {4, 0, 1. / 17, -3. / 10}};
  for (int c = 0; c < 4; c++)
    for (int i = 0; i < CIRCLE[c].count; i++) {
      double a = 2 * M_PI * (i + CIRCLE[c].first) / CIRCLE[c].count + M_PI * CIRCLE[c].turn;
      double b = M_PI * CIRCLE[c].latitude;
      *p++ = (Position){{cos(a) * cos(b), sin(a) * cos(b), sin(b)}};
    }
}

static int declare_points(char *text, const Position *p) {
  char *at = text;
  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 3; k++)
      at += sprintf(at, "Real %c%d(start=%.17g), v%c%d;\n", 'x' + k, i, p[i].at[k], 'x' + k, i);
    at += sprintf(at, "Real lambda%d;\n", i);
    for (int j = 0; j < i; j++)
      at += sprintf(at, "Real w%d_%d = 1/((x%d - x%d)^2 + (y%d - y%d)^2 + (z%d - z%d)^2);\n", j, i,
                    i, j, i, j, i, j);
  }
  return (int)(at - text);
}

// v' = -v/2 + 2 lambda x + the repulsion of all others
static int move_point(char *text, int i) {
  char *at = text;
  for (int c = 'x'; c <= 'z'; c++) {
    at += sprintf(at, "der(%c%d) = v%c%d;\nder(v%c%d) = -v%c%d/2 + 2*lambda%d*%c%d", c, i, c, i, c,
                  i, c, i, i, c, i);
    for (int j = 0; j < POINTS; j++)
      if (j != i)
        at += sprintf(at, " + (%c%d - %c%d)*w%d_%d", c, i, c, j, i < j ? i : j, i < j ? j : i);
    at += sprintf(at, ";\n");
  }
  at += sprintf(at, "x%d^2 + y%d^2 + z%d^2 = 1;\n", i, i, i);
  return (int)(at - text);
}

static char *fekete_text(void) {
  Position points[POINTS];
  char *text = malloc(TEXT_SIZE), *at = text;
  place_points(points);
  at += sprintf(at, "model Fekete\n");
  at += declare_points(at, points);
  at += sprintf(at, "equation\n");
  for (int i = 0; i < POINTS; i++) at += move_point(at, i);
  at += sprintf(at, "end Fekete;\n");
  assert_true(at < text + TEXT_SIZE);
  return text;
}

// Twenty points that repel each other on a sphere, with friction: 120 states, 20 constraints. After 1000 s they are at rest.
static void fekete_points_match_the_reference(void **state) {
  (void)state;
  skip_without_data();
  double reference[NUMBERS_MOST];
  assert_int_equal(read_reference("fekete", reference), 8 * POINTS);
  char *text = fekete_text(), name[20];
  double stop = 1000;
  Run r = simulate_fully(.text = text, .options = "rel_tol=1e-9 abs_tol=1e-11", .times = &stop,
                         .count = 1);
  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 3; k++) {
      snprintf(name, sizeof name, "%c%d", 'x' + k, i);
      assert_close(last_value(&r, name), reference[3 * i + k], 1e-8);
    }
    snprintf(name, sizeof name, "lambda%d", i);
    assert_close(last_value(&r, name), reference[6 * POINTS + i], 1e-7);
  }
  run_free(&r);
  free(text);
}

// ---------------------------------------------------------------- laws of the mechanisms

static void andrews_keeps_its_chains_closed(void **state) {
  (void)state;
  Run r = simulate_fully(.file = "examples/andrews/andrews.mo", .stop = 0.03, .step = 0.0003);
  const double *beta = column(&r, "beta"), *theta = column(&r, "theta"),
               *gamma = column(&r, "gamma"), *omega = column(&r, "omega"),
               *epsilon = column(&r, "epsilon");
  for (int i = 0; i < rows(&r); i++) {
    double x = 0.007 * cos(beta[i]) - 0.028 * cos(beta[i] + theta[i]);
    assert_close(x - 0.035 * sin(gamma[i]), -0.03635, 1e-8);
    assert_close(x - 0.02 * cos(omega[i] + epsilon[i]) - 0.04 * sin(epsilon[i]), -0.06934, 1e-8);
  }
  run_free(&r);
}

// Friction is absent: the motor's work is what the bodies and the spring have. As a power: mom*vbeta is its derivative by time.
static void andrews_keeps_the_work_of_the_motor(void **state) {
  (void)state;
  Run r = simulate_fully(.file = "examples/andrews/andrews.mo",
                         .options = "rel_tol=1e-10 abs_tol=1e-12", .stop = 0.03, .step = 0.0003);
  const double *vb = column(&r, "vbeta"), *vt = column(&r, "vtheta"), *vg = column(&r, "vgamma"),
               *vp = column(&r, "vphi"), *vd = column(&r, "vdelta"), *vo = column(&r, "vomega"),
               *ve = column(&r, "vepsilon"), *m12 = column(&r, "m12"), *m45 = column(&r, "m45"),
               *m67 = column(&r, "m67"), *length = column(&r, "L"), *beta = column(&r, "beta");
  double first = 0;
  for (int i = 0; i < rows(&r); i++) {
    // the constant entries of the mass matrix; those that move by way of those beside them
    double m22 = 0.00365 * 0.0115 * 0.0115 + 4.41e-7;
    double m11 =
        0.04325 * 0.00092 * 0.00092 + 0.00365 * 0.007 * 0.007 + 2.194e-6 + 2 * m12[i] - m22;
    double m33 = 0.02373 * (0.01874 * 0.01874 + 0.01043 * 0.01043) + 5.255e-6;
    double arm = 0.02 - 0.01421, m44 = 0.00706 * arm * arm + 5.667e-7;
    double m55 = 0.00706 * 0.04 * 0.04 + 0.0705 * (0.02308 * 0.02308 + 0.00916 * 0.00916) +
                 1.169e-5 + 2 * m45[i] - m44;
    double m77 = 0.00706 * 0.04 * 0.04 + 0.05498 * (0.01228 * 0.01228 + 0.00449 * 0.00449) +
                 1.912e-5 + 2 * m67[i] - m44;
    double twice = m11 * vb[i] * vb[i] + 2 * m12[i] * vb[i] * vt[i] + m22 * vt[i] * vt[i] +
                   m33 * vg[i] * vg[i] + m44 * vp[i] * vp[i] + 2 * m45[i] * vp[i] * vd[i] +
                   m55 * vd[i] * vd[i] + m44 * vo[i] * vo[i] + 2 * m67[i] * vo[i] * ve[i] +
                   m77 * ve[i] * ve[i] + 4530 * (length[i] - 0.07785) * (length[i] - 0.07785);
    double kept = twice / 2 - 0.033 * beta[i];
    if (i == 0) first = kept;
    assert_close(kept, first, 1e-9); // of 0.5 J
  }
  run_free(&r);
}

static void sensitivities_match_differences(void **state) {
  (void)state;
  static const double ANDREWS[] = {0.005, 0.01, 0.02}, CAR[] = {0.3, 1, 2};
  Spec s = {.file = "examples/andrews/andrews.mo",
            .options = "rel_tol=1e-10 abs_tol=1e-13",
            .times = ANDREWS,
            .count = 3,
            .select = "beta phi vgamma aepsilon lambda1 lambda6",
            .sens = "c0 mom m5 ss xb"};
  assert_sensitivities(&s, .step = 1e-5, .tolerance = 1e-5,
                       .options = "rel_tol=1e-12 abs_tol=1e-15");
  s = (Spec){.file = "tests/ivp/car_axis.mo",
             .options = "rel_tol=1e-10 abs_tol=1e-13",
             .times = CAR,
             .count = 3,
             .select = "xl yl xr yr vyr lambda1 lambda2",
             .sens = "M L0 r w yl.start"};
  assert_sensitivities(&s, .step = 1e-5, .tolerance = 1e-5,
                       .options = "rel_tol=1e-12 abs_tol=1e-15");
}

#define MEMBER_TEST(i)                                                                             \
  {                                                                                                \
    "member_matches_the_reference_" #i, member_matches_the_reference, NULL, NULL,                  \
        (void *)(uintptr_t)&MEMBERS[i]                                                             \
  }

int main(void) {
  const struct CMUnitTest tests[] = {
      MEMBER_TEST(0),
      MEMBER_TEST(1),
      MEMBER_TEST(2),
      MEMBER_TEST(3),
      MEMBER_TEST(4),
      MEMBER_TEST(5),
      MEMBER_TEST(6),
      MEMBER_TEST(7),
      cmocka_unit_test(fekete_points_match_the_reference),
      cmocka_unit_test(andrews_keeps_its_chains_closed),
      cmocka_unit_test(andrews_keeps_the_work_of_the_motor),
      cmocka_unit_test(sensitivities_match_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
