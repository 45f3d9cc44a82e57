#include "cli/report_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/lists.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/output.h"

bool page_wanted(const Arguments *a) {
  return arguments_have(a, "report") || live_is_on();
}

bool pictures_wanted(const Arguments *a) {
  return page_wanted(a) || figures_wanted(a);
}

typedef struct Without {
  bool model, data;
} Without;

static bool read_without(const Arguments *a, Without *w) {
  const char *list = arguments_value(a, "report_without");
  Words words = {0};
  bool fine = true;
  *w = (Without){0};
  if (!list) return true;
  bool split = words_split("--report_without", list, &words);
  for (int i = 0; split && i < words.count; i++) {
    bool model = strcmp(words.at[i], "model") == 0, data = strcmp(words.at[i], "data") == 0;
    w->model |= model, w->data |= data;
    if (!model && !data) fine = false;
  }
  words_done(&words);
  if (!split) return false;
  if (!fine) complain("--report_without takes model, data or model,data");
  return fine;
}

bool page_prepare(const Arguments *a) {
  Without w;
  if (!read_without(a, &w)) return false;
  bool own = strcmp(a->command->name, "report") == 0; // it always makes one
  if (!own && !arguments_have(a, "report") && arguments_have(a, "report_without")) {
    complain("--report_without needs --report FILE, the page");
    return false;
  }
  return true;
}

// ---------------------------------------------------------------- the command

static bool is_plain(const char *word) {
  return word[0] &&
         word[strspn(word,
                     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-")] ==
             0;
}

// For a shell.
static void add_word(char **text, const char *before, const char *word) {
  char *longer;
  if (is_plain(word)) {
    if (asprintf(&longer, "%s%s%s", *text, before, word) < 0) no_memory();
  } else {
    char *quoted = needed(malloc(4 * strlen(word) + 3)), *at = quoted;
    *at++ = '\'';
    for (const char *s = word; *s; s++)
      if (*s == '\'')
        at = stpcpy(at, "'\\''");
      else
        *at++ = *s;
    strcpy(at, "'");
    if (asprintf(&longer, "%s%s%s", *text, before, quoted) < 0) no_memory();
    free(quoted);
  }
  free(*text);
  *text = longer;
}

// Files by the last part of their path: whoever gets the page has other folders. Of the address of a server nothing.
static void add_file(char **text, const char *path) {
  const char *slash = strrchr(path, '/');
  add_word(text, " ", strstr(path, "://") ? "..." : slash && slash[1] ? slash + 1 : path);
}

static bool is_place(const Flag *f) {
  static const char *const KINDS[] = {"FILE", "DIR", "PLACE"};
  for (size_t i = 0; f && f->argument && i < sizeof KINDS / sizeof *KINDS; i++)
    if (strcmp(f->argument, KINDS[i]) == 0) return true;
  return false;
}

static char *command_of(const Arguments *a) {
  char *text = needed(strdup("entrain "));
  add_word(&text, "", a->command->name);
  for (int i = 0; i < a->word_count; i++) add_file(&text, a->words[i]);
  for (int i = 0; i < a->given_count; i++) {
    const Given *g = &a->given[i];
    add_word(&text, " --", g->name);
    bool optional = g->flag && g->flag->argument && g->flag->argument[0] == '[';
    if (g->value && is_place(g->flag))
      add_file(&text, g->value);
    else if (g->value)
      add_word(&text, optional ? "=" : " ", g->value);
  }
  return text;
}

static char *title_of(const Arguments *a) {
  char *text;
  const char *path = a->word_count ? a->words[0] : "", *at = path + strlen(path);
  for (int slashes = 0; at > path; at--)
    if (at[-1] == '/' && ++slashes == (path[0] == '/' ? 1 : 2)) break;
  if (asprintf(&text, "entrain %s: %s", a->command->name, at) < 0) no_memory();
  return text;
}

static int write_page(const Arguments *a, const char *path, const EntrainProblem *p,
                      const char *former_path, char *body, const EntrainFigures *figures) {
  Without w;
  read_without(a, &w);
  char *command = command_of(a), *title = title_of(a);
  EntrainPage page = {.size = sizeof page,
                      .title = title,
                      .command = command,
                      .body = body,
                      .figures = figures,
                      .former_path = former_path,
                      .without_model = w.model,
                      .without_data = w.data};
  char *html = entrain_page(p, &page);
  int status = DONE;
  if (html && live_is_on()) live_report(html);
  if (path)
    status = write_result(path, html);
  else
    entrain_text_free(html);
  free(command);
  free(title);
  free(body);
  return status;
}

int page_write_to(const Arguments *a, const char *path, const EntrainProblem *p,
                  const char *former_path, char *body, EntrainFigures *figures) {
  int status = write_page(a, path, p, former_path, body, figures);
  entrain_figures_free(figures);
  return status;
}

int pages_write(const Arguments *a, const EntrainProblem *p, char *body, EntrainFigures *figures) {
  int status = body ? write_page(a, arguments_value(a, "report"), p, NULL, body, figures) : DONE;
  if (figures_wanted(a))
    status = worse(status, figures_write(a, figures));
  else
    entrain_figures_free(figures);
  return status;
}
