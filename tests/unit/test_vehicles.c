// The cars of examples/vehicles: derivatives at given states against those of an independent translation to C (ten digits),
// motions against an independent integrator, and the form with parts of the library against the form with arrays.
#include "simulation.h"

typedef struct StateRow {
  const char *array, *parts; // its name in both forms
  double base, rate;         // state k, from 1, is base + 0.01*sin(k); then this is its derivative
} StateRow;

static const StateRow VEHICLE14A[] = {
    {"X", "chassis.X", 0, 15.00581027},
    {"Y", "chassis.Y", 0, -0.03200414183},
    {"Z", "chassis.Z", 0.6, 0.1479454425},
    {"phi", "chassis.phi", 0, -0.00538948345},
    {"theta", "chassis.theta", 0, -0.01004022328},
    {"psi", "chassis.psi", 0, -0.005290139956},
    {"u", "chassis.u", 15, -0.3024612746},
    {"v", "chassis.v", 0, 0.1508371503},
    {"w", "chassis.w", 0, 0.2185723378},
    {"p", "chassis.p", 0, 0.05536717544},
    {"q", "chassis.q", 0, -0.1797823728},
    {"r", "chassis.r", 0, 0.2329839157},
    {"s[1]", "corner[1].s", 0, -0.009613974919},
    {"s[2]", "corner[2].s", 0, -0.007509872468},
    {"s[3]", "corner[3].s", 0, 0.001498772097},
    {"s[4]", "corner[4].s", 0, 0.009129452507},
    {"sd[1]", "corner[1].sd", 0, -342.1572274},
    {"sd[2]", "corner[2].sd", 0, -589.3309244},
    {"sd[3]", "corner[3].sd", 0, 285.8283196},
    {"sd[4]", "corner[4].sd", 0, 245.9530055},
    {"om[1]", "corner[1].om", 15 / 0.33, 25.06987025},
    {"om[2]", "corner[2].om", 15 / 0.33, 17.1},
    {"om[3]", "corner[3].om", 15 / 0.33, 107.7184307},
    {"om[4]", "corner[4].om", 15 / 0.33, 42.37887402},
};

static const StateRow VEHICLE14B[] = {
    {"X", "chassis.X", 0, 22.22767203},
    {"Y", "chassis.Y", 0, -0.05218319535},
    {"Z", "chassis.Z", 0.6, 0.2172000211},
    {"phi", "chassis.phi", 0, -0.00538948345},
    {"theta", "chassis.theta", 0, -0.01004022328},
    {"psi", "chassis.psi", 0, -0.005290139956},
    {"u", "chassis.u", 22.222222, -0.1855678003},
    {"v", "chassis.v", 0, 0.5387339598},
    {"w", "chassis.w", 0, 0.1463508251},
    {"p", "chassis.p", 0, 0.6912228769},
    {"q", "chassis.q", 0, -0.1689638194},
    {"r", "chassis.r", 0, 0.4673711279},
    {"s[1]", "corner[1].s", 0, -0.009613974919},
    {"s[2]", "corner[2].s", 0, -0.007509872468},
    {"s[3]", "corner[3].s", 0, 0.001498772097},
    {"s[4]", "corner[4].s", 0, 0.009129452507},
    {"sd[1]", "corner[1].sd", 0, -343.5159873},
    {"sd[2]", "corner[2].sd", 0, -588.8330365},
    {"sd[3]", "corner[3].sd", 0, 283.8017504},
    {"sd[4]", "corner[4].sd", 0, 245.0091975},
    {"om[1]", "corner[1].om", 22.222222 / 0.33, -30.12729795},
    {"om[2]", "corner[2].om", 22.222222 / 0.33, -5.509066033},
    {"om[3]", "corner[3].om", 22.222222 / 0.33, 45.33719622},
    {"om[4]", "corner[4].om", 22.222222 / 0.33, 2.170142322},
};

static const StateRow VEHICLE56[] = {
    {"X", "chassis.X", 0, 15.00581027},
    {"Y", "chassis.Y", 0, -0.03200414183},
    {"Z", "chassis.Z", 0.56, 0.1479454425},
    {"phi", "chassis.phi", 0, -0.00538948345},
    {"theta", "chassis.theta", 0, -0.01004022328},
    {"psi", "chassis.psi", 0, -0.005290139956},
    {"u", "chassis.u", 15, 7.092316996},
    {"v", "chassis.v", 0, -0.3276370578},
    {"w", "chassis.w", 0, 0.2235019637},
    {"p", "chassis.p", 0, -0.3928053497},
    {"q", "chassis.q", 0, 0.7013779732},
    {"r", "chassis.r", 0, -1.170785805},
    {"s[1]", "corner[1].s", 0, -0.009613974919},
    {"s[2]", "corner[2].s", 0, -0.007509872468},
    {"s[3]", "corner[3].s", 0, 0.001498772097},
    {"s[4]", "corner[4].s", 0, 0.009129452507},
    {"sd[1]", "corner[1].sd", 0, -65.56642813},
    {"sd[2]", "corner[2].sd", 0, -106.106826},
    {"sd[3]", "corner[3].sd", 0, 53.50147178},
    {"sd[4]", "corner[4].sd", 0, 49.98171582},
    {"xi[1]", "axle[1].x", 0, -0.008462204042},
    {"xi[2]", "axle[2].x", 0, -0.00905578362},
    {"xid[1]", "axle[1].v", 0, -138.9849844},
    {"xid[2]", "axle[2].v", 0, 69.96917479},
    {"yx[1]", "corner[1].tyre.x", 0, 0.2589416018},
    {"yx[2]", "corner[2].tyre.x", 0, -7.625584505},
    {"yx[3]", "corner[3].tyre.x", 0, -0.3544170665},
    {"yx[4]", "corner[4].tyre.x", 0, -0.1061358915},
    {"yy[1]", "corner[1].tyre.y", 0, -0.008693240101},
    {"yy[2]", "corner[2].tyre.y", 0, 2.371275898},
    {"yy[3]", "corner[3].tyre.y", 0, 0.09933255069},
    {"yy[4]", "corner[4].tyre.y", 0, -0.1692695614},
    {"we", "engine.w", 1.35 * 3.6 * 15 / 0.31, 0.03083727296},
    {"wc[1]", "centre.w1", 3.6 * 15 / 0.31, -1678.321788},
    {"wc[2]", "centre.w2", 3.6 * 15 / 0.31, -1992.863407},
    {"wd[1]", "final_drive[1].w1", 15 / 0.31, -950.6595554},
    {"wd[2]", "final_drive[1].w2", 15 / 0.31, 6158.923186},
    {"wd[3]", "final_drive[2].w1", 15 / 0.31, 5863.214778},
    {"wd[4]", "final_drive[2].w2", 15 / 0.31, 320.5387858},
    {"om[1]", "corner[1].om", 15 / 0.31, -1153.520673},
    {"om[2]", "corner[2].om", 15 / 0.31, -1340.36873},
    {"om[3]", "corner[3].om", 15 / 0.31, -1631.658676},
    {"om[4]", "corner[4].om", 15 / 0.31, -809.9021593},
    {"phc", "clutch.phi", 0, -0.04416567324},
    {"php[1]", "prop[1].phi", 0, 0.03472653262},
    {"php[2]", "prop[2].phi", 0, -0.02696477806},
    {"phh[1]", "half[1].phi", 0, -0.01736892014},
    {"phh[2]", "half[2].phi", 0, -0.004849154646},
    {"phh[3]", "half[3].phi", 0, 0.01212890127},
    {"phh[4]", "half[4].phi", 0, 0.01795570129},
    {"Te", "engine.T", 0, -261.1697966},
    {"thw", "steering.phi", 0, 0.003959251502},
    {"thwd", "steering.w", 0, -2296.311555},
    {"xr", "steering.x", 0, -0.009997551734},
    {"xrd", "steering.v", 0, 104.7854979},
    {"Fa", "steering.Fa", 0, 1225695.735},
};

static const StateRow BICYCLE3[] = {
    {"x", "body.x", 0, 14.9953283},         {"y", "body.y", 0, -0.004362486314},
    {"psi", "body.psi", 0, 0.006853044998}, {"vX", "body.vX", 15, 0.1701560772},
    {"vY", "body.vY", 0, 0.934930125},      {"om", "body.om", 0, 0.5501552741},
};

static const StateRow BICYCLE2[] = {
    {"alpha", "body.alpha", 0, 0.0267826179},
    {"psid", "body.psid", 0, 1.369694067},
};

enum { FORMS = 2, STATES_MOST = 56, INPUTS_MOST = 6 };

typedef struct Input {
  const char *name;
  double value;
} Input;

typedef struct Car {
  const char *file[FORMS]; // with arrays, with parts
  const StateRow *states;
  int count;
  double time;
  const char *set;
  Input inputs[INPUTS_MOST];
} Car;

#define STATES(rows) .states = (rows), .count = sizeof(rows) / sizeof *(rows)

static const Car CARS[] = {
    {{"examples/vehicles/vehicle14a.mo", "examples/vehicles/cars.mo#Cars.LaneChange"},
     STATES(VEHICLE14A),
     .time = 9.3},
    {{"examples/vehicles/vehicle14b.mo", "examples/vehicles/cars.mo#Cars.SineWithDwell"},
     STATES(VEHICLE14B),
     .time = 1.5},
    {{"examples/vehicles/vehicle56.mo", "examples/vehicles/cars.mo#Cars.Car56"},
     STATES(VEHICLE56),
     .time = 22.4},
    {{"examples/vehicles/bicycle3.mo", "examples/vehicles/cars.mo#Cars.Bicycle3"},
     STATES(BICYCLE3),
     .set = "Along=1.9 Blong=22 Alat=3.7 Blat=3.7 lambda=0.5",
     .inputs =
         {{"delta", 0.01}, {"wF", 45.5}, {"wR", 45.4}, {"xe", 0.02}, {"ye", 0.03}, {"psie", 0.04}}},
    {{"examples/vehicles/bicycle2.mo", "examples/vehicles/cars.mo#Cars.Bicycle2"},
     STATES(BICYCLE2),
     .inputs = {{"u", 0.5}}},
};
enum { CAR_COUNT = sizeof CARS / sizeof *CARS };

static const char *name_in(const StateRow *s, int form) {
  return form ? s->parts : s->array;
}

static void rates(const Car *c, int form, double *out) {
  char set[8192], select[8192], name[80];
  int n = snprintf(set, sizeof set, "%s", c->set ? c->set : ""), m = 0;
  for (int k = 0; k < c->count; k++) {
    const char *state = name_in(&c->states[k], form);
    n += snprintf(set + n, sizeof set - (size_t)n, " %s.start=%.17g", state,
                  c->states[k].base + 0.01 * sin(k + 1));
    m += snprintf(select + m, sizeof select - (size_t)m, "der(%s) ", state);
  }
  Run r = {0};
  Spec s = {.file = c->file[form],
            .set = set,
            .select = select,
            .start = c->time,
            .times = &c->time,
            .count = 1};
  bool ok = run_prepare(&r, &s);
  double times[2] = {c->time, c->time + 1};
  for (int i = 0; ok && i < INPUTS_MOST && c->inputs[i].name; i++) {
    double values[2] = {c->inputs[i].value, c->inputs[i].value};
    ok = entrain_simulation_input(r.simulation, c->inputs[i].name, times, values, 2, &r.error);
  }
  if (ok) r.result = entrain_simulation_run(r.simulation, &r.error);
  if (!r.result) fail_msg("%s: %s", c->file[form], r.error.text);
  assert_int_equal(entrain_model_count(r.model, ENTRAIN_STATE), c->count);
  assert_int_equal(entrain_model_warning_count(r.model), 0);
  for (int k = 0; k < c->count; k++) {
    snprintf(name, sizeof name, "der(%s)", name_in(&c->states[k], form));
    out[k] = value_at(&r, name, 0);
  }
  run_free(&r);
}

static void both_forms_have_the_derivatives_of_an_independent_translation(void **state) {
  (void)state;
  double with_arrays[STATES_MOST], with_parts[STATES_MOST];
  for (int i = 0; i < CAR_COUNT; i++) {
    const Car *c = &CARS[i];
    rates(c, 0, with_arrays);
    rates(c, 1, with_parts);
    for (int k = 0; k < c->count; k++) {
      assert_close_relative(with_arrays[k], c->states[k].rate, 1e-9);
      assert_close_relative(with_parts[k], c->states[k].rate, 1e-9);
      assert_close_relative(with_parts[k], with_arrays[k], 1e-11);
    }
  }
}

// ---------------------------------------------------------------- motions

enum { COLUMNS_MOST = 9, ROWS_MOST = 24 };

static const char *const NAMES_14A[FORMS][COLUMNS_MOST] = {
    {"X", "Y", "psi", "vxg", "der(psi)", "", "", "phi", "theta"},
    {"chassis.X", "chassis.Y", "chassis.psi", "chassis.vxg", "der(chassis.psi)", "wF", "wR",
     "chassis.phi", "chassis.theta"},
};
static const int DIGITS_14A[COLUMNS_MOST] = {6, 6, 7, 6, 7, 6, 6, 5, 5}; // printed decimals
static const double ROWS_14A[][1 + COLUMNS_MOST] = {
    {0, 0, 0, 0, 4.0, 0, 12.121212, 12.121212, 0, 0},
    {2.0, 9.579944, 0, 0, 6.495407, 0, 19.788492, 19.777262, 0, -0.01022},
    {4.0, 26.564191, 0, 0, 10.488843, 0, 31.956025, 31.938032, 0, -0.01008},
    {6.0, 51.535317, 0, 0, 14.482284, 0, 44.122723, 44.097879, 0, -0.01008},
    {8.0, 82.914399, 0, 0, 15.981044, 0, 48.4274, 48.428541, 0, -0.00014},
    {10.0, 114.854739, 0.767354, 0.068202, 15.973079, 0.0359398, 48.401591, 48.403584, 0.01107,
     -0.00023},
    {12.0, 146.720974, 2.939249, 0.0347939, 15.966966, -0.0495426, 48.381901, 48.38479, -0.01335,
     -0.00023},
    {14.0, 178.645354, 3.227956, 4.03e-05, 15.963047, -5.7e-06, 48.372316, 48.373439, 0, -0.00027},
    {16.0, 209.009656, 3.229175, 3.97e-05, 13.495671, 0, 40.717207, 40.652928, 0, 0.00971},
    {18.0, 232.05119, 3.23009, 3.97e-05, 9.545805, 0, 28.800197, 28.755095, 0, 0.0096},
    {20.0, 247.274945, 3.230695, 3.97e-05, 6.088888, 0, 18.471521, 18.471902, 0, 0.00068},
    {22.0, 259.45262, 3.231178, 3.97e-05, 6.088622, 0, 18.450182, 18.450609, 0, -0.00027},
};

static const char *const NAMES_14B[FORMS][COLUMNS_MOST] = {
    {"usw", "beta", "der(psi)", "vxg", "ayg", "phi"},
    {"usw", "chassis.beta", "der(chassis.psi)", "chassis.vxg", "chassis.ayg", "chassis.phi"},
};
static const int DIGITS_14B[COLUMNS_MOST] = {6, 7, 7, 5, 5, 5}; // printed decimals
static const double ROWS_14B[][1 + COLUMNS_MOST] = {
    {0, 0, 0, 0, 22.22222, 0, 0},
    {1.25, 0.891007, -0.0036378, 0.1589498, 22.19863, 2.15182, 0.02092},
    {1.5, 0.809017, -0.0250716, 0.2537279, 22.17744, 3.87238, 0.06487},
    {1.75, -0.156434, -0.0305006, 0.0721126, 22.18158, 2.68826, 0.06212},
    {2.0, -0.951057, -0.0025874, -0.2165017, 22.19901, -1.44025, -0.00049},
    {2.25, -1.0, 0.0299764, -0.285692, 22.17256, -4.46585, -0.07271},
    {2.5, -1.0, 0.0392336, -0.2369023, 22.15061, -5.20806, -0.08755},
    {2.75, -0.707107, 0.0367963, -0.1940104, 22.15187, -4.6718, -0.0828},
    {3.0, 0, 0.0248956, -0.0246037, 22.18175, -2.64862, -0.05574},
    {3.5, 0, -0.002678, 0.0087652, 22.20396, 0.19028, 0.00478},
    {4.0, 0, 0.0002711, -0.0015994, 22.20503, -0.00876, -0.00027},
    {5.0, 0, 4e-07, -3.52e-05, 22.20509, 0.00045, 1e-05},
    {6.0, 0.7, -0.0173065, 0.16513, 22.18912, 3.13462, 0.04909},
    {8.0, 0.7, -0.0233435, 0.1672845, 22.17681, 3.71089, 0.0619},
    {10.0, 0.7, -0.0233374, 0.1673063, 22.17682, 3.71032, 0.06188},
    {20.0, 0.7, -0.0233374, 0.1673062, 22.17682, 3.71032, 0.06188},
    {105.0, 0.7, -0.0233374, 0.1673062, 22.17682, 3.71032, 0.06188},
};

static const char *const NAMES_56[FORMS][COLUMNS_MOST] = {
    {"u", "om[1]", "om[2]", "om[3]", "om[4]", "we", "Te", "theta", "Y"},
    {"chassis.u", "corner[1].om", "corner[2].om", "corner[3].om", "corner[4].om", "engine.w",
     "engine.T", "chassis.theta", "chassis.Y"},
};
static const int DIGITS_56[COLUMNS_MOST] = {6, 5, 5, 5, 5, 3, 4, 6, 6}; // printed decimals
static const double ROWS_56[][1 + COLUMNS_MOST] = {
    {0, 0, 0, 0, 0, 0, 90.0, 0, 0, 0},
    {1.0, 0.668256, 2.18958, 2.18958, 2.18539, 2.18539, 49.675, 80.1088, -0.011176, 0},
    {2.0, 1.920518, 6.19105, 6.19105, 6.19233, 6.19233, 80.416, 16.8257, -0.001948, 0},
    {4.0, 3.089754, 10.00328, 10.00328, 10.0051, 10.0051, 130.361, 50.8548, -0.005047, 0},
    {5.9, 5.049982, 16.29146, 16.29146, 16.29426, 16.29426, 216.147, 50.4644, -0.004806, 0},
    {6.5, 5.692516, 18.37361, 18.37361, 18.38178, 18.38178, 134.434, 30.3163, -0.003263, 0},
    {10.0, 9.0179, 29.19312, 29.19312, 29.19846, 29.19846, 211.44, 78.5824, -0.005016, 0},
    {11.9, 10.933178, 35.29197, 35.29197, 35.29749, 35.29749, 263.571, 79.8141, -0.004792, 0},
    {12.5, 11.558136, 37.30259, 37.30259, 37.31749, 37.31749, 182.272, 65.8897, -0.004933, 0},
    {16.0, 14.862449, 48.11848, 48.11848, 48.12691, 48.12691, 235.739, 114.9136, -0.005157, 0},
    {20.0, 18.906635, 61.21795, 61.21795, 61.22822, 61.22822, 299.448, 117.3662, -0.005286, 0},
    {21.6, 19.406589, 62.62401, 62.62401, 62.63019, 62.63019, 304.699, 20.352, -0.00082, 0},
    {22.2, 18.966291, 58.61778, 58.62869, 60.25179, 60.25429, 299.404, -13.9053, 0.005916, 1e-06},
    {22.5, 16.28537, 50.14646, 50.1702, 46.29009, 46.42811, 262.59, -27.7195, 0.045567, 8.3e-05},
    {23.0, 11.360659, 35.03805, 35.05511, 34.9069, 34.92775, 196.061, -24.5237, 0.037373, 0.001307},
    {23.5, 6.483566, 19.70887, 19.72181, 19.40468, 19.41293, 138.462, -20.969, 0.039949, 0.003278},
    {24.0, 1.654353, 4.94502, 4.95044, 5.04621, 5.04764, 88.662, -17.6015, 0.036866, 0.004041},
    {24.3, -0.085916, -0.04715, -0.04795, -0.10397, -0.10461, 83.503, 4.999, 0.019092, 0.004091},
    {24.6, 0.01217, -0.0205, -0.02056, -0.01356, -0.01364, 84.227, -0.0448, -0.009478, 0.004094},
};

typedef struct Motion { // of an independent integrator (BDF, relative tolerance 1e-10), printed
  const Car *car;
  const char *const (*names)[COLUMNS_MOST]; // by form; "": that form has no such variable
  const int *digits;
  const double (*rows)[1 + COLUMNS_MOST]; // time first
  int count;
  double slack; // units of the last printed digit
} Motion;

#define MOTION(number, name, units)                                                                \
  {                                                                                                \
    &CARS[number], NAMES_##name, DIGITS_##name, ROWS_##name,                                       \
        sizeof ROWS_##name / sizeof *ROWS_##name, units                                            \
  }

static const Motion MOTIONS[] = {MOTION(0, 14A, 2), MOTION(1, 14B, 2), MOTION(2, 56, 5)};

static void follows(const Motion *m, int form) {
  double times[ROWS_MOST];
  char select[1024] = "";
  int n = 0;
  for (int i = 0; i < m->count; i++) times[i] = m->rows[i][0];
  for (int k = 0; k < COLUMNS_MOST && m->names[form][k]; k++)
    n += snprintf(select + n, sizeof select - (size_t)n, "%s ", m->names[form][k]);
  Run r = simulate_fully(.file = m->car->file[form], .options = "rel_tol=1e-9", .times = times,
                         .count = m->count, .select = select);
  for (int k = 0; k < COLUMNS_MOST && m->names[form][k]; k++)
    for (int i = 0; m->names[form][k][0] && i < m->count; i++)
      if (fabs(value_at(&r, m->names[form][k], i) - m->rows[i][1 + k]) >
          m->slack * pow(10, -m->digits[k]))
        fail_msg("%s at %g: %.9g instead of %.9g", m->names[form][k], times[i],
                 value_at(&r, m->names[form][k], i), m->rows[i][1 + k]);
  run_free(&r);
}

static void motions_are_those_of_an_independent_integrator(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof MOTIONS / sizeof *MOTIONS; i++)
    for (int form = 0; form < FORMS; form++) follows(&MOTIONS[i], form);
}

// ---------------------------------------------------------------- fixed steps

enum { BRAKING = 501 };
static const char WHEELS[] = "om[1] om[2] om[3] om[4]", *const WHEEL[] = {"om[1]", "om[2]", "om[3]",
                                                                          "om[4]"};

static Run braking(const char *options) {
  double times[BRAKING];
  for (int i = 0; i < BRAKING; i++) times[i] = 21.6 + 0.006 * i;
  return simulate(.file = CARS[2].file[0], .options = options, .times = times, .count = BRAKING,
                  .select = WHEELS);
}

typedef struct WheelError {
  double most, rms;
} WheelError;

static WheelError wheel_error(const Run *exact, const char *options) {
  Run r = braking(options);
  WheelError e = {0};
  assert_int_equal(entrain_result_rows(r.result), BRAKING);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < BRAKING; i++) {
      double d = value_at(&r, WHEEL[k], i) - value_at(exact, WHEEL[k], i);
      e.most = fmax(e.most, fabs(d));
      e.rms += d * d / (4 * BRAKING);
    }
  e.rms = sqrt(e.rms);
  run_free(&r);
  return e;
}

// The limit of RK4 is a step of 0.99 ms where the fastest eigenvalue is -2739 1/s.
static void fixed_steps_have_the_errors_of_the_specification(void **state) {
  (void)state;
  Run exact = braking("rel_tol=1e-9"), unstable = braking("solver=rk4 fixed_step=0.0012");
  assert_true(entrain_result_outcome(unstable.result) != ENTRAIN_REACHED_END);
  assert_true(wheel_error(&exact, "solver=rk4 fixed_step=0.001").most < 5e-5);
  WheelError e =
      wheel_error(&exact, "solver=semi-implicit-euler fixed_step=0.003 jacobian_every=10");
  assert_close(e.most, 0.47, 0.01);
  assert_close(e.rms, 0.070, 0.001);
  run_free(&unstable);
  run_free(&exact);
}

// ---------------------------------------------------------------- weights of case B

typedef struct Weighted {
  double early; // share of the weight until 5 s
  double least, most;
} Weighted;

static Weighted weighted(const char *path) {
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = entrain_problem_load(path, NULL, 0, &error);
  if (!p) fail_msg("%s", error.text);
  int n = entrain_weights_samples(p, 0, NULL, NULL);
  double *t = malloc((size_t)n * sizeof *t), *w = malloc((size_t)n * sizeof *w), sum = 0;
  Weighted out = {0, HUGE_VAL, 0};
  entrain_weights_samples(p, 0, t, w);
  for (int i = 0; i < n; i++) {
    sum += w[i];
    if (t[i] <= 5) out.early += w[i];
    out.least = fmin(out.least, w[i]);
    out.most = fmax(out.most, w[i]);
  }
  out.early /= sum;
  free(t);
  free(w);
  entrain_problem_free(p);
  return out;
}

static void rare_motions_have_the_weights_of_the_specification(void **state) {
  (void)state;
  assert_close(weighted("examples/bicycle_weights/problem.yaml").early, 0.048, 0.0005);
  assert_close(weighted("examples/bicycle_weights/grid.yaml").early, 0.822, 0.005);
  assert_close(weighted("examples/bicycle_weights/ellipses.yaml").early, 0.871, 0.005);
  Weighted w = weighted("examples/bicycle_weights/distances.yaml");
  assert_close(w.early, 0.461, 0.005);
  assert_close(w.least, 0.520, 0.001);
  assert_close(w.most, 20.1, 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_forms_have_the_derivatives_of_an_independent_translation),
      cmocka_unit_test(motions_are_those_of_an_independent_integrator),
      cmocka_unit_test(fixed_steps_have_the_errors_of_the_specification),
      cmocka_unit_test(rare_motions_have_the_weights_of_the_specification),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
