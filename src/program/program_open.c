// Checks what a problem file says of a program, and reads its templates.
#include "program/closed_program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "program/program_find.h"

enum { TEMPLATE_MOST = 1 << 28 }; // bytes

typedef struct Opening {
  Arena *arena;
  const ProgramSpec *spec;
  ClosedProgram *made;
  TemplateNames names;
  bool has_placeholders;
  ProgramFault *fault;
  Err *err;
} Opening;

// What is looked at: an error is there.
static void look_at(const Opening *o, const char *key, int item) {
  if (o->fault) *o->fault = (ProgramFault){key, item};
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// ---- command

static bool open_command(Opening *o) {
  const ProgramSpec *s = o->spec;
  look_at(o, "command", s->command.count ? 0 : -1);
  if (s->command.count == 0) return fail(o->err, ERR_VALUE, "the command is empty");
  o->made->path = program_find(o->arena, s->folder, s->command.at[0], o->err);
  if (!o->made->path) return false;
  o->made->name = last_part(o->made->path);
  const Template **arguments = ARENA_ARRAY(o->arena, const Template *, s->command.count);
  for (int i = 1; i < s->command.count; i++) {
    const char *word = s->command.at[i];
    look_at(o, "command", i);
    const char *file = arena_print(o->arena, "argument %d of the command", i);
    arguments[i] = template_parse(o->arena, file, word, strlen(word), &o->names, o->err);
    if (!arguments[i]) return false;
    o->has_placeholders |= template_has_placeholders(arguments[i]);
  }
  o->made->arguments = arguments;
  return true;
}

// ---- templates

static bool is_file(const char *path) {
  struct stat s;
  return stat(path, &s) != 0 || S_ISREG(s.st_mode); // that it is absent is said where it is read
}

static bool open_template(Opening *o, const ProgramFile *f, ProgramText *made) {
  made->name = run_name(o->arena, "the name of the file", f->name, o->err);
  if (!made->name) return false;
  const char *path = path_from(o->arena, o->spec->folder, f->file);
  if (!is_file(path)) return fail(o->err, ERR_FILE, "the template '%.300s' is not a file", path);
  size_t length;
  const char *text = file_read(o->arena, path, TEMPLATE_MOST, &length, o->err);
  if (!text) return false;
  made->template = template_parse(o->arena, path, text, length, &o->names, o->err);
  return made->template != NULL;
}

static bool open_templates(Opening *o) {
  const ProgramSpec *s = o->spec;
  ProgramText *files = ARENA_ARRAY(o->arena, ProgramText, s->files.count + 1);
  for (int i = 0; i < s->files.count; i++) {
    look_at(o, "files", i);
    if (!open_template(o, &s->files.at[i], &files[i])) return false;
  }
  o->made->files = files;
  return true;
}

// A parameter that nothing passes on would be estimated in vain.
static bool check_used(Opening *o) {
  const ProgramSpec *s = o->spec;
  look_at(o, "parameters", -1);
  for (int i = 0; i < s->parameters.count; i++) {
    look_at(o, "parameters", i);
    if (o->names.used[i]) continue;
    const char *name = s->parameters.at[i];
    Place at = {0};
    if (s->files.count == 1) at.file = path_from(o->arena, s->folder, s->files.at[0].file);
    return fail_at(o->err, ERR_NAME, at,
                   "the parameter '%.100s' does not reach the program: write {{%.100s}} into a "
                   "template or an argument of the command",
                   name, name);
  }
  return true;
}

// ---- links

static const char *link_name(Opening *o, const char *link) {
  size_t length = strlen(link);
  while (length > 1 && link[length - 1] == '/') length--;
  const char *name = last_part(arena_copy(o->arena, link, length));
  if (strcmp(name, "..") != 0 && strcmp(name, ".") != 0 && *name)
    return run_name(o->arena, "the name of the link", name, o->err);
  fail(o->err, ERR_VALUE, "the link '%.200s' does not end with a name", link);
  return NULL;
}

static bool open_links(Opening *o) {
  const ProgramSpec *s = o->spec;
  ProgramLink *links = ARENA_ARRAY(o->arena, ProgramLink, s->links.count + 1);
  const char **allowed = ARENA_ARRAY(o->arena, const char *, s->links.count + 1);
  for (int i = 0; i < s->links.count; i++) {
    const char *target = path_from(o->arena, s->folder, s->links.at[i]);
    look_at(o, "link", i);
    links[i] = (ProgramLink){link_name(o, s->links.at[i]), target};
    if (!links[i].name) return false;
    char *real = realpath(target, NULL);
    if (!real) return fail(o->err, ERR_FILE, "there is no '%.300s', which is to be linked", target);
    allowed[i] = arena_copy(o->arena, real, strlen(real));
    free(real);
  }
  o->made->links = links;
  o->made->output.allowed = allowed;
  o->made->output.allowed_count = s->links.count;
  return true;
}

// ---- names in the run folder

typedef struct RunEntry {
  const char *what, *name;
} RunEntry;

static bool check_clashes(Opening *o, const RunEntry *entries, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++)
      if (run_names_clash(entries[i].name, entries[k].name))
        return fail(o->err, ERR_NAME, "the %s '%.100s' and the %s '%.100s' clash in the run folder",
                    entries[k].what, entries[k].name, entries[i].what, entries[i].name);
  return true;
}

// What was there before the run must not be taken for its result.
static bool check_output(Opening *o, const RunEntry *entries, int count) {
  const char *name = o->made->output.file;
  for (int i = 0; i < count; i++) {
    if (run_names_clash(name, entries[i].name))
      return fail(o->err, ERR_NAME,
                  "the output file '%.100s' and the %s '%.100s' clash in the run folder", name,
                  entries[i].what, entries[i].name);
  }
  return true;
}

static bool open_names(Opening *o) {
  const ProgramSpec *s = o->spec;
  ClosedProgram *p = o->made;
  look_at(o, "output", -1);
  p->output.time = s->output_time;
  p->output.variables = s->variables.at;
  if (!s->output_file) return fail(o->err, ERR_VALUE, "the output file is not named");
  p->output.file = run_name(o->arena, "the name of the output file", s->output_file, o->err);
  if (!p->output.file) return false;
  if (s->inputs_file) {
    look_at(o, "inputs", -1);
    p->inputs_file = run_name(o->arena, "the name of the inputs file", s->inputs_file, o->err);
    if (!p->inputs_file) return false;
  }
  int count = 0;
  RunEntry *entries = ARENA_ARRAY(o->arena, RunEntry, s->files.count + s->links.count + 2);
  for (int i = 0; i < s->files.count; i++) entries[count++] = (RunEntry){"file", p->files[i].name};
  for (int i = 0; i < s->links.count; i++) entries[count++] = (RunEntry){"link", p->links[i].name};
  if (p->inputs_file) entries[count++] = (RunEntry){"inputs file", p->inputs_file};
  entries[count++] = (RunEntry){"log of the run", RUN_LOG};
  look_at(o, NULL, -1);
  if (!check_clashes(o, entries, count)) return false;
  look_at(o, "output", -1);
  return check_output(o, entries, count);
}

static bool check_numbers(const ProgramSpec *s, Err *err) {
  if (!(s->timeout >= 0))
    return fail(err, ERR_VALUE, "timeout must be 0 or more, not %g", s->timeout);
  if (!(s->memory >= 0)) return fail(err, ERR_VALUE, "memory must be 0 or more, not %g", s->memory);
  if (s->retries < 0) return fail(err, ERR_VALUE, "retries must be 0 or more, not %d", s->retries);
  return true;
}

ClosedProgram *program_open(Arena *a, const ProgramSpec *s, ProgramFault *fault, Err *err) {
  ClosedProgram *p = ARENA_NEW(a, ClosedProgram);
  p->spec = s;
  Opening o = {.arena = a, .spec = s, .made = p, .fault = fault, .err = err};
  look_at(&o, NULL, -1);
  o.names = (TemplateNames){s->parameters.at, s->parameters.count,
                            ARENA_ARRAY(a, bool, s->parameters.count + 1)};
  bool done = check_numbers(s, err) && open_command(&o) && open_templates(&o) && check_used(&o) &&
              open_links(&o) && open_names(&o);
  return done ? p : NULL;
}
