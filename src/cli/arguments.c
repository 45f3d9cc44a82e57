#include "cli/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/no_memory.h"
#include "entrain.h"

// --rel-tol is the same as --rel_tol.
static bool same_name(const char *known, const char *name, size_t length) {
  if (strlen(known) != length) return false;
  for (size_t i = 0; i < length; i++)
    if (known[i] != name[i] && !(known[i] == '_' && name[i] == '-')) return false;
  return true;
}

static const Flag *find_flag(const Command *c, const char *name, size_t length) {
  for (const Flag *f = c->flags; f->name; f++)
    if (same_name(f->name, name, length)) return f;
  return NULL;
}

static const Flag *find_letter(const Command *c, char letter) {
  for (const Flag *f = c->flags; f->name; f++)
    if (f->letter == letter) return f;
  return NULL;
}

static bool takes(const Command *c, const EntrainOption *o) {
  return (c->options >> o->group & 1) != 0;
}

static bool find_option(const char *name, size_t length, EntrainOption *out) {
  for (int i = 0; entrain_option(i, out); i++)
    if (same_name(out->name, name, length)) return true;
  return false;
}

// The option exists, but belongs to other commands.
static bool fail_elsewhere(const Command *c, const EntrainOption *o) {
  char list[200] = "";
  size_t length = 0;
  for (int i = 0; COMMANDS[i]; i++) {
    if (!takes(COMMANDS[i], o) && !find_flag(COMMANDS[i], o->name, strlen(o->name))) continue;
    snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", COMMANDS[i]->name);
    length = strlen(list);
  }
  complain("%s has no flag '--%s'; it is an option of: %s", c->name, o->name, list);
  return false;
}

static bool fail_unknown(const Command *c, const char *word, size_t length) {
  char name[64];
  if (length >= sizeof name) length = sizeof name - 1;
  memcpy(name, word, length);
  name[length] = 0;
  NearestWord nearest = {.name = name};
  EntrainOption option = {.size = sizeof option};
  if (find_option(name, length, &option)) return fail_elsewhere(c, &option);
  for (const Flag *f = c->flags; f->name; f++)
    if (!f->hidden) nearest_offer(&nearest, f->name);
  for (int i = 0; entrain_option(i, &option); i++)
    if (takes(c, &option)) nearest_offer(&nearest, option.name);
  if (nearest.best)
    complain("%s has no flag '--%s'; did you mean '--%s'?", c->name, name, nearest.best);
  else
    complain("%s has no flag '--%s'; 'entrain help %s' lists them", c->name, name, c->name);
  return false;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// An argument in brackets is taken unless the next word is a flag or the file of the command.
static bool takes_next(const Flag *f, const char *next) {
  if (!next) return false;
  if (f && strncmp(f->argument, "[=", 2) == 0) return false; // only behind an equals sign
  if (f && f->argument[0] == '[')
    return next[0] != '-' && !ends_with(next, ".mo") && !ends_with(next, ".yaml");
  return strncmp(next, "--", 2) != 0;
}

typedef struct ArgumentReader {
  Arguments *a;
  char **words;
  int count, at;
} ArgumentReader;

static bool add_given(ArgumentReader *r, const Flag *flag, const char *name, const char *value) {
  const char *next = r->at < r->count ? r->words[r->at] : NULL;
  bool is_switch = flag && !flag->argument,
       may_lack = flag && !is_switch && flag->argument[0] == '[';
  if (is_switch && value) {
    complain("--%s takes no value", name);
    return false;
  }
  if (!is_switch && !value && takes_next(flag, next)) value = r->words[r->at++];
  if (!is_switch && !may_lack && !value) {
    complain("--%s needs a value", name);
    return false;
  }
  r->a->given[r->a->given_count++] = (Given){flag, name, value};
  return true;
}

static bool read_long(ArgumentReader *r, const char *word) {
  size_t length = strcspn(word, "=");
  const char *value = word[length] ? word + length + 1 : NULL;
  const Flag *flag = find_flag(r->a->command, word, length);
  EntrainOption option = {.size = sizeof option};
  if (flag) return add_given(r, flag, flag->name, value);
  if (find_option(word, length, &option) && takes(r->a->command, &option))
    return add_given(r, NULL, option.name, value);
  return fail_unknown(r->a->command, word, length);
}

// The options of the library that have a letter.
static bool find_option_letter(const Command *c, char letter, EntrainOption *out) {
  const char *name = letter == 'j' ? "threads" : NULL;
  return name && find_option(name, strlen(name), out) && takes(c, out);
}

static bool read_short(ArgumentReader *r, const char *word) { // -o FILE, -oFILE, -o=FILE
  const char *value = !word[1] ? NULL : word + (word[1] == '=' ? 2 : 1);
  const Flag *flag = find_letter(r->a->command, word[0]);
  EntrainOption option = {.size = sizeof option};
  if (!flag && find_option_letter(r->a->command, word[0], &option))
    return add_given(r, NULL, option.name, value);
  if (!flag) {
    complain("%s has no flag '-%s'; 'entrain help %s' lists them", r->a->command->name, word,
             r->a->command->name);
    return false;
  }
  return add_given(r, flag, flag->name, value);
}

static bool read_word(ArgumentReader *r, bool *flags_ended) {
  const char *word = r->words[r->at++];
  if (*flags_ended || word[0] != '-' || word[1] == 0) {
    r->a->words[r->a->word_count++] = word;
    return true;
  }
  if (strcmp(word, "--") == 0) return *flags_ended = true;
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return r->a->wants_help = true;
  return word[1] == '-' ? read_long(r, word + 2) : read_short(r, word + 1);
}

static bool check_words(const Arguments *a) {
  const Command *c = a->command;
  int most = c->words[0] != 0, least = most && c->words[0] != '[';
  if (strstr(c->words, "...")) most = a->word_count; // as many as are wanted
  if (a->wants_help) return true;
  if (a->word_count < least)
    complain("%s needs a %s: entrain %s %s", c->name, c->words, c->name, c->words);
  else if (a->word_count > most)
    complain("%s: unexpected argument '%s'", c->name, a->words[most]);
  return a->word_count >= least && a->word_count <= most;
}

bool arguments_parse(Arguments *a, const Command *command, int count, char **words) {
  *a = (Arguments){.command = command};
  a->given = needed(calloc((size_t)count + 1, sizeof *a->given));
  a->words = needed(calloc((size_t)count + 1, sizeof *a->words));
  ArgumentReader r = {a, words, count, 0};
  bool flags_ended = false;
  while (r.at < count)
    if (!read_word(&r, &flags_ended)) return false;
  return check_words(a);
}

void arguments_done(Arguments *a) {
  free(a->given);
  free(a->words);
  *a = (Arguments){0};
}

bool arguments_have(const Arguments *a, const char *flag) {
  for (int i = 0; i < a->given_count; i++)
    if (a->given[i].flag && strcmp(a->given[i].name, flag) == 0) return true;
  return false;
}

const char *arguments_value(const Arguments *a, const char *flag) {
  for (int i = a->given_count - 1; i >= 0; i--)
    if (a->given[i].flag && strcmp(a->given[i].name, flag) == 0) return a->given[i].value;
  return NULL;
}
