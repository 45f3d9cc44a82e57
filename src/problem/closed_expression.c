#include "problem/closed_expression.h"

#include <string.h>

#include "lang/ast_print.h"
#include "lang/name.h"
#include "lang/parse.h"

const char *closed_name_unquoted(Arena *a, const char *name) {
  size_t length = strlen(name);
  bool quoted = length > 1 && name[0] == '\'' && name[length - 1] == '\'';
  return quoted ? arena_copy(a, name + 1, length - 2) : name;
}

static Ast *name_node(Arena *a, const char *name, const Ast *at) {
  Ast *e = ARENA_NEW(a, Ast);
  *e = (Ast){.kind = AST_NAME, .name = name, .depth = 1};
  e->line = at ? at->line : 1;
  e->column = at ? at->column : 1;
  return e;
}

static bool is_known(const Flat *f, const char *name) {
  return names_find(f->names, name) >= 0;
}

typedef struct Renaming {
  Arena *arena;
  const Flat *flat;
  const Source *source;
  Err *err;
  const Ast *tree;
} Renaming;

static const Ast *rename_tree(const Renaming *w, const Ast *e) {
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL) return e;
  if (e->kind == AST_NAME) {
    const char *plain = closed_name_unquoted(w->arena, e->name);
    return plain != e->name && is_known(w->flat, plain) ? name_node(w->arena, plain, e) : e;
  }
  if (e->kind == AST_FIELD || e->kind == AST_INDEX) {
    const char *path = name_of_tree(w->arena, e);
    return path && is_known(w->flat, path) ? name_node(w->arena, path, e) : e;
  }
  if (e->kind == AST_CALL && strcmp(e->name, "der") == 0) {
    Text t;
    text_init(&t);
    ast_print(&t, e);
    const char *name = arena_print(w->arena, "%s", t.at);
    text_done(&t);
    if (is_known(w->flat, name)) return name_node(w->arena, name, e);
    source_fail(w->source, w->err, ERR_NAME, e->line, e->column,
                "%s has no variable '%.100s'; its equations are not known", w->flat->source->name,
                name);
    return NULL;
  }
  Ast *copy = ARENA_NEW(w->arena, Ast);
  *copy = *e;
  copy->args = ARENA_ARRAY(w->arena, Ast *, e->arg_count + 1);
  for (int i = 0; i < e->arg_count; i++) {
    copy->args[i] = (Ast *)rename_tree(w, e->args[i]);
    if (!copy->args[i]) return NULL;
  }
  return copy;
}

static void run_renaming(void *data) {
  Renaming *w = data;
  w->tree = rename_tree(w, w->tree);
}

const Ast *closed_expression(Arena *a, const Flat *f, const Source *s, Err *err) {
  const char *text = s->text;
  if (is_known(f, text)) return name_node(a, arena_print(a, "%s", text), NULL);
  Renaming w = {a, f, s, err, parse_expression(a, s, err)};
  if (w.tree) ast_recurse(w.tree, run_renaming, &w);
  return w.tree;
}
