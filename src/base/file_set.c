#include "base/file_set.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

typedef struct SetEntry {
  NotedFile file;
  const char *first; // as it was read, NULL: not read
  size_t first_length;
} SetEntry;

typedef struct SetVariable {
  const char *name, *value;
} SetVariable;

struct FileSet {
  Arena *arena;
  ARRAY(SetEntry *) entries; // sorted by path
  ARRAY(SetVariable) variables;
  bool gaps;
};

// ---------------------------------------------------------------- paths

// Removes the last part of the path. false: there is none, or it is ".." and leads up.
static bool drop_last(Text *t) {
  const char *slash = strrchr(t->at, '/');
  size_t begin = slash ? (size_t)(slash - t->at) + 1 : 0;
  if (!t->at[begin] || strcmp(t->at + begin, "..") == 0) return false;
  t->length = begin > 1 ? begin - 1 : begin; // the slash at the beginning stays
  t->at[t->length] = 0;
  return true;
}

static void shorten(Text *out, const char *path) {
  bool absolute = path[0] == '/';
  if (absolute) text_add(out, "/");
  for (size_t n; *path; path += n) {
    n = strcspn(path, "/");
    bool up = n == 2 && path[0] == '.' && path[1] == '.';
    bool stays = n == 0 || (n == 1 && path[0] == '.');
    if (!stays && !(up && (drop_last(out) || absolute))) {
      if (out->length && out->at[out->length - 1] != '/') text_add(out, "/");
      text_add_bytes(out, path, n);
    }
    n += path[n] == '/';
  }
  if (!out->length) text_add(out, ".");
}

static bool leads_up(const char *path) {
  return strncmp(path, "..", 2) == 0 && (path[2] == '/' || !path[2]);
}

// The rest of the path behind the folder. NULL: it is not in the folder. Both are short.
static const char *rest_in(const char *path, const char *folder) {
  if (strcmp(folder, ".") == 0)
    return path[0] == '/' || leads_up(path) || strcmp(path, ".") == 0 ? NULL : path;
  size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
  if (strncmp(path, folder, n) != 0 || path[n] != '/') return NULL;
  const char *rest = path + n + 1;
  return *rest && !leads_up(rest) ? rest : NULL;
}

// ---------------------------------------------------------------- the set

FileSet *file_set_new(Arena *a) {
  FileSet *s = ARENA_NEW(a, FileSet);
  s->arena = a;
  return s;
}

// The place of a path in the order, whether it is there or not.
static int place_of(const FileSet *s, const char *path) {
  int low = 0, high = s->entries.count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (strcmp(s->entries.at[middle]->file.path, path) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static SetEntry *find_short(const FileSet *s, const char *path) {
  int i = place_of(s, path);
  bool found = i < s->entries.count && strcmp(s->entries.at[i]->file.path, path) == 0;
  return found ? s->entries.at[i] : NULL;
}

static SetEntry *find(const FileSet *s, const char *path) {
  Text t;
  text_init(&t);
  shorten(&t, path);
  SetEntry *e = find_short(s, t.at);
  text_done(&t);
  return e;
}

static SetEntry *find_or_add(FileSet *s, const char *path, FileKind kind) {
  assert(kind != FILE_ABSENT);
  SetEntry *e = find(s, path);
  if (e) return e;
  Text t;
  text_init(&t);
  shorten(&t, path);
  e = ARENA_NEW(s->arena, SetEntry);
  e->file.path = arena_copy(s->arena, t.at, t.length);
  e->file.kind = kind;
  text_done(&t);
  int at = place_of(s, e->file.path);
  array_push(s->arena, &s->entries, e);
  SetEntry **list = s->entries.at;
  memmove(list + at + 1, list + at, (size_t)(s->entries.count - 1 - at) * sizeof *list);
  list[at] = e;
  return e;
}

void file_set_add(FileSet *s, const char *path, FileKind kind, const void *bytes, size_t length) {
  SetEntry *e = find_or_add(s, path, kind);
  if (e->first) return;
  e->first = arena_copy(s->arena, bytes, length);
  e->first_length = length;
  if (e->file.closed) return;
  e->file.kind = kind;
  e->file.bytes = e->first;
  e->file.length = length;
  e->file.hash = sha256_of(bytes, length);
}

void file_set_add_closed(FileSet *s, const char *path, FileKind kind, const Sha256 *hash) {
  SetEntry *e = find_or_add(s, path, kind);
  if (!e->file.bytes && !e->file.closed) e->file.hash = *hash;
  e->file.closed = true;
  e->file.bytes = NULL;
  e->file.length = 0;
}

void file_set_add_name(FileSet *s, const char *path, FileKind kind) {
  find_or_add(s, path, kind);
}

void file_set_add_variable(FileSet *s, const char *name, const char *value) {
  int at = 0, count = s->variables.count;
  while (at < count && strcmp(s->variables.at[at].name, name) < 0) at++;
  if (at < count && strcmp(s->variables.at[at].name, name) == 0) return;
  SetVariable v = {arena_copy(s->arena, name, strlen(name)),
                   arena_copy(s->arena, value, strlen(value))};
  array_push(s->arena, &s->variables, v);
  memmove(s->variables.at + at + 1, s->variables.at + at, (size_t)(count - at) * sizeof v);
  s->variables.at[at] = v;
}

void file_set_add_gap(FileSet *s) {
  s->gaps = true;
}

int file_set_count(const FileSet *s) {
  return s->entries.count;
}

const NotedFile *file_set_at(const FileSet *s, int i) {
  return &s->entries.at[i]->file;
}

int file_set_variable_count(const FileSet *s) {
  return s->variables.count;
}

const char *file_set_variable_at(const FileSet *s, int i, const char **value) {
  *value = s->variables.at[i].value;
  return s->variables.at[i].name;
}

bool file_set_has_gaps(const FileSet *s) {
  return s->gaps;
}

const NotedFile *file_set_find(const FileSet *s, const char *path) {
  const SetEntry *e = find(s, path);
  return e ? &e->file : NULL;
}

FileKind file_set_kind(const FileSet *s, const char *path) {
  Text t;
  text_init(&t);
  shorten(&t, path);
  const SetEntry *e = find_short(s, t.at);
  FileKind kind = e ? e->file.kind : FILE_ABSENT;
  for (int i = 0; i < s->entries.count && kind == FILE_ABSENT; i++)
    if (rest_in(s->entries.at[i]->file.path, t.at)) kind = FILE_FOLDER;
  text_done(&t);
  return kind;
}

void file_set_list(const FileSet *s, const char *folder, const char *prefix, Arena *a,
                   FileNames *out) {
  Text t;
  text_init(&t);
  shorten(&t, folder);
  for (int i = 0; i < s->entries.count; i++) {
    const char *rest = rest_in(s->entries.at[i]->file.path, t.at);
    if (!rest || strncmp(rest, prefix, strlen(prefix)) != 0) continue;
    array_push(a, out, arena_copy(a, rest, strcspn(rest, "/")));
  }
  text_done(&t);
}

const char *file_set_variable(const FileSet *s, const char *name) {
  for (int i = 0; i < s->variables.count; i++)
    if (strcmp(s->variables.at[i].name, name) == 0) return s->variables.at[i].value;
  return NULL;
}

const char *file_set_first(const FileSet *s, const char *path, size_t *length) {
  const SetEntry *e = find(s, path);
  if (!e || !e->first) return NULL;
  *length = e->first_length;
  return e->first;
}

// ---------------------------------------------------------------- uses

static _Thread_local FileSetUse *innermost;

static void begin(FileSetUse *u) {
  u->outer = innermost;
  innermost = u;
}

void file_set_begin_noting(FileSetUse *u, FileSet *s) {
  *u = (FileSetUse){.noting = s};
  begin(u);
}

void file_set_begin_serving(FileSetUse *u, const FileSet *s) {
  *u = (FileSetUse){.serving = s};
  begin(u);
}

void file_set_end(FileSetUse *u) {
  assert(innermost == u);
  innermost = u->outer;
}

FileSetUse *file_set_innermost(void) {
  return innermost;
}

FileSetUse *file_set_swap(FileSetUse *next) {
  FileSetUse *before = innermost;
  innermost = next;
  return before;
}

bool file_set_is_serving(void) {
  for (const FileSetUse *u = innermost; u; u = u->outer)
    if (u->serving) return true;
  return false;
}
