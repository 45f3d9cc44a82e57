// Components of components: random trees against the flat text that is written at the same time.
#include "flattened.h"

typedef struct Tree {
  Arena *arena;
  Draw draw;
  int classes;
  const char *text; // class definitions so far
} Tree;

typedef struct Made { // a class: its name, and its flat text below a path
  const char *name;
  int part_count;
  struct Part {
    const char *name;
    const struct Made *class; // NULL: a scalar
    int size;                 // 0: no array
    bool parameter;
    double value;
  } parts[4];
} Made;

static const Made *make_class(Tree *t, int depth) {
  Arena *a = t->arena;
  Made *m = ARENA_NEW(a, Made);
  m->part_count = 1 + draw_below(&t->draw, 4);
  const char *body = "";
  for (int i = 0; i < m->part_count; i++) {
    struct Part *p = &m->parts[i];
    p->name = arena_print(a, "%c%d", 'a' + draw_below(&t->draw, 26), i);
    p->size = draw_below(&t->draw, 3) == 0 ? 1 + draw_below(&t->draw, 3) : 0;
    p->parameter = draw_below(&t->draw, 2);
    p->value = draw_number(&t->draw);
    if (depth > 0 && draw_below(&t->draw, 3)) p->class = make_class(t, depth - 1);
    const char *size = p->size ? arena_print(a, "[%d]", p->size) : "";
    if (p->class)
      body = arena_print(a, "%s  %s %s%s;\n", body, p->class->name, p->name, size);
    else
      body =
          arena_print(a, p->size ? "%s  %sReal %s%s = fill(%g, %d);\n" : "%s  %sReal %s%s = %g;\n",
                      body, p->parameter ? "parameter " : "", p->name, size, p->value, p->size);
  }
  m->name = arena_print(a, "C%d", t->classes++);
  t->text = arena_print(a, "%smodel %s\n%send %s;\n", t->text, m->name, body, m->name);
  return m;
}

static const char *flat_part(Arena *a, const Made *m, const char *path) {
  const char *text = "";
  for (int i = 0; i < m->part_count; i++) {
    const struct Part *p = &m->parts[i];
    for (int k = 1; k <= (p->size ? p->size : 1); k++) {
      const char *name = p->size ? arena_print(a, "%s%s[%d]", path, p->name, k)
                                 : arena_print(a, "%s%s", path, p->name);
      if (p->class)
        text = arena_print(a, "%s%s", text, flat_part(a, p->class, arena_print(a, "%s.", name)));
      else
        text = arena_print(
            a, strpbrk(name, ".[") ? "%s  %sReal '%s' = %g;\n" : "%s  %sReal %s = %g;\n", text,
            p->parameter ? "parameter " : "", name, p->value);
    }
  }
  return text;
}

static void random_trees_become_their_flat_text(void **state) {
  (void)state;
  for (int k = 0; k < 300; k++) {
    Tree t = {.arena = arena_new(), .draw = {(uint64_t)k}, .text = ""};
    const Made *m = make_class(&t, 3);
    const char *want =
        arena_print(t.arena, "model %s\n%send %s;\n", m->name, flat_part(t.arena, m, ""), m->name);
    assert_string_equal(flat_text(t.arena, flat_new(t.arena, t.text)), want);
    arena_free(t.arena);
  }
}

// A component whose condition does not hold leaves nothing behind.
static void conditions_decide_about_components(void **state) {
  (void)state;
  for (int n = 0; n < 5; n++) {
    Arena *a = arena_new();
    const char *text = arena_print(a,
                                   "model A\n  Real x = time;\nend A;\nmodel M\n"
                                   "  constant Integer n = %d;\n",
                                   n);
    const char *want = arena_print(a, "model M\n  constant Integer n = %d;\n", n);
    for (int i = 1; i < 5; i++) {
      text = arena_print(a, "%s  A a%d if n >= %d;\n", text, i, i);
      if (n >= i) want = arena_print(a, "%s  Real 'a%d.x' = time;\n", want, i);
    }
    text = arena_print(a, "%send M;\n", text);
    assert_string_equal(flat_text(a, flat_new(a, text)), arena_print(a, "%send M;\n", want));
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_become_their_flat_text),
      cmocka_unit_test(conditions_decide_about_components),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
