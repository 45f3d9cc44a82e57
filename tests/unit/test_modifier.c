// Modifiers as they are written.
#include <string.h>

#include "lang/parse.h"
#include "test.h"

static AstFile *read_text(Arena *a, const char *text, Err *err) {
  const Source *s = source_new(a, "<text>", text, strlen(text), err);
  return parse_file(a, s, err);
}

static const AstElement *element_of(Arena *a, const char *modifiers) {
  Err err = {0};
  AstFile *f = read_text(a, arena_print(a, "model M A x(%s); end M;", modifiers), &err);
  if (!f) fail_msg("%s: %s", modifiers, err.text);
  return &f->classes.at[0]->elements.at[0];
}

static bool same_modifiers(const AstModifierList *a, const AstModifierList *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++) {
    const AstModifier *x = &a->at[i], *y = &b->at[i];
    if (strcmp(x->name, y->name) != 0 || x->each != y->each || x->final != y->final) return false;
    if (!ast_equal(x->value, y->value) || !same_modifiers(&x->sub, &y->sub)) return false;
  }
  return true;
}

static void dots_are_parentheses(void **state) {
  (void)state;
  static const char *const SAME[][2] = {
      {"a.b = 1", "a(b = 1)"},
      {"a.b.c = 1", "a(b(c = 1))"},
      {"a.b(c = 1)", "a(b(c = 1))"},
      {"a.b(c = 1) = 2", "a(b(c = 1) = 2)"},
      {"each a = 1, final b = 2", "each a = 1, final b = 2"},
  };
  for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
    Arena *a = arena_new();
    assert_true(same_modifiers(&element_of(a, SAME[i][0])->modifiers,
                               &element_of(a, SAME[i][1])->modifiers));
    arena_free(a);
  }
}

static void prefixes_and_values_are_kept(void **state) {
  (void)state;
  Arena *a = arena_new();
  const AstElement *e = element_of(a, "each final a(b = 2) = 3, redeclare B c, d");
  assert_int_equal(e->modifiers.count, 3);
  const AstModifier *m = e->modifiers.at;
  assert_true(m[0].each && m[0].final);
  assert_close(m[0].value->number, 3, 0);
  assert_close(m[0].sub.at[0].value->number, 2, 0);
  assert_non_null(m[1].redeclare);
  assert_string_equal(m[1].name, "c");
  assert_string_equal(m[1].redeclare->type, "B");
  assert_null(m[2].value);
  arena_free(a);
}

// Deep modifiers end with a message, not with the stack.
static void depth_is_limited(void **state) {
  (void)state;
  for (int depth = 1; depth < 300000; depth = depth * 3 + 1) {
    Arena *a = arena_new();
    Err err = {0};
    char *text = ARENA_ARRAY(a, char, depth * 3 + 100), *at = text;
    at = stpcpy(at, "model M A x(");
    for (int i = 0; i < depth; i++) at = stpcpy(at, "a(");
    at = stpcpy(at, "b = 1");
    for (int i = 0; i < depth; i++) at = stpcpy(at, ")");
    stpcpy(at, "); end M;");
    AstFile *f = read_text(a, text, &err);
    assert_int_equal(f != NULL, err.code == ERR_NONE);
    if (!f) assert_int_equal(err.code, ERR_LIMIT);
    if (depth < 40) assert_non_null(f);
    if (depth > 100000) assert_null(f);
    arena_free(a);
  }
}

static void slips_have_their_place(void **state) {
  (void)state;
  static const struct {
    const char *modifiers;
    int column;
  } SLIPS[] = {{"a = ", 17}, {"a b", 15}, {"= 1", 13}, {"a(b = 1", 21}, {"3", 13}, {"a.", 15}};
  for (size_t i = 0; i < sizeof SLIPS / sizeof *SLIPS; i++) {
    Arena *a = arena_new();
    Err err = {0};
    assert_null(read_text(a, arena_print(a, "model M A x(%s); end M;", SLIPS[i].modifiers), &err));
    assert_int_equal(err.code, ERR_SYNTAX);
    if (err.column != SLIPS[i].column) print_error("%s: %s\n", SLIPS[i].modifiers, err.text);
    assert_int_equal(err.column, SLIPS[i].column);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dots_are_parentheses),
      cmocka_unit_test(prefixes_and_values_are_kept),
      cmocka_unit_test(depth_is_limited),
      cmocka_unit_test(slips_have_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
