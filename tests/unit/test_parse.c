#include "instance/flat_model.h"
#include "lang/parse.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lang/ast_print.h"
#include "lang/parser.h"
#include "test.h"

static const AstModel *read_model(Arena *a, const char *text, Err *err) {
  const Source *s = source_new(a, "<text>", text, strlen(text), err);
  return s ? parse_model(a, s, err) : NULL;
}

static const Ast *read_expression(Arena *a, const char *text, Err *err) {
  const Source *s = source_new(a, "<text>", text, strlen(text), err);
  return s ? parse_expression(a, s, err) : NULL;
}

// ---- what is read ----

// Every operator in parentheses, so that the shape of the tree shows.
static void add_shape(Text *out, const Ast *e) {
  static const char *const OPS[] = {"",   "+",  "-",   "*",  "/",   "^",  "<",  "<=", ">",  ">=",
                                    "==", "<>", "and", "or", "not", ".+", ".-", ".*", "./", ".^"};
  if (e->kind == AST_UNARY || e->kind == AST_BINARY || e->kind == AST_IF) {
    text_print(out, "(%s", e->kind == AST_IF ? "if" : OPS[e->op]);
    for (int i = 0; i < e->arg_count; i++) {
      text_add(out, " ");
      add_shape(out, e->args[i]);
    }
    text_add(out, ")");
  } else if (e->kind == AST_CALL) {
    text_print(out, "%s[", e->name);
    for (int i = 0; i < e->arg_count; i++) {
      if (i) text_add(out, " ");
      add_shape(out, e->args[i]);
    }
    text_add(out, "]");
  } else {
    ast_print(out, e);
  }
}

static const struct {
  const char *text, *shape;
} SHAPES[] = {
    {"a + b + c", "(+ (+ a b) c)"},
    {"a - b - c", "(- (- a b) c)"},
    {"a / b / c", "(/ (/ a b) c)"},
    {"a * b / c * d", "(* (/ (* a b) c) d)"},
    {"a + b*c^d", "(+ a (* b (^ c d)))"},
    {"-a", "(- a)"},
    {"+a", "(+ a)"},
    {"-a + b", "(+ (- a) b)"},
    {"-a*b", "(- (* a b))"},
    {"-a^2", "(- (^ a 2))"},
    {"(-a)^2", "(^ (- a) 2)"},
    {"a^(-b)", "(^ a (- b))"},
    {"2^3*4", "(* (^ 2 3) 4)"},
    {"a < -b", "(< a (- b))"},
    {"a + 1 <= b*2", "(<= (+ a 1) (* b 2))"},
    {"not a == b", "(not (== a b))"},
    {"a or b and not c > d", "(or a (and b (not (> c d))))"},
    {"a and b or c and d", "(or (and a b) (and c d))"},
    {"a <> b or c >= d", "(or (<> a b) (>= c d))"},
    {"true and false", "(and true false)"},
    {"if a then b else c", "(if a b c)"},
    {"if a then b elseif c then d elseif e then f else g", "(if a b (if c d (if e f g)))"},
    {"if a then b else if c then d else e", "(if a b (if c d e))"},
    {"if a then if b then c else d else e", "(if a (if b c d) e)"},
    {"if a > 0 and b < 1 then -c else d + 1", "(if (and (> a 0) (< b 1)) (- c) (+ d 1))"},
    {"(if a then b else c) + 1", "(+ (if a b c) 1)"},
    {"der(x)", "der[x]"},
    {"initial()", "initial[]"},
    {"max(a, b + 1)*time", "(* max[a (+ b 1)] time)"},
    {"f(if a then b else c, g())", "f[(if a b c) g[]]"},
    {"'a b' + 'it\\'s'", "(+ 'a b' 'it\\'s')"},
    {"((((a))))", "a"},
    {"2.*x", "(* 2 x)"},
    {"a/*b*/+//c\nd", "(+ a d)"},
    {"2*wheel.tire[1, 2].R", "(* 2 wheel.tire[1, 2].R)"},
    {".a.b", ".a.b"},
    {"a[end] .* b .^ c", "(.* a[end] (.^ b c))"},
    {"a .+ b ./ c .- d", "(.- (.+ a (./ b c)) d)"},
    {"1:n + 1", "1:n + 1"},
    {"1:2:n", "1:2:n"},
    {"{1, {2, 3}}", "{1, {2, 3}}"},
    {"[1, 2; 3, 4]", "[1, 2; 3, 4]"},
    {"{i*j for i in 1:2, j in a}", "{i*j for i in 1:2, j in a}"},
    {"f(a, x = 1)", "f[a x = 1]"},
    {"sum(a for i in b)", "sum[a for i in b]"},
    {"f(function g(k = 2))", "f[function g(k = 2)]"},
    {"(a, , b)", "(a, , b)"},
    {"\"text\" + s", "(+ \"text\" s)"},
};

static void operators_bind_as_in_modelica(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
    Arena *a = arena_new();
    Err err = {0};
    const Ast *e = read_expression(a, SHAPES[i].text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(e);
    Text out;
    text_init(&out);
    add_shape(&out, e);
    assert_string_equal(out.at, SHAPES[i].shape);
    text_done(&out);
    arena_free(a);
  }
}

static void places_are_those_of_the_constructs(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Ast *e = read_expression(a, "  aa *\n sin(bb)", &err);
  assert_int_equal(e->line, 1);
  assert_int_equal(e->column, 6); // the operator
  assert_int_equal(e->args[0]->column, 3);
  assert_int_equal(e->args[1]->line, 2);
  assert_int_equal(e->args[1]->column, 2);
  assert_int_equal(e->args[1]->args[0]->column, 6);
  assert_int_equal(e->depth, 3);
  arena_free(a);
}

static const char PENDULUM[] =
    "within ;\n"
    "model Pendulum \"a simple\" + \" pendulum\"\n"
    "  import SI = Modelica.Units.SI;\n"
    "  parameter Real p(min = 0.1, final max = 200, unit = \"1/s2\") = 10 \"g/l\", q = 2*p;\n"
    "  constant Integer n = 3;\n"
    "  final parameter Boolean on = true annotation(Evaluate = true);\n"
    "  input SI.Force F(start = 0);\n"
    "  output Modelica.SIunits.Power P;\n"
    "  annotation(Icon(graphics = {Line(points = {{-1, 0}, {1, 0}}), Text(extent = [1, 2; 3, "
    "4])}));\n"
    "protected\n"
    "  Real theta(start = 0.5, fixed = true, stateSelect = StateSelect.prefer) \"angle\";\n"
    "public\n"
    "  Real omega(each start(unit = \"\") = 0) if on;\n"
    "initial equation\n"
    "  omega = 0;\n"
    "equation\n"
    "  der(theta) = omega \"definition\" annotation(x(y = \"(\"));\n"
    "  der(omega) + p*sin(theta) = if initial() then 0 else F;\n"
    "equation\n"
    "  P = F*omega;\n"
    "  annotation(experiment(StopTime = 50));\n"
    "end Pendulum;\n";

static char *without(const char *text, const char *part) {
  const char *at = strstr(text, part);
  assert_non_null(at);
  char *out = malloc(strlen(text) + 1);
  sprintf(out, "%.*s%s", (int)(at - text), text, at + strlen(part));
  return out;
}

static char *
good_model(void) { // the text above without its two constructs that are no part of level 1
  char *once = without(PENDULUM, " if on"), *twice = without(once, "(unit = \"\")");
  free(once);
  return twice;
}

static void a_model_has_its_parts(void **state) {
  (void)state;
  char *text = good_model();
  Arena *a = arena_new();
  Err err = {0};
  const AstModel *m = read_model(a, text, &err);
  assert_string_equal(err.text, "");
  assert_string_equal(m->name, "Pendulum");
  assert_string_equal(m->description, "a simple pendulum");
  assert_int_equal(m->declarations.count, 8);
  assert_int_equal(m->equations.count, 3);
  assert_int_equal(m->initial_equations.count, 1);
  static const struct {
    const char *name;
    AstRole role;
    AstType type;
    int attributes;
  } WANT[] = {
      {"p", AST_PARAMETER, AST_REAL, 3},    {"q", AST_PARAMETER, AST_REAL, 0},
      {"n", AST_CONSTANT, AST_INTEGER, 0},  {"on", AST_PARAMETER, AST_BOOLEAN, 0},
      {"F", AST_INPUT, AST_REAL, 3},        {"P", AST_OUTPUT, AST_REAL, 2}, // those of their types
      {"theta", AST_VARIABLE, AST_REAL, 3}, {"omega", AST_VARIABLE, AST_REAL, 1},
  };
  for (int i = 0; i < 8; i++) {
    const AstDeclaration *d = &m->declarations.at[i];
    assert_string_equal(d->name, WANT[i].name);
    assert_int_equal(d->role, WANT[i].role);
    assert_int_equal(d->type, WANT[i].type);
    assert_int_equal(d->attributes.count, WANT[i].attributes);
  }
  const AstDeclaration *p = &m->declarations.at[0];
  assert_string_equal(p->attributes.at[2].name, "unit");
  assert_int_equal(p->attributes.at[2].value->kind, AST_STRING);
  assert_string_equal(p->attributes.at[2].value->name, "1/s2");
  assert_close(p->binding->number, 10, 0);
  assert_string_equal(p->description, "g/l");
  assert_string_equal(m->declarations.at[1].description, "");
  assert_string_equal(m->declarations.at[6].attributes.at[2].value->name, "StateSelect.prefer");
  assert_string_equal(m->equations.at[0].description, "definition");
  assert_int_equal(p->line, 4);
  assert_int_equal(p->column, 18);
  assert_int_equal(m->equations.at[0].line, 17);
  arena_free(a);
  free(text);
}

static void smallest_models_are_read(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model M end M;",
      "model M equation end M;",
      "final encapsulated model M \"x\" end M;",
      "within A.B; model 'a b' end 'a b';",
      "model M Real x() ; equation x = 1; initial equation protected public equation end M;",
      "\xEF\xBB\xBFmodel M\r\n  Real x;\r\nequation\r\n  x = 1;\r\nend M;\r\n",
      "model M annotation(); equation annotation(a); end M;",
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
    Arena *a = arena_new();
    Err err = {0};
    const AstModel *m = read_model(a, TEXTS[i], &err);
    assert_string_equal(err.text, "");
    assert_non_null(m);
    arena_free(a);
  }
}

// ---- what is refused ----

typedef struct Refusal {
  const char *text;
  ErrCode code;
  int line, column;
  const char *message;
} Refusal;

static void check_error(const Refusal *r, const Err *err, const void *tree) {
  if (tree) print_error("accepted: %s\n", r->text);
  assert_null(tree);
  assert_string_equal(err->text, r->message);
  if (err->code != r->code || err->line != r->line || err->column != r->column)
    print_error("%s\n at %d:%d, code %d\n", r->text, err->line, err->column, (int)err->code);
  assert_int_equal(err->code, r->code);
  assert_int_equal(err->line, r->line);
  assert_int_equal(err->column, r->column);
}

static const Refusal EXPRESSIONS[] = {
    {"", ERR_SYNTAX, 1, 1, "the expression is empty"},
    {"a +", ERR_SYNTAX, 1, 4, "expected an expression, found the end of the text"},
    {"* a", ERR_SYNTAX, 1, 1, "expected an expression, found '*'"},
    {"a b", ERR_SYNTAX, 1, 3, "expected the end of the expression, found 'b'"},
    {"a = b", ERR_SYNTAX, 1, 3, "expected the end of the expression, found '='"},
    {"a^b^c", ERR_SYNTAX, 1, 4, "a^b^c needs parentheses in Modelica: write (a^b)^c or a^(b^c)"},
    {"a^-b", ERR_SYNTAX, 1, 3, "a sign after '^' needs parentheses, as in a^(-b)"},
    {"a*-b", ERR_SYNTAX, 1, 3, "a sign after '*' needs parentheses, as in a*(-b)"},
    {"a/+b", ERR_SYNTAX, 1, 3, "a sign after '/' needs parentheses, as in a/(+b)"},
    {"a + -b", ERR_SYNTAX, 1, 5, "a sign after '+' needs parentheses, as in a+(-b)"},
    {"--a", ERR_SYNTAX, 1, 2, "a sign after '-' needs parentheses, as in a-(-b)"},
    {"a < b < c", ERR_SYNTAX, 1, 7,
     "relations do not chain: write a < b and b < c instead of a < b < c"},
    {"a == b == c", ERR_SYNTAX, 1, 8,
     "relations do not chain: write a < b and b < c instead of a < b < c"},
    {"not not a", ERR_SYNTAX, 1, 5, "'not' inside a larger expression needs parentheses"},
    {"a == not b", ERR_SYNTAX, 1, 6, "'not' inside a larger expression needs parentheses"},
    {"1 + if a then b else c", ERR_SYNTAX, 1, 5,
     "'if' inside a larger expression needs parentheses"},
    {"(a + b", ERR_SYNTAX, 1, 7, "expected ')' for the '(' of 1:1, found the end of the text"},
    {"(a + b]", ERR_SYNTAX, 1, 7, "expected ')' for the '(' of 1:1, found ']'"},
    {"(2 a)", ERR_SYNTAX, 1, 3,
     "expected ')' for the '(' of 1:1, found 'a'; a product is written with *"},
    {"a + b)", ERR_SYNTAX, 1, 6, "expected the end of the expression, found ')'"},
    {"()", ERR_SYNTAX, 1, 2, "expected an expression, found ')'"},
    {"f(a,)", ERR_SYNTAX, 1, 5, "expected an expression, found ')'"},
    {"f(a", ERR_SYNTAX, 1, 4, "expected ')' for the '(' of 1:2, found the end of the text"},
    {"der x", ERR_SYNTAX, 1, 5, "expected '(' after 'der', found 'x'"},
    {"der", ERR_SYNTAX, 1, 4, "expected '(' after 'der', found the end of the text"},
    {"initial", ERR_SYNTAX, 1, 8, "expected '(' after 'initial', found the end of the text"},
    {"if a then b", ERR_SYNTAX, 1, 12,
     "expected 'else' in the if-expression, found the end of the text"},
    {"if a b", ERR_SYNTAX, 1, 6,
     "expected 'then' after the condition, found 'b'; a product is written with *"},
    {"if a = b then 1 else 2", ERR_SYNTAX, 1, 6,
     "expected 'then' after the condition, found '='; a comparison is written =="},
    {"(a = b)", ERR_SYNTAX, 1, 3,
     "expected ')' for the '(' of 1:1, found '='; a comparison is written =="},
    {"a end", ERR_SYNTAX, 1, 3, "expected the end of the expression, found 'end'"},
    {"a.", ERR_SYNTAX, 1, 3, "expected a name after the dot, found the end of the text"},
    {"1 + 1e999", ERR_LIMIT, 1, 5, "the number '1e999' is too large"},
};

static void wrong_expressions_get_a_sentence_and_a_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof EXPRESSIONS / sizeof *EXPRESSIONS; i++) {
    Arena *a = arena_new();
    Err err = {0};
    const Ast *e = read_expression(a, EXPRESSIONS[i].text, &err);
    check_error(&EXPRESSIONS[i], &err, e);
    arena_free(a);
  }
}

static const Refusal FILES[] = {
    {"", ERR_SYNTAX, 1, 1, "the text contains no model"},
    {" // nothing\n", ERR_SYNTAX, 2, 1, "the text contains no model"},
    {"modle M end M;", ERR_SYNTAX, 1, 1, "expected 'model' (is it misspelled?), found 'modle'"},
    {"x = 3;", ERR_SYNTAX, 1, 1, "expected 'model', found 'x'"},
    {"model", ERR_SYNTAX, 1, 6, "expected the name of the model, found the end of the text"},
    {"model model", ERR_SYNTAX, 1, 7,
     "expected the name of the model, found 'model', which is a reserved word of Modelica"},
    {"model M", ERR_SYNTAX, 1, 8, "expected 'end M;', found the end of the text"},
    {"model M\n  Real x;\n\n", ERR_SYNTAX, 2, 10, "expected 'end M;', found the end of the text"},
    {"model M end", ERR_SYNTAX, 1, 12,
     "expected the name of the model after 'end', found the end of the text"},
    {"model M end N;", ERR_SYNTAX, 1, 13, "the model 'M' ends with the name 'N'"},
    {"model M end M", ERR_SYNTAX, 1, 14,
     "expected ';' after the end of the model, found the end of the text"},
    {"model M end M; x", ERR_SYNTAX, 1, 16,
     "expected the end of the text or another class, found 'x'"},
    {"within x.; model M end M;", ERR_SYNTAX, 1, 10, "expected a name after the dot, found ';'"},
    {"partial model M end M;", ERR_MODEL, 1, 15,
     "the file contains no model that can be simulated: model 'M' is partial"},
    {"package P end P;", ERR_MODEL, 1, 9,
     "the file contains no model that can be simulated: package 'P' is none"},
    {"record R end R;", ERR_MODEL, 1, 8,
     "the file contains no model that can be simulated: record 'R' is none"},
    {"connector C end C;", ERR_MODEL, 1, 11,
     "the file contains no model that can be simulated: connector 'C' is none"},
    {"expandable connector C end C;", ERR_MODEL, 1, 22,
     "the file contains no model that can be simulated: connector 'C' is none"},
    {"type T = Real;", ERR_MODEL, 1, 6,
     "the file contains no model that can be simulated: type 'T' is none"},
    {"function f end f;", ERR_MODEL, 1, 10,
     "the file contains no model that can be simulated: function 'f' is none"},
    {"operator record R end R;", ERR_MODEL, 1, 17,
     "the file contains no model that can be simulated: record 'R' is none"},
    {"model extends M end M;", ERR_NAME, 1, 15, "there is no inherited class 'M' to extend"},
    {"model M = N(a = 3);", ERR_NAME, 1, 11, "there is no class 'N'"},
};

static void wrong_files_get_a_sentence_and_a_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    Arena *a = arena_new();
    Err err = {0};
    const AstModel *m = read_model(a, FILES[i].text, &err);
    check_error(&FILES[i], &err, m);
    arena_free(a);
  }
}

// Each stands in line 2 of a model.
static const Refusal DECLARATIONS[] = {
    {"Real x", ERR_SYNTAX, 2, 7, "expected ';' after the declaration, found 'equation'"},
    {"Real x y;", ERR_SYNTAX, 2, 7, "expected ';' after the declaration, found 'y'"},
    {"Real x = 2 y;", ERR_SYNTAX, 2, 11,
     "expected ';' after the declaration, found 'y'; a product is written with *"},
    {"Real;", ERR_SYNTAX, 2, 5, "expected the name of a variable, found ';'"},
    {"Real 3x;", ERR_SYNTAX, 2, 6, "'3x' is neither a number nor a name; a product is written 3*x"},
    {"Real in;", ERR_SYNTAX, 2, 6,
     "expected the name of a variable, found 'in', which is a reserved word of Modelica"},
    {"Real x,;", ERR_SYNTAX, 2, 8, "expected the name of a variable, found ';'"},
    {"Real x :=3;", ERR_SYNTAX, 2, 8, "a declaration is written with '=', not ':='"},
    {"Real x = ;", ERR_SYNTAX, 2, 10, "expected an expression, found ';'"},
    {"Rael x;", ERR_NAME, 2, 1, "there is no class 'Rael', the type of x; did you mean 'Real'?"},
    {"real x;", ERR_NAME, 2, 1, "there is no class 'real', the type of x; did you mean 'Real'?"},
    {"paramter Real x;", ERR_SYNTAX, 2, 1,
     "unknown type or keyword 'paramter'; did you mean 'parameter'?"},
    {"equations der(x) = 1;", ERR_SYNTAX, 2, 1,
     "unknown type or keyword 'equations'; did you mean 'equation'?"},
    {"parameter a = 3;", ERR_SYNTAX, 2, 11, "the type of 'a' is missing; write Real before it"},
    {"parameter a;", ERR_SYNTAX, 2, 11, "the type of 'a' is missing; write Real before it"},
    {"x = 3;", ERR_SYNTAX, 2, 1, "an equation among the declarations; write 'equation' before it"},
    {"der(x) = 3;", ERR_SYNTAX, 2, 1,
     "an equation among the declarations; write 'equation' before it"},
    {"-x = 3;", ERR_SYNTAX, 2, 1, "an equation among the declarations; write 'equation' before it"},
    {"then", ERR_SYNTAX, 2, 1, "expected a declaration, 'equation' or 'end', found 'then'"},
    {";", ERR_SYNTAX, 2, 1, "expected a declaration, 'equation' or 'end', found ';'"},
    {"Real x(start 1);", ERR_SYNTAX, 2, 14, "expected '=' after the attribute, found '1'"},
    {"Real x(start = 1;", ERR_SYNTAX, 2, 17, "expected ')' for the '(' of 2:7, found ';'"},
    {"Real x(start = 1 min = 2);", ERR_SYNTAX, 2, 17,
     "expected ')' for the '(' of 2:7, found 'min'; is a comma missing?"},
    {"Real x(3);", ERR_SYNTAX, 2, 8,
     "expected the name of an attribute or of a component, found '3'"},
    {"Real x(strat = 1);", ERR_NAME, 2, 8, "unknown attribute 'strat'; did you mean 'start'?"},
    {"Real x(colour = 1);", ERR_NAME, 2, 8,
     "unknown attribute 'colour'; known are start, fixed, min, max, nominal and unit"},
    {"Real x(start = 1, start = 2);", ERR_NAME, 2, 19, "'start' is given twice"},
    {"Real x(unit = 3);", ERR_VALUE, 2, 15, "unit must be a string, as in unit = \"m\""},
    {"Real x(start = \"a\");", ERR_VALUE, 2, 16, "start must be a value, not a string"},
    {"Real x(stateSelect = StateSelect.often);", ERR_NAME, 2, 22,
     "the enumeration 'StateSelect' has no literal 'often'; it has never, avoid, default, prefer, "
     "always"},
    {"Real x(start(min = 0) = 1);", ERR_UNSUPPORTED, 2, 14,
     "attributes inside an attribute are not supported"},
    {"Real x(redeclare Real y);", ERR_NAME, 2, 23,
     "unknown attribute 'y'; known are start, fixed, min, max, nominal and unit"},
    {"Real x \"a\" + b;", ERR_SYNTAX, 2, 14, "expected a string after the '+', found 'b'"},
    {"annotation;", ERR_SYNTAX, 2, 11, "expected '(' after 'annotation', found ';'"},
    {"annotation(a(b);", ERR_SYNTAX, 4, 7,
     "expected ')' for the '(' of 2:11, found the end of the text"},
    {"annotation()", ERR_SYNTAX, 2, 13, "expected ';' after the annotation, found 'equation'"},
    {"Real x = \"a\";", ERR_MODEL, 2, 10, "x is not a String, and its value is a text"},
    {"Wheel w(R = 0.3);", ERR_NAME, 2, 1, "there is no class 'Wheel', the type of w"},
    {"Modelica.Mechanics.Body b;", ERR_NAME, 2, 1,
     "there is no class 'Modelica.Mechanics.Body', the type of b; name the folder of the Modelica "
     "library with --library or MODELICAPATH"},
    {"Modelica.Blocks.Interfaces.RealInput u;", ERR_NAME, 2, 1,
     "there is no class 'Modelica.Blocks.Interfaces.RealInput', the type of u; name the folder of "
     "the Modelica library with --library or MODELICAPATH"},
    {"Real x if on;", ERR_NAME, 2, 11, "'on' is not declared in M"},
    {"stream Real x;", ERR_UNSUPPORTED, 2, 13, "not supported: stream variables"},
    {"outer Real x;", ERR_MODEL, 2, 12,
     "'outer x' has no 'inner x' in the components around it; declare one in the model"},
    {"extends Base(a = 3);", ERR_NAME, 2, 9, "there is no class 'Base'"},
    {"algorithm x := 1;", ERR_NAME, 2, 11, "'x' is not declared in M"},
};

// Each stands in line 4 of a model, among the equations.
static const Refusal EQUATIONS[] = {
    {"x = 3", ERR_SYNTAX, 4, 6, "expected ';' after the equation, found 'end'"},
    {"x = 3\n  y = 4;", ERR_SYNTAX, 4, 6, "expected ';' after the equation, found 'y'"},
    {"x = 3 y;", ERR_SYNTAX, 4, 6,
     "expected ';' after the equation, found 'y'; a product is written with *"},
    {"x = 3 = 4;", ERR_SYNTAX, 4, 6, "expected ';' after the equation, found '='"},
    {"x := 3;", ERR_SYNTAX, 4, 3, "an equation is written with '=', not ':='"},
    {"x == 3;", ERR_SYNTAX, 4, 3, "an equation is written with '=', not '=='"},
    {"x;", ERR_SYNTAX, 4, 2, "expected '=' in the equation, found ';'"},
    {"x + y;", ERR_SYNTAX, 4, 6, "expected '=' in the equation, found ';'"},
    {"f(x);", ERR_SYNTAX, 4, 1, "expected '=': a call of 'f' alone is not an equation"},
    {"x = ;", ERR_SYNTAX, 4, 5, "expected an expression, found ';'"},
    {"= 3;", ERR_SYNTAX, 4, 1, "expected an expression, found '='"},
    {"ends M;", ERR_SYNTAX, 4, 1, "unknown keyword 'ends'; did you mean 'end'?"},
    {"Real y;", ERR_SYNTAX, 4, 1,
     "a declaration among the equations; move it before 'equation' or after 'public'"},
    {"parameter Real y;", ERR_SYNTAX, 4, 1,
     "a declaration among the equations; move it before 'equation' or after 'public'"},
    {"initial x = 3;", ERR_SYNTAX, 4, 9, "expected 'equation' after 'initial', found 'x'"},
    {"else x = 3;", ERR_SYNTAX, 4, 1, "expected an expression, found 'else'"},
    {"while x > 0 loop", ERR_SYNTAX, 4, 1, "'while' cannot stand among equations"},
    {"connect(a.p, b.n);", ERR_NAME, 4, 9, "connect: there is no component 'a'"},
    {"terminate(\"x\");", ERR_MODEL, 4, 1, "terminate can only stand in a when-clause"},
    {"reinit(x, 1);", ERR_MODEL, 4, 1, "reinit can only stand in a when-clause"},
    {"(a, b) = f(x);", ERR_NAME, 4, 10, "'f' is not a function that entrain knows"},
    {"a.b = 1;", ERR_NAME, 4, 1, "'a' is not declared in M"},
    {"x[1] = 1;", ERR_MODEL, 4, 1, "a scalar takes no subscripts"},
};

static void check_refusals(const Refusal *rows, size_t count, const char *before,
                           const char *after) {
  for (size_t i = 0; i < count; i++) {
    Arena *a = arena_new();
    Err err = {0};
    const AstModel *m = read_model(a, arena_print(a, "%s%s%s", before, rows[i].text, after), &err);
    check_error(&rows[i], &err, m);
    arena_free(a);
  }
}

static void wrong_declarations_get_a_sentence_and_a_place(void **state) {
  (void)state;
  check_refusals(DECLARATIONS, sizeof DECLARATIONS / sizeof *DECLARATIONS, "model M\n",
                 "\nequation\nend M;");
}

static void wrong_equations_get_a_sentence_and_a_place(void **state) {
  (void)state;
  check_refusals(EQUATIONS, sizeof EQUATIONS / sizeof *EQUATIONS, "model M\n  Real x;\nequation\n",
                 "\nend M;");
}

static void excerpt_points_behind_the_token_before_a_missing_semicolon(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  read_model(a, "model M\n  Real x;\nequation\n  der(x) = -x\nend M;\n", &err);
  char out[1000];
  err_format(&err, out, sizeof out);
  assert_string_equal(out, "<text>:4:14: error: expected ';' after the equation, found 'end'\n"
                           "  der(x) = -x\n             ^");
  arena_free(a);
}

// ---- laws over many texts ----

static void every_beginning_of_a_model_fails_inside_the_text(void **state) {
  (void)state;
  char *text = good_model();
  size_t length = strlen(text), end = (size_t)(strstr(text, "end Pendulum;") - text) + 13;
  for (size_t n = 0; n < length; n++) {
    Arena *a = arena_new();
    Err err = {0};
    const Source *s = source_new(a, "<text>", text, n, &err);
    const AstModel *m = parse_model(a, s, &err);
    assert_int_equal(m != NULL, n >= end);
    if (!m) {
      assert_true(err.code != ERR_NONE && err.text[0]);
      assert_in_range(err.line, 1, s->line_count);
      assert_true(err.column >= 1);
    }
    arena_free(a);
  }
  free(text);
}

static void a_lost_character_never_breaks_the_parser(void **state) {
  (void)state;
  char *text = good_model();
  size_t length = strlen(text);
  for (size_t n = 0; n < length; n++) {
    Arena *a = arena_new();
    Err err = {0};
    char *cut = arena_copy(a, text, length);
    memmove(cut + n, cut + n + 1, length - n);
    const AstModel *m = read_model(a, cut, &err);
    assert_int_equal(m != NULL, err.code == ERR_NONE);
    arena_free(a);
  }
  free(text);
}

static void errors_need_no_listener(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = source_new(a, "<text>", "model M x end", 13, &err);
  assert_null(parse_model(a, s, NULL));
  assert_null(parse_expression(a, s, NULL));
  arena_free(a);
}

// ---- limits ----

static char *repeat(const char *before, const char *part, size_t count, const char *middle,
                    const char *closing, const char *after) {
  size_t room = strlen(before) + strlen(middle) + strlen(after) +
                count * (strlen(part) + strlen(closing)) + 1;
  char *text = malloc(room), *to = text;
  to = stpcpy(to, before);
  for (size_t i = 0; i < count; i++) to = stpcpy(to, part);
  to = stpcpy(to, middle);
  for (size_t i = 0; i < count; i++) to = stpcpy(to, closing);
  stpcpy(to, after);
  return text;
}

static ErrCode code_of(char *text) { // frees text
  Arena *a = arena_new();
  Err err = {0};
  const Ast *e = read_expression(a, text, &err);
  assert_int_equal(e == NULL, err.code != ERR_NONE);
  if (e) assert_true(e->depth <= AST_DEPTH_MOST);
  arena_free(a);
  free(text);
  return err.code;
}

static void nesting_is_limited(void **state) {
  (void)state;
  size_t most = PARSE_NESTING_MOST - 1;
  assert_int_equal(code_of(repeat("", "(", most, "a", ")", "")), ERR_NONE);
  assert_int_equal(code_of(repeat("", "(", most + 1, "a", ")", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("", "(", 1000000, "a", ")", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("", "f(", most, "a", ")", "")), ERR_NONE);
  assert_int_equal(code_of(repeat("", "f(", 1000000, "a", ")", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("", "-(", most, "a", ")", "")), ERR_NONE);
  assert_int_equal(code_of(repeat("", "if a then b else ", most, "c", "", "")), ERR_NONE);
  assert_int_equal(code_of(repeat("", "if a then b else ", 1000000, "c", "", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("", "if ", 1000000, "c", "", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("", "(", 1000000, "", "", "")), ERR_LIMIT);
}

static void chains_are_limited_by_the_depth_of_the_tree(void **state) {
  (void)state;
  size_t most = AST_DEPTH_MOST - 1; // operators
  assert_int_equal(code_of(repeat("a", " + b", most, "", "", "")), ERR_NONE);
  assert_int_equal(code_of(repeat("a", " + b", most + 1, "", "", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("a", " + b", 1000000, "", "", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("a", "*b", 1000000, "", "", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("a", " or b", 1000000, "", "", "")), ERR_LIMIT);
  assert_int_equal(code_of(repeat("if a then b", " elseif c then d", most - 1, " else e", "", "")),
                   ERR_NONE);
  assert_int_equal(code_of(repeat("if a then b", " elseif c then d", 100000, " else e", "", "")),
                   ERR_LIMIT);
  assert_int_equal(code_of(repeat("(a", " + b", most, ")^2", "", "")), ERR_LIMIT);
}

static void wide_calls_are_not_limited(void **state) {
  (void)state;
  assert_int_equal(code_of(repeat("max(a", ", b", 100000, ")", "", "")), ERR_NONE);
}

static ErrCode code_of_model(char *text, int *line) { // frees text
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = source_new(a, "<text>", text, strlen(text), &err);
  parse_file(a, s, &err);
  arena_free(a);
  free(text);
  *line = err.line;
  return err.code;
}

static void numbers_of_declarations_and_equations_are_limited(void **state) {
  (void)state;
  int line;
  size_t most = PARSE_COUNT_MOST;
  assert_int_equal(
      code_of_model(repeat("model M\n", "Real a;\n", most, "equation\n", "", "end M;"), &line),
      ERR_NONE);
  assert_int_equal(
      code_of_model(repeat("model M\n", "Real a;\n", most + 1, "", "", "end M;"), &line),
      ERR_LIMIT);
  assert_int_equal(line, (int)most + 2);
  assert_int_equal(
      code_of_model(repeat("model M equation\n", "a=1;\n", most, "", "", "end M;"), &line),
      ERR_NONE);
  assert_int_equal(
      code_of_model(repeat("model M equation\n", "a=1;\n", most + 1, "", "", "end M;"), &line),
      ERR_LIMIT);
  assert_int_equal(line, (int)most + 2);
}

static void *parse_and_print_deep(void *unused) {
  (void)unused;
  Arena *a = arena_new();
  Err err = {0};
  char *text = repeat("", "f(if a then b else -(", PARSE_NESTING_MOST / 3 - 1, "a", "))", "");
  const Ast *e = read_expression(a, text, &err);
  free(text);
  arena_free(a);
  return e ? NULL : "failed";
}

// The deepest text that is read needs little of the stack, so that threads may parse.
static void deepest_nesting_fits_a_small_stack(void **state) {
  (void)state;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert_int_equal(pthread_attr_setstacksize(&attributes, 1 << 20), 0);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, &attributes, parse_and_print_deep, NULL), 0);
  void *result;
  pthread_join(thread, &result);
  pthread_attr_destroy(&attributes);
  assert_null(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_bind_as_in_modelica),
      cmocka_unit_test(places_are_those_of_the_constructs),
      cmocka_unit_test(a_model_has_its_parts),
      cmocka_unit_test(smallest_models_are_read),
      cmocka_unit_test(wrong_expressions_get_a_sentence_and_a_place),
      cmocka_unit_test(wrong_files_get_a_sentence_and_a_place),
      cmocka_unit_test(wrong_declarations_get_a_sentence_and_a_place),
      cmocka_unit_test(wrong_equations_get_a_sentence_and_a_place),
      cmocka_unit_test(excerpt_points_behind_the_token_before_a_missing_semicolon),
      cmocka_unit_test(every_beginning_of_a_model_fails_inside_the_text),
      cmocka_unit_test(a_lost_character_never_breaks_the_parser),
      cmocka_unit_test(errors_need_no_listener),
      cmocka_unit_test(nesting_is_limited),
      cmocka_unit_test(chains_are_limited_by_the_depth_of_the_tree),
      cmocka_unit_test(wide_calls_are_not_limited),
      cmocka_unit_test(numbers_of_declarations_and_equations_are_limited),
      cmocka_unit_test(deepest_nesting_fits_a_small_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
