#include "instance/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "instance/builtin_text.h"
#include "lang/parse.h"

typedef struct Folder {
  const char *path;
} Folder;

enum { ABSENT = -2 };

struct Library {
  Arena *arena;
  SourceList sources;
  ARRAY(Folder) folders;
  Names *top; // by name: number in classes
  ARRAY(AstClass *) classes;
};

Library *library_new(Arena *a) {
  Library *l = ARENA_NEW(a, Library);
  l->arena = a;
  l->top = names_new(a);
  return l;
}

void library_add_folder(Library *l, const char *folder) {
  if (!folder || !folder[0]) return;
  Folder f = {arena_print(l->arena, "%s", folder)};
  array_push(l->arena, &l->folders, f);
}

void library_add_defaults(Library *l) {
  const char *paths = file_variable("MODELICAPATH");
  while (paths && *paths) {
    size_t length = strcspn(paths, ":");
    if (length) library_add_folder(l, arena_copy(l->arena, paths, length));
    paths += length + (paths[length] == ':');
  }
}

// ---------------------------------------------------------------- reading

static bool is_file(const char *path) {
  return file_kind(path) == FILE_REGULAR;
}

static bool is_folder(const char *path) {
  return file_kind(path) == FILE_FOLDER;
}

static AstFile *read_source(Library *l, Source *s, Err *err) {
  int count = l->sources.at.count;
  const Source *last = count ? l->sources.at.at[count - 1] : NULL;
  s->lines_before = last ? last->lines_before + last->line_count + 1 : 0;
  if (s->lines_before > SOURCE_LINES_MOST) {
    fail(err, ERR_LIMIT, "the files of the model have more than %d lines", SOURCE_LINES_MOST);
    return NULL;
  }
  s->together = &l->sources;
  array_push(l->arena, &l->sources.at, s);
  return parse_file(l->arena, s, err);
}

static void add_top(Library *l, AstClass *c) {
  names_set(l->top, c->name, l->classes.count);
  array_push(l->arena, &l->classes, c);
}

// The class of a file of a library; `folder` for a package.mo.
static AstClass *read_class(Library *l, const char *path, const char *folder, const char *name,
                            Err *err) {
  Source *s = source_load(l->arena, path, err);
  AstFile *f = s ? read_source(l, s, err) : NULL;
  if (!f) return NULL;
  for (int i = 0; i < f->classes.count; i++) {
    AstClass *c = f->classes.at[i];
    if (strcmp(c->name, name) != 0) continue;
    c->folder = folder;
    return c;
  }
  fail_at(err, ERR_NAME, (Place){path, 1, 1}, "the file should define '%s', but defines '%s'", name,
          f->classes.at[0]->name);
  return NULL;
}

// name.mo or name/package.mo in a folder.
static AstClass *read_from(Library *l, const char *folder, const char *name, Err *err) {
  if (name[0] == '\'' || strchr(name, '/')) return NULL;
  const char *front = strcmp(folder, ".") == 0 ? "" : arena_print(l->arena, "%s/", folder);
  char *path = arena_print(l->arena, "%s%s.mo", front, name);
  if (is_file(path)) return read_class(l, path, NULL, name, err);
  char *inside = arena_print(l->arena, "%s%s", front, name);
  path = arena_print(l->arena, "%s/package.mo", inside);
  return is_file(path) ? read_class(l, path, inside, name, err) : NULL;
}

// ---------------------------------------------------------------- the top

AstFile *library_add_text(Library *l, const Source *source, Err *err) {
  Source *s = ARENA_NEW(l->arena, Source);
  *s = *source;
  AstFile *f = read_source(l, s, err);
  for (int i = 0; f && i < f->classes.count; i++) {
    AstClass *c = f->classes.at[i];
    if (names_find(l->top, c->name) >= 0) {
      source_fail(s, err, ERR_NAME, c->line, c->column, "the class '%s' is defined twice", c->name);
      return NULL;
    }
    add_top(l, c);
  }
  return f;
}

static const char *parent_folder(Library *l, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return strcmp(path, ".") == 0 ? ".." : ".";
  if (strcmp(slash, "/..") == 0) return arena_print(l->arena, "%s/..", path);
  return slash == path ? "/" : arena_copy(l->arena, path, (size_t)(slash - path));
}

static int count_parts(const char *dotted) {
  int n = dotted[0] != 0;
  for (; *dotted; dotted++) n += *dotted == '.';
  return n;
}

void library_place(Library *l, const char *path, AstFile *f) {
  if (path[0] == '<' || !is_file(path)) return;
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *folder = parent_folder(l, path);
  bool package = strcmp(base, "package.mo") == 0;
  if (package) f->classes.at[0]->folder = folder;
  int parts = f->within ? count_parts(f->within) : 0;
  if (package) folder = parent_folder(l, folder);
  for (int i = 0; i < parts; i++) {
    if (!is_file(arena_print(l->arena, "%s/package.mo", folder))) return; // it stands alone
    folder = parent_folder(l, folder);
  }
  Folder first = {folder};
  array_push(l->arena, &l->folders, first);
  for (int i = l->folders.count - 1; i > 0; i--) l->folders.at[i] = l->folders.at[i - 1];
  l->folders.at[0] = first;
}

const Source *library_source(const Library *l) {
  return l->sources.at.count ? l->sources.at.at[0] : NULL;
}

// The newest of folders "Name 4.0.0" and files "Name 4.0.0.mo": the last in the order of numbers.
static int compare_versions(const char *a, const char *b) {
  while (*a && *b) {
    char *ea, *eb;
    bool digits = *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9';
    if (digits) {
      unsigned long na = strtoul(a, &ea, 10), nb = strtoul(b, &eb, 10);
      if (na != nb) return na < nb ? -1 : 1;
      a = ea, b = eb;
    } else {
      if (*a != *b) return *a < *b ? -1 : 1;
      a++, b++;
    }
  }
  return *a ? 1 : *b ? -1 : 0;
}

static const char *newest_version(Library *l, const char *folder, const char *name) {
  FileNames all = file_list(l->arena, folder, arena_print(l->arena, "%s ", name));
  const char *best = NULL;
  size_t length = strlen(name);
  for (int i = 0; i < all.count; i++)
    if (!best || compare_versions(best + length, all.at[i] + length) < 0) best = all.at[i];
  return best;
}

static AstClass *read_version(Library *l, const char *folder, const char *name, Err *err) {
  const char *version = newest_version(l, folder, name);
  if (!version) return NULL;
  char *path = arena_print(l->arena, "%s/%s", folder, version);
  if (is_file(path)) return read_class(l, path, NULL, name, err);
  char *file = arena_print(l->arena, "%s/package.mo", path);
  return is_folder(path) && is_file(file) ? read_class(l, file, path, name, err) : NULL;
}

// What the program brings along, where no folder has it.
static AstClass *read_builtin(Library *l, const char *name, Err *err) {
  size_t length;
  const char *text = builtin_text(name, &length);
  if (!text) return NULL;
  Source *s = source_new(l->arena, arena_print(l->arena, "<%s.mo>", name), text, length, err);
  AstFile *f = s ? read_source(l, s, err) : NULL;
  if (!f) return NULL;
  add_top(l, f->classes.at[0]);
  return f->classes.at[0];
}

AstClass *library_top(Library *l, const char *name, Err *err) {
  int known = names_find(l->top, name);
  if (known >= 0) return l->classes.at[known];
  for (int i = 0; i < l->folders.count && err->code == ERR_NONE; i++) {
    AstClass *c = read_from(l, l->folders.at[i].path, name, err);
    if (!c && err->code == ERR_NONE) c = read_version(l, l->folders.at[i].path, name, err);
    if (!c) continue;
    add_top(l, c);
    return c;
  }
  return err->code == ERR_NONE ? read_builtin(l, name, err) : NULL;
}

// ---------------------------------------------------------------- inside

static void list_names(Library *l, AstClass *c) {
  c->names = names_new(l->arena);
  for (int i = 0; i < c->elements.count; i++) {
    const AstElement *e = &c->elements.at[i];
    bool named = e->kind == ELEMENT_COMPONENT || e->kind == ELEMENT_CLASS;
    if (named && names_find(c->names, e->name) < 0) names_set(c->names, e->name, i);
  }
}

// Modelica.SIunits of libraries before 4.0, for models that still use it: the package of our own text, which refers to
// Modelica.Units.
static AstClass *older_units(Library *l, Err *err) {
  size_t length;
  const char *text = builtin_text("Modelica", &length);
  Source *s = source_new(l->arena, "<Modelica.mo>", text, length, err);
  AstFile *f = s ? read_source(l, s, err) : NULL;
  for (int i = 0; f && i < f->classes.at[0]->elements.count; i++) {
    const AstElement *e = &f->classes.at[0]->elements.at[i];
    if (e->kind == ELEMENT_CLASS && strcmp(e->name, "SIunits") == 0) return e->class;
  }
  return NULL;
}

const AstElement *library_element(Library *l, AstClass *c, const char *name, Err *err) {
  if (!c->names) list_names(l, c);
  int i = names_find(c->names, name);
  if (i >= 0) return &c->elements.at[i];
  if (i == ABSENT) return NULL;
  AstClass *inner = c->folder ? read_from(l, c->folder, name, err) : NULL;
  if (!inner && c->folder && err->code == ERR_NONE && strcmp(name, "SIunits") == 0 &&
      strcmp(c->name, "Modelica") == 0)
    inner = older_units(l, err);
  if (!inner) {
    if (c->folder) names_set(c->names, name, ABSENT); // the folder need not be asked again
    return NULL;
  }
  AstElement *e = ARENA_NEW(l->arena, AstElement);
  *e = (AstElement){.kind = ELEMENT_CLASS, .name = inner->name, .class = inner};
  e->line = inner->line, e->column = inner->column;
  e->description = inner->description;
  names_set(c->names, inner->name, c->elements.count);
  array_push(l->arena, &c->elements, *e);
  return e;
}

const char *library_resource(Library *l, const char *uri, Err *err) {
  static const char SCHEME[] = "modelica://";
  if (strncmp(uri, SCHEME, strlen(SCHEME)) != 0)
    return strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri;
  const char *rest = uri + strlen(SCHEME), *slash = strchr(rest, '/');
  if (!slash) return NULL;
  size_t length = strcspn(rest, "./");
  AstClass *c = library_top(l, arena_copy(l->arena, rest, length), err);
  return c && c->folder ? arena_print(l->arena, "%s%s", c->folder, slash) : NULL;
}

// Names of classes that a folder holds and that were not read yet.
static int list_folder(Library *l, const char *folder, const char **out, int most) {
  FileNames all = {0};
  int count = 0;
  if (folder) all = file_list(l->arena, folder, "");
  for (int i = 0; i < all.count && count < most; i++) {
    const char *name = all.at[i];
    size_t length = strlen(name);
    bool file = length > 3 && strcmp(name + length - 3, ".mo") == 0;
    if (strcmp(name, "package.mo") == 0) continue;
    if (file)
      out[count++] = arena_copy(l->arena, name, length - 3);
    else if (!strchr(name, '.'))
      out[count++] = name;
  }
  return count;
}

const char *library_nearest(Library *l, AstClass *c, const char *name) {
  enum { FOLDER_MOST = 1000 };
  Names *names = c ? c->names : l->top;
  if (c && !names) list_names(l, c), names = c->names;
  int n = names_count(names);
  const char **all = ARENA_ARRAY(l->arena, const char *, n + FOLDER_MOST + 1);
  int count = list_folder(l, c ? c->folder : NULL, all, FOLDER_MOST);
  for (int i = 0; i < n; i++)
    if (names_find(names, names_at(names, i)) >= 0) all[count++] = names_at(names, i);
  return nearest_name(name, all, count);
}

const char *library_places(Library *l) {
  Text t;
  text_init(&t);
  for (int i = 0; i < l->folders.count; i++)
    text_print(&t, "%s%s", i ? ", " : "", l->folders.at[i].path);
  const char *copy = arena_copy(l->arena, t.at, t.length);
  text_done(&t);
  return copy;
}
