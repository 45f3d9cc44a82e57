#include "problem/read_closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file_set.h"
#include "closed/closed_simulator.h"
#include "fmu/fmu_closed.h"
#include "lang/name.h"
#include "lang/parse.h"
#include "model/flatten.h"
#include "problem/closed_expression.h"
#include "problem/problem_source.h"
#include "program/program_closed.h"

static bool is_fmu_name(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcasecmp(path + length - 4, ".fmu") == 0;
}

bool model_is_closed(const Yaml *n) {
  return n && (n->kind == YAML_MAP || (n->kind == YAML_TEXT && is_fmu_name(n->text)));
}

// ---------------------------------------------------------------- numbers of both kinds

static bool read_positive(ProblemReader *r, const Yaml *map, const char *key, double *out) {
  const Yaml *n = yaml_find(map, key);
  if (yaml_is_null(n)) return true;
  if (n->kind != YAML_TEXT || !number_parse(n->text, out) || !(*out > 0) || !isfinite(*out))
    return reader_fail(r, n, ERR_VALUE, "'%s' must be a number above 0", key);
  return true;
}

static bool finish(ProblemReader *r, const Yaml *n, ClosedSimulator *s, const Err *own) {
  if (!s) return reader_adopt(r, n, own);
  Err err = {0};
  r->problem->closed = &s->model;
  r->ast = closed_ast(r->arena, s->description, &s->model);
  r->model_source = source_new(r->arena, s->model.name, "", 0, &err);
  r->flat = flatten(r->scratch, r->model_source, r->ast, r->overrides, r->override_count, &err);
  return r->flat || reader_adopt(r, n, &err);
}

// ---------------------------------------------------------------- FMUs

static bool read_interface(ProblemReader *r, const Yaml *map, FmuWish *out) {
  static const char *const WORDS[] = {"me", "cs"};
  const Yaml *n = yaml_find(map, "interface");
  const char *word;
  if (yaml_is_null(n)) return true;
  if (!reader_text(r, n, "'interface'", &word)) return false;
  *out = strcmp(word, "me") == 0 ? FMU_WISH_ME : FMU_WISH_CS;
  return strcmp(word, "me") == 0 || strcmp(word, "cs") == 0 ||
         reader_unknown(r, n->at, "interface", word, WORDS, 2);
}

static bool read_fmu(ProblemReader *r, const Yaml *n) {
  static const char *const KEYS[] = {"fmu", "interface", "step", "tolerance", "timeout", "memory"};
  const Yaml *file = n->kind == YAML_MAP ? yaml_find(n, "fmu") : n;
  FmuRequest q = {0};
  const char *name;
  if (!reader_text(r, file, "'fmu'", &name)) return false;
  if (n->kind == YAML_MAP &&
      !(reader_keys(r, n, "an FMU", KEYS, sizeof KEYS / sizeof *KEYS) &&
        read_interface(r, n, &q.interface) && read_positive(r, n, "step", &q.step) &&
        read_positive(r, n, "tolerance", &q.tolerance) &&
        read_positive(r, n, "timeout", &q.timeout) && read_positive(r, n, "memory", &q.memory)))
    return false;
  q.path = r->problem->model_path = reader_path(r, name);
  file_set_note_closed(q.path);
  Err own = {0};
  return finish(r, file, fmu_closed_open(&q, &own), &own);
}

// ---------------------------------------------------------------- programs

typedef struct ProgramReader {
  ProblemReader *r;
  const Yaml *node;
  ProgramSpec *spec;
  ClosedDescription *closed;
  Names *known; // parameters, inputs and variables
} ProgramReader;

static const char *absolute_folder(ProblemReader *r) {
  char *full = realpath(r->folder && r->folder[0] ? r->folder : ".", NULL);
  const char *out = arena_print(r->arena, "%s", full ? full : ".");
  free(full);
  return out;
}

static bool read_command(ProgramReader *p) {
  const Yaml *n = yaml_find(p->node, "command");
  const char *word;
  if (n->kind != YAML_LIST || !n->items.count)
    return reader_fail(p->r, n, ERR_VALUE,
                       "'command' must be a list, the program and its arguments, such as "
                       "[./vehicle, -batch, run.in]; no shell reads it");
  for (int i = 0; i < n->items.count; i++) {
    if (!reader_text(p->r, n->items.at[i], "a word of 'command'", &word)) return false;
    array_push(p->r->arena, &p->spec->command, word);
  }
  return true;
}

static bool read_files(ProgramReader *p) {
  const Yaml *n = yaml_find(p->node, "files"), *links = yaml_find(p->node, "link");
  const char *word;
  if (!reader_map(p->r, n, "'files'")) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++) {
    if (!reader_text(p->r, n->items.at[i], "a template of 'files'", &word)) return false;
    array_push(p->r->arena, &p->spec->files, ((ProgramFile){n->items.at[i]->key, word}));
  }
  if (yaml_is_null(links)) return true;
  if (links->kind != YAML_LIST)
    return reader_fail(p->r, links, ERR_VALUE, "'link' must be a list of files or folders");
  for (int i = 0; i < links->items.count; i++) {
    if (!reader_text(p->r, links->items.at[i], "an entry of 'link'", &word)) return false;
    array_push(p->r->arena, &p->spec->links, word);
  }
  return true;
}

static ClosedVariable plain_variable(const char *name) {
  return (ClosedVariable){.name = name,
                          .description = "",
                          .unit = "",
                          .min = -HUGE_VAL,
                          .max = HUGE_VAL,
                          .nominal = 1,
                          .start_of = -1};
}

static bool read_bound(ProblemReader *r, const Yaml *map, const char *key, double *out) {
  const Yaml *n = yaml_find(map, key);
  if (yaml_is_null(n)) return true;
  return (n->kind == YAML_TEXT && number_parse(n->text, out) && !isnan(*out)) ||
         reader_fail(r, n, ERR_VALUE, "'%s' must be a number", key);
}

static bool is_name(const char *s) {
  bool ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_';
  for (; ok && *s; s++)
    ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
         *s == '_' || *s == '.';
  return ok;
}

static bool read_parameter(ProgramReader *p, const Yaml *n) {
  static const char *const KEYS[] = {"value", "min", "max", "unit", "nominal", "description"};
  ClosedVariable v = plain_variable(n->key);
  const Yaml *value = n->kind == YAML_MAP ? yaml_find(n, "value") : n;
  ProblemReader *r = p->r;
  if (!is_name(n->key) || strncmp(n->key, "entrain.", 8) == 0)
    return reader_fail_key(r, n, ERR_NAME,
                           "'%.100s' cannot be the name of a parameter: letters, digits, '_' and "
                           "'.', not beginning with 'entrain.'",
                           n->key);
  if (n->kind == YAML_MAP && !reader_keys(r, n, "a parameter", KEYS, 6)) return false;
  if (yaml_is_null(value) || value->kind != YAML_TEXT || !number_parse(value->text, &v.value) ||
      !isfinite(v.value))
    return reader_fail(r, value ? value : n, ERR_VALUE,
                       "the value of %.100s must be a number, such as %.100s: 2e4 or %.100s: "
                       "{value: 1500, min: 500, unit: kg}",
                       n->key, n->key, n->key);
  v.has_value = true;
  if (n->kind == YAML_MAP) {
    const Yaml *unit = yaml_find(n, "unit"), *text = yaml_find(n, "description");
    if (!read_bound(r, n, "min", &v.min) || !read_bound(r, n, "max", &v.max) ||
        !read_positive(r, n, "nominal", &v.nominal))
      return false;
    if (!yaml_is_null(unit) && !reader_text(r, unit, "'unit'", &v.unit)) return false;
    if (!yaml_is_null(text) && !reader_text(r, text, "'description'", &v.description)) return false;
    if (!(v.min <= v.max))
      return reader_fail(r, n, ERR_VALUE, "min of %.100s is above its max", n->key);
  }
  names_set(p->known, n->key, 0);
  array_push(r->arena, &p->closed->parameters, v);
  array_push(r->arena, &p->spec->parameters, n->key);
  return true;
}

static bool read_parameters(ProgramReader *p) {
  const Yaml *n = yaml_find(p->node, "parameters");
  if (!reader_map(p->r, n, "'parameters'")) return false;
  for (int i = 0; i < (n ? n->items.count : 0); i++)
    if (!read_parameter(p, n->items.at[i])) return false;
  return true;
}

static bool read_file_key(ProgramReader *p, const char *key, const char *const *keys, int count,
                          const char **file) {
  const Yaml *n = yaml_find(p->node, key);
  *file = NULL;
  if (yaml_is_null(n)) return true;
  const char *quoted = arena_print(p->r->scratch, "'%s'", key);
  if (!reader_map(p->r, n, quoted) || !reader_keys(p->r, n, quoted, keys, count)) return false;
  const Yaml *name = yaml_find(n, "file");
  if (yaml_is_null(name))
    return reader_fail(p->r, n, ERR_VALUE,
                       "'%s' needs 'file', the name of a file in the run folder", key);
  return reader_text(p->r, name, "'file'", file);
}

static bool read_in_and_out(ProgramReader *p) {
  static const char *const IN[] = {"file"}, *const OUT[] = {"file", "time"};
  if (!read_file_key(p, "inputs", IN, 1, &p->spec->inputs_file) ||
      !read_file_key(p, "output", OUT, 2, &p->spec->output_file))
    return false;
  if (!p->spec->output_file)
    return reader_fail(p->r, p->node, ERR_VALUE,
                       "there is no 'output': the file that the program writes, such as {file: "
                       "result.csv, time: t}");
  const Yaml *time = yaml_find(yaml_find(p->node, "output"), "time");
  return yaml_is_null(time) || reader_text(p->r, time, "'time'", &p->spec->output_time);
}

static bool read_limits(ProgramReader *p) {
  static const char *const KEEP[] = {"none", "failed", "all"};
  const Yaml *keep = yaml_find(p->node, "keep"), *retries = yaml_find(p->node, "retries");
  const char *word = "none";
  double count = 0;
  ProgramSpec *s = p->spec;
  if (!read_positive(p->r, p->node, "timeout", &s->timeout) ||
      !read_positive(p->r, p->node, "memory", &s->memory))
    return false;
  if (!yaml_is_null(retries) &&
      (retries->kind != YAML_TEXT || !number_parse(retries->text, &count) || !(count >= 0) ||
       count > 100 || count != floor(count)))
    return reader_fail(p->r, retries, ERR_VALUE, "'retries' must be a whole number from 0 to 100");
  s->retries = (int)count;
  if (!yaml_is_null(keep) && !reader_text(p->r, keep, "'keep'", &word)) return false;
  for (int i = 0; i < 3; i++)
    if (strcmp(word, KEEP[i]) == 0) {
      s->keep = (ProgramKeep)i;
      return true;
    }
  return reader_unknown(p->r, keep->at, "'keep'", word, KEEP, 3);
}

// What experiments name under 'inputs' are the inputs.
static void add_inputs(ProgramReader *p, const Yaml *experiment) {
  const Yaml *n = yaml_find(experiment, "inputs");
  for (int i = 0; n && n->kind == YAML_MAP && i < n->items.count; i++) {
    const char *name = n->items.at[i]->key;
    if (names_find(p->known, name) >= 0) continue;
    names_set(p->known, name, 1);
    array_push(p->r->arena, &p->closed->inputs, plain_variable(name));
    array_push(p->r->arena, &p->spec->inputs, name);
  }
}

static void add_variable(ProgramReader *p, const char *name) {
  if (names_find(p->known, name) >= 0) return;
  name = arena_print(p->r->arena, "%s", name); // the problem keeps it
  names_set(p->known, name, 2);
  array_push(p->r->arena, &p->closed->variables, plain_variable(name));
  array_push(p->r->arena, &p->spec->variables, name);
}

static void add_names(ProgramReader *p, const Ast *e) {
  const char *path =
      e->kind == AST_FIELD || e->kind == AST_INDEX ? name_of_tree(p->r->arena, e) : NULL;
  if (path) {
    add_variable(p, path);
    return;
  }
  if (e->kind == AST_NAME && strcmp(e->name, "time") != 0)
    add_variable(p, closed_name_unquoted(p->r->arena, e->name));
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL) return;
  for (int i = 0; i < e->arg_count; i++) add_names(p, e->args[i]);
}

// Every name in what is measured that is no parameter and no input is a column of the output.
static void add_measured(ProgramReader *p, const char *text) {
  Err own = {0};
  const Source *s = source_new(p->r->scratch, "expression", text, strlen(text), &own);
  const Ast *e = s ? parse_expression(p->r->scratch, s, &own) : NULL;
  if (e && e->depth <= AST_DEPTH_SMALL)
    add_names(p, e);
  else
    add_variable(p, text);
}

static void add_variables(ProgramReader *p, const Yaml *experiment) {
  const Yaml *n = yaml_find(experiment, "measure");
  if (!n) return;
  if (n->kind == YAML_TEXT) add_measured(p, n->text);
  for (int i = 0; i < n->items.count; i++) {
    const Yaml *one = n->items.at[i];
    const char *text = n->kind == YAML_MAP ? one->key : one->text;
    if (text && text[0]) add_measured(p, text);
  }
}

static void read_names(ProgramReader *p) {
  const Yaml *list = yaml_find(p->r->root, "experiments");
  int count = list && list->kind == YAML_LIST ? list->items.count : 0;
  if (list && list->kind == YAML_MAP) add_inputs(p, list), add_variables(p, list); // a single one
  for (int i = 0; i < count; i++) add_inputs(p, list->items.at[i]);
  for (int i = 0; i < count; i++) add_variables(p, list->items.at[i]);
}

// The name of a template as the problem file has it.
static void shorten_path(Err *err, const char *folder) {
  size_t length = strlen(folder);
  if (strncmp(err->file, folder, length) == 0 && err->file[length] == '/')
    memmove(err->file, err->file + length + 1, strlen(err->file + length + 1) + 1);
}

// By the names that the problem file gives them. A program that is found in PATH belongs to the machine.
static void note_files(ProblemReader *r, const ProgramSpec *s) {
  if (strchr(s->command.at[0], '/')) file_set_note_closed(reader_path(r, s->command.at[0]));
  for (int i = 0; i < s->files.count; i++)
    file_set_note_closed(reader_path(r, s->files.at[i].file));
  for (int i = 0; i < s->links.count; i++) file_set_note_closed(reader_path(r, s->links.at[i]));
}

static bool read_program(ProblemReader *r, const Yaml *n) {
  static const char *const KEYS[] = {"command", "files",   "link",    "inputs", "parameters",
                                     "output",  "timeout", "retries", "keep",   "memory"};
  ProgramReader p = {.r = r,
                     .node = n,
                     .spec = ARENA_NEW(r->arena, ProgramSpec),
                     .closed = ARENA_NEW(r->arena, ClosedDescription),
                     .known = names_new(r->arena)};
  p.spec->folder = absolute_folder(r);
  if (!reader_keys(r, n, "a program", KEYS, sizeof KEYS / sizeof *KEYS) || !read_command(&p) ||
      !read_files(&p) || !read_parameters(&p) || !read_in_and_out(&p) || !read_limits(&p))
    return false;
  read_names(&p);
  if (p.spec->inputs.count && !p.spec->inputs_file)
    return reader_fail(r, n, ERR_VALUE,
                       "experiments have 'inputs', but the program has no file for them; write "
                       "inputs: {file: in.csv}");
  const char *command = p.spec->command.at[0], *slash = strrchr(command, '/');
  p.closed->name = slash ? slash + 1 : command;
  p.closed->description = "";
  p.closed->start_time = p.closed->stop_time = p.closed->interval = nan("");
  r->problem->model_path = strchr(command, '/') ? reader_path(r, command) : command;
  Err own = {0};
  ProgramFault fault = {0};
  FileSetUse *use = file_set_swap(NULL); // the content of templates is not noted
  ClosedSimulator *s = program_closed_open(p.spec, p.closed, &fault, &own);
  file_set_swap(use);
  if (s) note_files(r, p.spec);
  const Yaml *at = fault.key ? yaml_find(n, fault.key) : NULL;
  if (!at) at = n;
  if (fault.item >= 0 && fault.item < at->items.count) at = at->items.at[fault.item];
  if (!s && fault.key && strcmp(fault.key, "files") != 0) own.line = 0; // a place inside of a word
  shorten_path(&own, p.spec->folder);
  return finish(r, at, s, &own);
}

// model: {function: NAME}, the simulator that the calling program gave.
static bool read_function(ProblemReader *r, const Yaml *n) {
  static const char *const KEYS[] = {"function"};
  const Yaml *word = yaml_find(n, "function");
  ClosedModel *given = r->problem->closed;
  const char *name;
  if (given && !word)
    return reader_fail(r, n, ERR_VALUE,
                       "the calling program gave a simulator: write model: {function: %.100s}",
                       given->name);
  if (!reader_keys(r, n, "a model", KEYS, 1) || !reader_text(r, word, "'function'", &name))
    return false;
  if (!given || strcmp(given->name, name) != 0)
    return reader_fail(r, word, ERR_NAME,
                       "there is no simulator '%.100s'%s%.100s%s; functions are given by programs "
                       "that use the library",
                       name, given ? "; the calling program gave '" : "", given ? given->name : "",
                       given ? "'" : "");
  return read_given_simulator(r);
}

bool read_given_simulator(ProblemReader *r) {
  ClosedModel *given = r->problem->closed;
  Err own = {0};
  r->problem->model_in_memory = !r->given->closed_path;
  r->problem->model_path = r->given->closed_path ? r->given->closed_path : given->name;
  if (r->given->closed_path) file_set_note_closed(r->given->closed_path);
  return finish(r, r->root, closed_simulator(given), &own);
}

// Elsewhere than where the study was begun: nothing that comes from a store is executed. The simulator is one of this machine,
// in a folder that its user has named.
static bool read_served_model(ProblemReader *r, const Yaml *n) {
  const char *folder = file_set_closed_folder(), *before = r->folder;
  const Yaml *command = n->kind == YAML_MAP ? yaml_find(n, "command") : NULL;
  Err own = {0};
  if (!folder)
    return reader_fail(
        r, n, ERR_FILE,
        "the model is a closed simulator, which is not in the store; name the folder "
        "that has it with --simulators DIR");
  if (command && command->items.count && command->items.at[0]->text &&
      !strchr(command->items.at[0]->text, '/'))
    return reader_fail(r, command, ERR_FILE,
                       "'%s' is a program of the machine: only programs with a slash in their name "
                       "are run from a store, such as ./%s, whose content is checked",
                       command->items.at[0]->text, command->items.at[0]->text);
  if (!file_set_check_closed(r->folder ? r->folder : "", &own)) return reader_adopt(r, n, &own);
  FileSetUse *use = file_set_swap(NULL);
  r->folder = folder;
  bool fmu = n->kind == YAML_TEXT || yaml_find(n, "fmu");
  bool done = fmu ? read_fmu(r, n) : read_program(r, n);
  r->folder = before;
  file_set_swap(use);
  return done;
}

bool read_closed_model(ProblemReader *r, const Yaml *n) {
  bool function = n->kind == YAML_MAP && yaml_find(n, "function");
  if (file_set_is_serving() && !function && !r->problem->closed) return read_served_model(r, n);
  if (r->problem->closed || (n->kind == YAML_MAP && yaml_find(n, "function")))
    return read_function(r, n);
  bool fmu = n->kind == YAML_TEXT || yaml_find(n, "fmu");
  if (n->kind == YAML_MAP && !fmu && !yaml_find(n, "command"))
    return reader_fail(r, n, ERR_VALUE,
                       "a model is the name of a file, {fmu: car.fmu, ...} or {command: [program, "
                       "...], ...}");
  if (fmu && n->kind == YAML_MAP && yaml_find(n, "command"))
    return reader_fail(r, n, ERR_VALUE, "a model has 'fmu' or 'command', not both");
  return fmu ? read_fmu(r, n) : read_program(r, n);
}
