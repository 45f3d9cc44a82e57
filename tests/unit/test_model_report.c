#include "report/model_report.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "model/system.h"
#include "test.h"
#include "write/listing.h"

// ---------------------------------------------------------------- set-up

typedef struct Loaded {
  Arena *arena;
  Model *m;
  Err err;
} Loaded;

static Loaded load_source(Arena *a, const Source *s, const Override *overrides, int count) {
  Loaded l = {.arena = a};
  const AstModel *ast = s ? parse_model(a, s, &l.err) : NULL;
  l.m = ast ? model_new(s, ast, overrides, count, &l.err) : NULL;
  if (!l.m) fail_msg("%d:%d: %s\n%s", l.err.line, l.err.column, l.err.text, l.err.excerpt);
  return l;
}

static Loaded load_with(const char *text, const Override *overrides, int count) {
  Arena *a = arena_new();
  Err err = {0};
  return load_source(a, source_new(a, "<text>", text, strlen(text), &err), overrides, count);
}

static Loaded load(const char *text) {
  return load_with(text, NULL, 0);
}

static void unload(Loaded *l) {
  model_free(l->m);
  arena_free(l->arena);
}

static char *report(Model *m, ModelReport what) { // freed by the caller
  Text t;
  text_init(&t);
  model_report(&t, m, what);
  return t.at;
}

static void has(const char *text, const char *words) {
  if (!strstr(text, words)) fail_msg("'%s' is not in:\n%s", words, text);
}

static void report_has(const char *model, ModelReport what, const char *words) {
  Loaded l = load(model);
  char *text = report(l.m, what);
  has(text, words);
  free(text);
  unload(&l);
}

// A model with everything in it that a report can show.
static const char RICH[] =
    "model Rich \"all kinds of things; \\\"quoted\\\"\\nand on two lines, größer\"\n"
    "  constant Real pi = 3.14;\n"
    "  parameter Real a(min = 0, max = 5, unit = \"kg\") = 2 \"mass \\\\ \\t tab\";\n"
    "  parameter Real b = 2*a \"twice\";\n"
    "  parameter Integer n = 3;\n"
    "  parameter Boolean on = true;\n"
    "  input Real u(start = 0.5, unit = \"N\") \"force\";\n"
    "  Real x(start = b, fixed = true, nominal = 10);\n"
    "  Real 'odd \\' name'(start = 1);\n"
    "  Real s(start = 1, max = 7);\n"
    "  output Real y \"measured\";\n"
    "  Real z; Real w; Real p; Real q; Real k = 4; Real e = -x;\n"
    "  Boolean late = time > 1;\n"
    "initial equation\n"
    "  der(s) = 0;\n"
    "equation\n"
    "  a*der(x) = u - x*abs(x) + (if late and on then n else 0);\n"
    "  der('odd \\' name') = -'odd \\' name' + floor(x);\n"
    "  der(s) = a - s;\n"
    "  y = x^2 + w;\n"
    "  z + exp(w) = x; w - 0.5*sin(z) = a;\n"
    "  (5 + x^2)*p + q = 1; p - (4 + x^2)*q = pi;\n"
    "end Rich;\n";

// A pendulum in Cartesian coordinates; its constraint is in line 8.
static const char ROD[] =
    "model Rod parameter Real L = 1; parameter Real m = 2;\n"
    "Real x(start = 0.6, fixed = true); Real y(start = -1); Real vx; Real vy; Real F;\nequation\n"
    "der(x) = vx;\nder(y) = vy;\nm*der(vx) = -F*x;\nm*der(vy) = -F*y - 9.81*m;\n"
    "x^2 + y^2 = L^2;\nend Rod;\n";

// Each of the constraints in lines 8, 9 and 10 follows from the others.
static const char TRIPLE[] = "model Triple Real x(start = 1); Real y(start = 2); Real z(start = "
                             "3); Real u; Real v; Real w;\n"
                             "Real a; Real b; Real c;\nequation\n"
                             "der(x) = u; der(y) = v; der(z) = w;\n"
                             "der(u) = a + c - x; der(v) = b + c; der(w) = b - c;\n"
                             "\n\n"
                             "x = 2*y;\n"
                             "y^2 + z = 4 + 0.1*sin(time);\n"
                             "x*y + 2*z = 8 + 0.2*sin(time);\n"
                             "end Triple;\n";

// Index 5, an algebraic variable that is differentiated, and a constraint that is too long to be written out.
static const char DEEP[] =
    "model Deep Real a; Real b; Real c; Real d; Real u; Real r; equation\n"
    "der(a) = b; der(b) = c; der(c) = d; der(d) = u;\n"
    "r = sin(a)*(1 + exp(-a)*cos(a^2 + 1))*(2 + sqrt(1 + a^2)); r = time/(1 + time);\nend Deep;\n";

static const char *const CONSTRAINED[] = {ROD, TRIPLE, DEEP};

// ---------------------------------------------------------------- all models

typedef void Check(const char *name, Model *m);

static int is_model(const struct dirent *d) {
  size_t n = strlen(d->d_name);
  return n > 3 && strcmp(d->d_name + n - 3, ".mo") == 0;
}

// Tests run in the root of the tree.
static void for_all_models(Check *check) {
  struct dirent **list;
  int count = scandir("models", &list, is_model, alphasort);
  assert_true(count > 10);
  for (int i = 0; i < count; i++) {
    Arena *a = arena_new();
    Err err = {0};
    Loaded l =
        load_source(a, source_load(a, arena_print(a, "models/%s", list[i]->d_name), &err), NULL, 0);
    check(list[i]->d_name, l.m);
    unload(&l);
    free(list[i]);
  }
  free(list);
  Loaded rich = load(RICH);
  check("Rich", rich.m);
  unload(&rich);
  Loaded empty = load("model Empty end Empty;");
  check("Empty", empty.m);
  unload(&empty);
  for (size_t i = 0; i < sizeof CONSTRAINED / sizeof *CONSTRAINED; i++) {
    Loaded l = load(CONSTRAINED[i]);
    check(l.m->flat->name, l.m);
    unload(&l);
  }
}

// ---------------------------------------------------------------- summary

static void check_width(const char *name, Model *m) {
  char *text = report(m, MODEL_SUMMARY), *rest = text, *line;
  has(text, m->flat->name);
  while ((line = strsep(&rest, "\n"))) {
    if (listing_width(line) > 100) fail_msg("%s: a long line: %s", name, line);
    for (const char *c = line; *c; c++) assert_true((unsigned char)*c >= ' ');
    size_t n = strlen(line);
    if (n && line[n - 1] == ' ') fail_msg("%s: a blank at the end of: %s|", name, line);
  }
  free(text);
}

static void no_line_of_the_summary_is_wider_than_the_terminal(void **state) {
  (void)state;
  for_all_models(check_width);
}

static void the_summary_names_what_there_is(void **state) {
  (void)state;
  Loaded l = load(RICH);
  char *text = report(l.m, MODEL_SUMMARY);
  has(text,
      "3 states, 4 parameters (1 dependent), 1 input, 1 output, 8 algebraic variables, 2 events");
  has(text, "= 2*a");
  has(text, "0 .. 5");
  has(text, "<= 7");
  has(text, "nonlinear system of 2");
  has(text, "linear system of 2");
  has(text, "alias of -x");
  has(text, "constant");
  has(text, "computed from 1 initial equation");
  has(text, "1 fixed, 1 assumed");
  has(text, "time > 1");
  has(text, "floor(x)");
  has(text, "größer");
  free(text);
  unload(&l);
}

static void long_lists_are_cut_in_the_summary_only(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  text_add(&t, "model Long\n");
  for (int i = 0; i < 200; i++) text_print(&t, "  Real x%d(start = %d, fixed = true);\n", i, i);
  text_add(&t, "equation\n");
  for (int i = 0; i < 200; i++) text_print(&t, "  der(x%d) = -x%d;\n", i, i);
  text_add(&t, "end Long;\n");
  Loaded l = load(t.at);
  char *summary = report(l.m, MODEL_SUMMARY), *json = report(l.m, MODEL_JSON),
       *equations = report(l.m, MODEL_EQUATIONS);
  has(summary, "... and 170 more");
  assert_null(strstr(summary, "x199"));
  has(json, "\"x199\"");
  has(equations, "der(x199) := -x199");
  free(summary), free(json), free(equations);
  unload(&l);
  text_done(&t);
}

// ---------------------------------------------------------------- flat

static void same_motion(const char *name, Model *a, Model *b) {
  assert_int_equal(a->nx, b->nx);
  assert_int_equal(a->np, b->np);
  SystemSpec spec = {.lanes = 1};
  System *s[] = {system_new(a, &spec), system_new(b, &spec)};
  Model *m[] = {a, b};
  double *y[2], *dx[2];
  for (int k = 0; k < 2; k++) {
    SystemWork *w = system_work_new(s[k]);
    double *p = calloc((size_t)m[k]->np + 1, sizeof *p);
    for (int i = 0; i < m[k]->np; i++) p[i] = m[k]->flat->parameters.at[i].value;
    y[k] = calloc((size_t)m[k]->nx + 1, sizeof(double));
    dx[k] = calloc((size_t)m[k]->nx + 1, sizeof(double));
    system_set_parameters(w, p);
    system_start(w, 0.25, y[k]);
    for (int i = 0; i < m[k]->nx; i++) y[k][i] += 0.01 * (i % 7);
    system_rhs(w, 0.25, y[k], dx[k]);
    system_work_free(w);
    system_free(s[k]);
    free(p);
  }
  size_t bytes = (size_t)a->nx * sizeof(double);
  if (memcmp(y[0], y[1], bytes) || memcmp(dx[0], dx[1], bytes))
    fail_msg("%s: the flat model is another", name);
  for (int k = 0; k < 2; k++) free(y[k]), free(dx[k]);
}

static void check_flat(const char *name, Model *m) {
  char *text = report(m, MODEL_FLAT);
  Loaded again = load(text);
  char *second = report(again.m, MODEL_FLAT);
  assert_string_equal(text, second);
  same_motion(name, m, again.m);
  free(text), free(second);
  unload(&again);
}

static void the_flat_text_is_the_same_model_again(void **state) {
  (void)state;
  for_all_models(check_flat);
}

static void the_flat_text_has_the_values_that_were_set(void **state) {
  (void)state;
  const char *text =
      "model S parameter Real a = 1; parameter Real b = 2*a; parameter Boolean on = true;\n"
      "  parameter Real untouched = 1/3; Real x(start = 1, fixed = true, min = -9); Real y(fixed = "
      "true);\n"
      "equation der(x) = if on then a*b*untouched else -1; der(y) = x; end S;";
  const Override set[] = {{"a", -0.1}, {"b", 7}, {"on", 0}, {"x.start", 1e-20}, {"y.start", 3}};
  Loaded l = load_with(text, set, 5);
  char *flat = report(l.m, MODEL_FLAT);
  has(flat, "a = -0.1;");
  has(flat, "b = 7;");
  has(flat, "on = false;");
  has(flat, "start = 1e-20");
  has(flat, "start = 3");
  has(flat, "untouched = 1/3;");
  check_flat("S", l.m);
  Loaded again = load(flat);
  for (int k = 0; k < l.m->np; k++)
    assert_close(again.m->flat->parameters.at[k].value, l.m->flat->parameters.at[k].value, 0);
  free(flat);
  unload(&again);
  unload(&l);
}

// ---------------------------------------------------------------- equations

static void check_equations(const char *name, Model *m) {
  char *text = report(m, MODEL_EQUATIONS);
  for (int j = 0; j < m->unknown_count; j++)
    if (!strstr(text, m->unknowns[j].name))
      fail_msg("%s: %s is missing", name, m->unknowns[j].name);
  free(text);
}

static void the_equations_name_every_unknown(void **state) {
  (void)state;
  for_all_models(check_equations);
}

static void equations_are_shown_solved_for_their_unknown(void **state) {
  (void)state;
  const char *text = "model E parameter Real m = 1; Real x(start = 1, fixed = true); Real v(start "
                     "= 0, fixed = true); Real y;\n"
                     "Real z; Real r;\nequation\nder(x) = v;\nm*der(v) = -x - v;\n0 = y - x;\n3 = "
                     "z;\nx + 2*r = m;\nend E;";
  report_has(text, MODEL_EQUATIONS, "der(x) := v  // line 4\n");
  report_has(text, MODEL_EQUATIONS, "der(v) := (-x - v)/m  // line 5\n");
  report_has(text, MODEL_EQUATIONS, "y := x  // line 6: 0 = y - x\n");
  report_has(text, MODEL_EQUATIONS, "z := 3  // line 7\n");
  report_has(text, MODEL_EQUATIONS, "  // line 8: x + 2*r = m\n");
}

static void systems_are_shown_with_what_they_are_solved_for(void **state) {
  (void)state;
  Loaded l = load(RICH);
  char *text = report(l.m, MODEL_EQUATIONS);
  has(text, "linear system of 2, solved for ");
  has(text, "nonlinear system of 2, iterated on ");
  has(text, "(5 + x^2)*p + q = 1");
  has(text, "mode1 = ");
  free(text);
  unload(&l);
}

// ---------------------------------------------------------------- JSON

// Follows the grammar of JSON; NULL when the text does not.
static const char *json_value(const char *s);
static const char *blanks(const char *s) {
  return s + strspn(s, " \n\t\r");
}

static const char *json_string(const char *s) {
  if (*s++ != '"') return NULL;
  for (; *s != '"'; s++) {
    if ((unsigned char)*s < ' ') return NULL; // the end of the text too
    if (*s != '\\') continue;
    s++;
    if (*s == 'u')
      s += strspn(s + 1, "0123456789abcdefABCDEF") >= 4 ? 4 : -1;
    else if (!strchr("\"\\/bfnrt", *s))
      return NULL;
  }
  return s + 1;
}

static const char *json_list(const char *s, char end, bool keys) {
  s = blanks(s + 1);
  if (*s == end) return s + 1;
  for (;;) {
    if (keys) {
      s = json_string(s);
      if (!s || *(s = blanks(s)) != ':') return NULL;
      s = blanks(s + 1);
    }
    s = json_value(s);
    if (!s) return NULL;
    s = blanks(s);
    if (*s == end) return s + 1;
    if (*s != ',') return NULL;
    s = blanks(s + 1);
  }
}

static const char *json_value(const char *s) {
  static const char *const WORDS[] = {"true", "false", "null"};
  if (*s == '{') return json_list(s, '}', true);
  if (*s == '[') return json_list(s, ']', false);
  if (*s == '"') return json_string(s);
  for (int i = 0; i < 3; i++)
    if (strncmp(s, WORDS[i], strlen(WORDS[i])) == 0) return s + strlen(WORDS[i]);
  if (*s != '-' && !isdigit((unsigned char)*s)) return NULL;
  return s + strspn(s, "+-.0123456789eE");
}

static int count_of(const char *text, const char *words) {
  int count = 0;
  for (const char *s = text; (s = strstr(s, words)); s++) count++;
  return count;
}

static void check_json(const char *name, Model *m) {
  static const char *const MEMBERS[] = {"model",       "description", "states",        "parameters",
                                        "inputs",      "outputs",     "variables",     "structure",
                                        "events",      "operations",  "jacobian",      "warnings",
                                        "constraints", "multipliers", "start_residual"};
  char *text = report(m, MODEL_JSON);
  const char *end = json_value(text);
  if (!end || *blanks(end)) fail_msg("%s: no valid JSON: %s", name, text);
  for (size_t i = 0; i < sizeof MEMBERS / sizeof *MEMBERS; i++) {
    char key[40];
    snprintf(key, sizeof key, "\n  \"%s\": ", MEMBERS[i]);
    assert_int_equal(count_of(text, key), 1);
  }
  assert_int_equal(count_of(text, "\"torn\": "), m->sorted.block_count);
  assert_int_equal(count_of(text, "\"start\": "), m->nx);
  assert_null(strstr(text, "inf"));
  free(text);
}

static void json_is_valid_and_complete(void **state) {
  (void)state;
  for_all_models(check_json);
}

static void bounds_that_are_not_given_are_null(void **state) {
  (void)state;
  report_has("model B Real x(start = 1, fixed = true, min = -2); equation der(x) = -x; end B;",
             MODEL_JSON, "\"min\": -2, \"max\": null");
}

// ---------------------------------------------------------------- graph

static void skip_quoted(const char **s) {
  for ((*s)++; **s != '"'; (*s)++) {
    assert_true(**s != 0);
    if (**s == '\\') (*s)++;
  }
}

static void check_dot(const char *name, Model *m) {
  char *text = report(m, MODEL_DOT);
  int depth = 0;
  for (const char *s = text; *s; s++) {
    if (*s == '"') skip_quoted(&s);
    depth += *s == '{' || *s == '[';
    depth -= *s == '}' || *s == ']';
  }
  if (depth) fail_msg("%s: brackets", name);
  assert_int_equal(count_of(text, "[label="), m->nx + m->nu + m->ne + m->sorted.block_count);
  assert_int_equal(count_of(text, "style=dashed"), m->nx);
  free(text);
}

static void the_graph_has_a_node_for_each_state_input_event_and_block(void **state) {
  (void)state;
  for_all_models(check_dot);
}

static void arrows_go_from_what_is_used_to_what_uses_it(void **state) {
  (void)state;
  const char *text =
      "model D Real x(start = 1, fixed = true); Real y; equation der(x) = y; y = 2*x; end D;";
  report_has(text, MODEL_DOT, "b1 [label=\"y\"]");
  report_has(text, MODEL_DOT, "x1 -> b1;");
  report_has(text, MODEL_DOT, "b1 -> b2;");
  report_has(text, MODEL_DOT, "b2 -> x1 [style=dashed];");
}

// ---------------------------------------------------------------- constraints

static void the_summary_tells_constraints_freedom_and_multipliers(void **state) {
  (void)state;
  report_has(ROD, MODEL_SUMMARY,
             "4 states, 2 parameters, 0 inputs, 0 outputs, 1 algebraic variable");
  report_has(ROD, MODEL_SUMMARY, "     8  x^2 + y^2 = L^2  twice\n");
  report_has(ROD, MODEL_SUMMARY, "free start values: 2 (4 states, 2 independent invariants)");
  report_has(ROD, MODEL_SUMMARY, "multipliers: F\n");
  report_has(ROD, MODEL_SUMMARY, "index 3\n");
  report_has(ROD, MODEL_SUMMARY, "1 fixed, 3 computed from the constraints\n");
  report_has(ROD, MODEL_SUMMARY, "the initial values satisfy the constraints\n");
}

static void variables_that_an_equation_defines_are_no_multipliers(void **state) {
  (void)state;
  report_has(
      "model R Real x(start = 0.6); Real y(start = -1); Real vx; Real vy; Real F; Real ax; Real "
      "E = vx^2;\nequation der(x) = vx; der(y) = vy; der(vx) = ax; ax = -F*x; der(vy) = -F*y - "
      "1; x^2 + y^2 = 1; end R;",
      MODEL_SUMMARY, "multipliers: F\n");
}

static void a_model_without_constraints_says_nothing_of_them(void **state) {
  (void)state;
  Loaded l = load(RICH);
  char *text = report(l.m, MODEL_SUMMARY);
  assert_null(strstr(text, "onstraint"));
  assert_null(strstr(text, "derivatives of"));
  free(text);
  unload(&l);
}

static void a_redundant_constraint_is_named_with_what_it_follows_from(void **state) {
  (void)state;
  report_has(TRIPLE, MODEL_SUMMARY, "redundant: line 9 follows from lines 8 and 10\n");
  report_has(TRIPLE, MODEL_SUMMARY, "free start values: 2 (6 states, 4 independent invariants)");
  report_has(TRIPLE, MODEL_SUMMARY, "multipliers: a, b, c (not unique");
  report_has(
      TRIPLE, MODEL_JSON,
      "\"differentiated\": 0, \"invariants\": 1, \"redundant\": true, \"follows_from\": [8, 10]}");
  report_has(TRIPLE, MODEL_EQUATIONS, ", redundant: left out\n");
}

static void start_values_that_contradict_a_constraint_are_told(void **state) {
  (void)state;
  const Override far[] = {{"x.start", 3}};
  Loaded l =
      load("model R Real x(start = 1, fixed = true); Real y(start = 1, fixed = true); Real u; "
           "Real v;\nReal F;\nequation der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y;\n"
           "x^2 + y^2 = 1; end R;");
  char *text = report(l.m, MODEL_SUMMARY);
  has(text, "the initial values violate the constraint in line 4 by 1\n");
  free(text);
  unload(&l);
  l = load_with(ROD, far, 1); // x = 3 cannot be reached by a rod of length 1
  text = report(l.m, MODEL_SUMMARY);
  assert_null(strstr(text, "the initial values satisfy"));
  free(text);
  unload(&l);
}

static void differentiated_equations_are_written_out(void **state) {
  (void)state;
  report_has(ROD, MODEL_EQUATIONS, "der(x) := vx  // line 4\n");
  report_has(ROD, MODEL_EQUATIONS, " = 0  // line 8, differentiated twice\n");
  report_has(ROD, MODEL_EQUATIONS, "x*der(der(x))");
  report_has(ROD, MODEL_EQUATIONS, "\nInvariants");
  report_has(ROD, MODEL_EQUATIONS, "  x^2 + y^2 = L^2  // line 8\n");
  report_has(ROD, MODEL_EQUATIONS, " = 0  // line 8, differentiated once\n");
  report_has(ROD, MODEL_EQUATIONS, "m*der(vx) = -F*x  // line 6\n");
  Loaded l = load(ROD);
  char *text = report(l.m, MODEL_EQUATIONS);
  assert_null(strstr(text, "stabilisation"));
  free(text);
  unload(&l);
}

static void long_derivatives_are_told_in_words(void **state) {
  (void)state;
  Loaded l = load(DEEP);
  char *text = report(l.m, MODEL_EQUATIONS), *rest = text, *line;
  has(text, "der(der(der(der(r = sin(a)*");
  while ((line = strsep(&rest, "\n"))) assert_true(strlen(line) < 4000);
  free(text);
  unload(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_line_of_the_summary_is_wider_than_the_terminal),
      cmocka_unit_test(the_summary_names_what_there_is),
      cmocka_unit_test(long_lists_are_cut_in_the_summary_only),
      cmocka_unit_test(the_flat_text_is_the_same_model_again),
      cmocka_unit_test(the_flat_text_has_the_values_that_were_set),
      cmocka_unit_test(the_equations_name_every_unknown),
      cmocka_unit_test(equations_are_shown_solved_for_their_unknown),
      cmocka_unit_test(systems_are_shown_with_what_they_are_solved_for),
      cmocka_unit_test(json_is_valid_and_complete),
      cmocka_unit_test(bounds_that_are_not_given_are_null),
      cmocka_unit_test(the_graph_has_a_node_for_each_state_input_event_and_block),
      cmocka_unit_test(arrows_go_from_what_is_used_to_what_uses_it),
      cmocka_unit_test(the_summary_tells_constraints_freedom_and_multipliers),
      cmocka_unit_test(variables_that_an_equation_defines_are_no_multipliers),
      cmocka_unit_test(a_model_without_constraints_says_nothing_of_them),
      cmocka_unit_test(a_redundant_constraint_is_named_with_what_it_follows_from),
      cmocka_unit_test(start_values_that_contradict_a_constraint_are_told),
      cmocka_unit_test(differentiated_equations_are_written_out),
      cmocka_unit_test(long_derivatives_are_told_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
