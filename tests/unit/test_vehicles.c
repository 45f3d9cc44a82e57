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

typedef struct Point {
  const char *array, *parts;
  double time, value, tolerance; // times rise
} Point;

static void follows(const Car *c, const char *options, const Point *points, int count) {
  for (int form = 0; form < FORMS; form++) {
    double times[16];
    char select[1024] = "";
    int m = 0, n = 0;
    for (int i = 0; i < count; i++) {
      const char *name = form ? points[i].parts : points[i].array;
      if (!n || points[i].time > times[n - 1]) times[n++] = points[i].time;
      if (!strstr(select, name)) m += snprintf(select + m, sizeof select - (size_t)m, "%s ", name);
    }
    Run r = simulate_fully(.file = c->file[form], .options = options, .times = times, .count = n,
                           .select = select);
    for (int i = 0, row = 0; i < count; i++) {
      if (points[i].time > times[row]) row++;
      assert_close(value_at(&r, form ? points[i].parts : points[i].array, row), points[i].value,
                   points[i].tolerance);
    }
    run_free(&r);
  }
}

static void lane_change_ends_where_an_independent_integrator_ends(void **state) {
  (void)state;
  static const Point POINTS[] = {{"vxg", "chassis.vxg", 8, 15.981044, 1e-5},
                                 {"psi", "chassis.psi", 12, 0.0347939, 2e-7},
                                 {"X", "chassis.X", 22, 259.452620, 1e-5},
                                 {"Y", "chassis.Y", 22, 3.231178, 1e-5},
                                 {"vxg", "chassis.vxg", 22, 6.088622, 1e-5}};
  follows(&CARS[0], "rel_tol=1e-9", POINTS, 5);
}

static void sine_with_dwell_and_circle(void **state) {
  (void)state;
  static const Point POINTS[] = {{"der(psi)", "der(chassis.psi)", 2.25, -0.2856920, 1e-6},
                                 {"phi", "chassis.phi", 2.5, -0.08755, 1e-5},
                                 {"der(psi)", "der(chassis.psi)", 20, 0.1673062, 2e-7},
                                 {"beta", "chassis.beta", 20, -0.0233374, 2e-7},
                                 {"ayg", "chassis.ayg", 20, 3.71032, 1e-5}};
  follows(&CARS[1], "rel_tol=1e-9", POINTS, 5);
}

static void wheels_of_the_braking_car(void **state) {
  (void)state;
  static const Point POINTS[] = {{"we", "engine.w", 6.5, 134.434, 1e-3},
                                 {"u", "chassis.u", 21.6, 19.406589, 1e-5},
                                 {"om[1]", "corner[1].om", 22.5, 50.14646, 1e-4},
                                 {"om[2]", "corner[2].om", 22.5, 50.17020, 1e-4},
                                 {"om[3]", "corner[3].om", 22.5, 46.29009, 1e-4},
                                 {"om[4]", "corner[4].om", 22.5, 46.42811, 1e-4},
                                 {"om[1]", "corner[1].om", 23, 35.03805, 1e-4}};
  follows(&CARS[2], "rel_tol=1e-8", POINTS, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_forms_have_the_derivatives_of_an_independent_translation),
      cmocka_unit_test(lane_change_ends_where_an_independent_integrator_ends),
      cmocka_unit_test(sine_with_dwell_and_circle),
      cmocka_unit_test(wheels_of_the_braking_car),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
