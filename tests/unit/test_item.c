// Equations and statements as they are written.
#include <string.h>

#include "lang/parse.h"
#include "test.h"

static AstFile *read_text(Arena *a, const char *text, Err *err) {
  const Source *s = source_new(a, "<text>", text, strlen(text), err);
  return parse_file(a, s, err);
}

static void every_kind_is_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    AstItemKind kind;
    int branches;
    bool statement;
  } ITEMS[] = {
      {"x = 1;", ITEM_EQUATE, 0, false},
      {"connect(a, b[1].c);", ITEM_CONNECT, 0, false},
      {"assert(x > 1, \"no\");", ITEM_CALL, 0, false},
      {"if a then x = 1; end if;", ITEM_IF, 1, false},
      {"if a then x = 1; elseif b then x = 2; else x = 3; end if;", ITEM_IF, 3, false},
      {"for i in 1:3, j loop x[i] = j; end for;", ITEM_FOR, 1, false},
      {"when a then x = 1; elsewhen {b, c} then x = 2; end when;", ITEM_WHEN, 2, false},
      {"x := 1;", ITEM_ASSIGN, 0, true},
      {"(a, , b) := f(x);", ITEM_ASSIGN, 0, true},
      {"while x < 1 loop x := x + 1; end while;", ITEM_WHILE, 1, true},
      {"for i in 1:3 loop break; end for;", ITEM_FOR, 1, true},
      {"return;", ITEM_RETURN, 0, true},
      {"if a then else x := 1; end if;", ITEM_IF, 2, true},
  };
  for (size_t i = 0; i < sizeof ITEMS / sizeof *ITEMS; i++) {
    Arena *a = arena_new();
    Err err = {0};
    const char *word = ITEMS[i].statement ? "algorithm" : "equation";
    AstFile *f = read_text(a, arena_print(a, "model M\n%s\n%s\nend M;", word, ITEMS[i].text), &err);
    if (!f) fail_msg("%s: %s", ITEMS[i].text, err.text);
    const AstClass *c = f->classes.at[0];
    const AstItemList *list = ITEMS[i].statement ? &c->algorithms.at[0] : &c->equations;
    assert_int_equal(list->count, 1);
    assert_int_equal(list->at[0].kind, ITEMS[i].kind);
    assert_int_equal(list->at[0].branches.count, ITEMS[i].branches);
    assert_int_equal(list->at[0].line, 3);
    assert_int_equal(list->at[0].column, 1);
    arena_free(a);
  }
}

static void kinds_stay_in_their_section(void **state) {
  (void)state;
  static const char *const EQUATIONS[] = {"x := 1;", "while a loop end while;", "break;",
                                          "return;"};
  static const char *const STATEMENTS[] = {"x = 1;", "connect(a, b);"};
  for (int k = 0; k < 6; k++) {
    Arena *a = arena_new();
    Err err = {0};
    const char *text = k < 4 ? arena_print(a, "model M\nequation\n%s\nend M;", EQUATIONS[k])
                             : arena_print(a, "model M\nalgorithm\n%s\nend M;", STATEMENTS[k - 4]);
    assert_null(read_text(a, text, &err));
    assert_int_equal(err.line, 3);
    arena_free(a);
  }
}

// Deep clauses end with a message, not with the stack.
static void depth_is_limited(void **state) {
  (void)state;
  static const char *const OPEN[] = {"if a then ", "for i in 1:2 loop ", "when a then "};
  static const char *const CLOSE[] = {" end if;", " end for;", " end when;"};
  for (int kind = 0; kind < 3; kind++)
    for (int depth = 1; depth < 200000; depth = depth * 3 + 1) {
      Arena *a = arena_new();
      Err err = {0};
      char *text = ARENA_ARRAY(a, char, depth * 40 + 100), *at = text;
      at = stpcpy(at, "model M equation ");
      for (int i = 0; i < depth; i++) at = stpcpy(at, OPEN[kind]);
      at = stpcpy(at, "x = 1;");
      for (int i = 0; i < depth; i++) at = stpcpy(at, CLOSE[kind]);
      stpcpy(at, " end M;");
      AstFile *f = read_text(a, text, &err);
      assert_int_equal(f != NULL, err.code == ERR_NONE);
      if (!f) assert_int_equal(err.code, ERR_LIMIT);
      if (depth < 10) assert_non_null(f);
      if (depth > 100000) assert_null(f);
      arena_free(a);
    }
}

// Classes inside classes, too.
static void classes_inside_classes_are_limited(void **state) {
  (void)state;
  for (int depth = 1; depth < 100000; depth = depth * 4 + 1) {
    Arena *a = arena_new();
    Err err = {0};
    char *text = ARENA_ARRAY(a, char, depth * 20 + 100), *at = text;
    for (int i = 0; i < depth; i++) at = stpcpy(at, "model M ");
    for (int i = 0; i < depth; i++) at = stpcpy(at, "end M; ");
    AstFile *f = read_text(a, text, &err);
    assert_int_equal(f != NULL, err.code == ERR_NONE);
    if (depth < 10) assert_non_null(f);
    if (depth > 50000) assert_null(f);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_is_read),
      cmocka_unit_test(kinds_stay_in_their_section),
      cmocka_unit_test(depth_is_limited),
      cmocka_unit_test(classes_inside_classes_are_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
