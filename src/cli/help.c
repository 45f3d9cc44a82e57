#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "entrain.h"

enum { WIDTH = 80, INDENT = 26 };

static const char *const SUMMARY =
    "entrain simulates models that are written in Modelica, with exact sensitivities.";

static const struct {
  int status;
  const char *meaning;
} STATUS[] = {
    {DONE, "done"},
    {NOT_REACHED, "done, but the simulation did not reach its end; what was reached is written"},
    {WRONG_USE, "wrong use or wrong input"},
    {INTERNAL, "a defect of entrain itself"},
};
enum { STATUS_COUNT = sizeof STATUS / sizeof *STATUS };

// Words of text in lines of WIDTH, the first one beginning at column `at`, the others at indent.
static void print_wrapped(FILE *out, const char *text, int at, int indent) {
  while (*text) {
    int length = (int)strcspn(text, " \n");
    if (at > indent && at + length > WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      at = indent;
    }
    fprintf(out, "%.*s", length, text);
    at += length;
    text += length;
    if (*text == ' ') {
      if (at + 1 + (int)strcspn(text + 1, " \n") <= WIDTH) fputc(' ', out);
      at++;
      text++;
    } else if (*text == '\n') {
      fprintf(out, "\n%*s", indent, "");
      at = indent;
      text++;
    }
  }
  fputc('\n', out);
}

// A name and what it means, in two columns.
static void print_row(FILE *out, const char *name, const char *meaning) {
  int at = fprintf(out, "  %s", name);
  if (at + 2 > INDENT) {
    fputc('\n', out);
    at = 0;
  }
  fprintf(out, "%*s", INDENT - at, "");
  print_wrapped(out, meaning, INDENT, INDENT);
}

static void usage_of(const Command *c, char *text, size_t size) {
  snprintf(text, size, "entrain %s%s%s%s", c->name, c->words[0] ? " " : "", c->words,
           c->flags->name && !c->flags->hidden ? " [FLAG ...]" : "");
}

static void spelling_of(const Flag *f, char *text, size_t size) {
  char letter[8] = "";
  if (f->letter) snprintf(letter, sizeof letter, "-%c, ", f->letter);
  snprintf(text, size, "%s--%s%s%s", letter, f->name, f->argument ? " " : "",
           f->argument ? f->argument : "");
}

static void meaning_of(const Flag *f, char *text, size_t size) {
  snprintf(text, size, "%s%s%s%s", f->meaning, f->initial ? " (default: " : "",
           f->initial ? f->initial : "", f->initial ? ")" : "");
}

void help_overview(const Command *c, FILE *out) {
  (void)c;
  char usage[200];
  fprintf(out, "%s\n\nCommands:\n", SUMMARY);
  for (int i = 0; COMMANDS[i]; i++) {
    snprintf(usage, sizeof usage, "%s %s", COMMANDS[i]->name, COMMANDS[i]->words);
    print_row(out, usage, COMMANDS[i]->meaning);
  }
  fputs("\nExit status:\n", out);
  for (int i = 0; i < STATUS_COUNT; i++) {
    char number[8];
    snprintf(number, sizeof number, "%d", STATUS[i].status);
    print_row(out, number, STATUS[i].meaning);
  }
  fputs("\n'entrain help COMMAND' tells more. Results go to standard output, messages to standard "
        "error.\n",
        out);
}

static void option_meaning(const EntrainOption *o, char *text, size_t size) {
  snprintf(text, size, "%s (%s; default: %s)", o->meaning, o->range, o->default_value);
}

void help_options(const Command *c, FILE *out) {
  (void)c;
  EntrainOption o;
  char text[1000];
  for (int i = 0; i < entrain_option_count(); i++) {
    if (!entrain_option(i, &o)) continue;
    option_meaning(&o, text, sizeof text);
    print_row(out, o.name, text);
  }
}

static void print_flags(const Command *c, FILE *out) {
  char name[200], meaning[1000];
  fputs("\nFlags:\n", out);
  for (const Flag *f = c->flags; f->name; f++) {
    if (f->hidden) continue;
    spelling_of(f, name, sizeof name);
    meaning_of(f, meaning, sizeof meaning);
    print_row(out, name, meaning);
  }
  print_row(out, "-h, --help", "this text");
}

void help_command(const Command *c, FILE *out) {
  char usage[200];
  usage_of(c, usage, sizeof usage);
  fprintf(out, "%s\n\n", usage);
  print_wrapped(out, c->details, 0, 0);
  print_flags(c, out);
  if (c->takes_options) {
    fputs("\nOptions, as --name=value or --name value:\n", out);
    help_options(c, out);
  }
  if (c->examples[0]) fputs("\nExamples:\n", out);
  for (int i = 0; c->examples[i]; i += 2)
    fprintf(out, "  %s\n      %s\n", c->examples[i], c->examples[i + 1]);
}

int help_show(void (*text_of)(const Command *, FILE *), const Command *c) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) {
    complain("out of memory");
    return INTERNAL;
  }
  text_of(c, out);
  fclose(out);
  bool done = output_write(NULL, text, length);
  free(text);
  return done ? DONE : WRONG_USE;
}

// ---------------------------------------------------------------- documents

static const char *const GENERATED =
    "made by 'make docs' from the tables of the command; do not edit";

static void add_cell(FILE *out, const char *text) { // of a Markdown table
  for (; *text; text++) {
    if (*text == '|') fputc('\\', out);
    fputc(*text == '\n' ? ' ' : *text, out);
  }
}

static void markdown_flags(const Command *c, FILE *out) {
  char name[200];
  fputs("| flag | meaning | default |\n| --- | --- | --- |\n", out);
  for (const Flag *f = c->flags; f->name; f++) {
    if (f->hidden) continue;
    spelling_of(f, name, sizeof name);
    fprintf(out, "| `%s` | ", name);
    add_cell(out, f->meaning);
    fprintf(out, " | %s |\n", f->initial ? f->initial : "");
  }
  fputs("| `-h, --help` | help for this command | |\n\n", out);
}

static void markdown_command(const Command *c, FILE *out) {
  char usage[200];
  usage_of(c, usage, sizeof usage);
  fprintf(out, "## %s\n\n```\n%s\n```\n\n%s\n\n", c->name, usage, c->details);
  markdown_flags(c, out);
  if (c->takes_options) fputs("Every option of [options.md](options.md) is a flag, too.\n\n", out);
  for (int i = 0; c->examples[i]; i += 2)
    fprintf(out, "%s:\n\n```\n%s\n```\n\n", c->examples[i + 1], c->examples[i]);
}

void help_markdown(const Command *c, FILE *out) {
  (void)c;
  fprintf(out, "<!-- %s -->\n# The command\n\n%s\n\n", GENERATED, SUMMARY);
  for (int i = 0; COMMANDS[i]; i++) markdown_command(COMMANDS[i], out);
  fputs("## Exit status\n\n| status | meaning |\n| --- | --- |\n", out);
  for (int i = 0; i < STATUS_COUNT; i++)
    fprintf(out, "| %d | %s |\n", STATUS[i].status, STATUS[i].meaning);
}

void help_options_markdown(const Command *c, FILE *out) {
  (void)c;
  EntrainOption o;
  fprintf(out, "<!-- %s -->\n# Options\n\n", GENERATED);
  fputs("On the command line `--rel_tol=1e-8`, in the library `entrain_options_set(options, "
        "\"rel_tol\", \"1e-8\", "
        "&error)`.\n\n| option | type | default | allowed | meaning |\n| --- | --- | --- | --- | "
        "--- |\n",
        out);
  for (int i = 0; i < entrain_option_count(); i++) {
    if (!entrain_option(i, &o)) continue;
    fprintf(out, "| `%s` | %s | %s | %s | ", o.name, o.type, o.default_value, o.range);
    add_cell(out, o.meaning);
    fputs(" |\n", out);
  }
}

static void add_roff(FILE *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '-')
      fputs("\\-", out);
    else if (*c == '\\')
      fputs("\\e", out);
    else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
      fprintf(out, "\\&%c", *c);
    else
      fputc(*c, out);
  }
}

static void man_item(FILE *out, const char *name, const char *meaning) {
  fputs(".TP\n.B ", out);
  add_roff(out, name);
  fputc('\n', out);
  add_roff(out, meaning);
  fputc('\n', out);
}

static void man_command(const Command *c, FILE *out) {
  char text[1000], name[200];
  usage_of(c, name, sizeof name);
  fputs(".SS ", out);
  add_roff(out, name);
  fputc('\n', out);
  add_roff(out, c->details);
  fputc('\n', out);
  for (const Flag *f = c->flags; f->name; f++) {
    if (f->hidden) continue;
    spelling_of(f, name, sizeof name);
    meaning_of(f, text, sizeof text);
    man_item(out, name, text);
  }
}

static void man_examples(FILE *out) {
  fputs(".SH EXAMPLES\n", out);
  for (int i = 0; COMMANDS[i]; i++)
    for (const char *const *e = COMMANDS[i]->examples; *e; e += 2) man_item(out, e[0], e[1]);
}

void help_man(const Command *c, FILE *out) {
  (void)c;
  EntrainOption o;
  char text[1000];
  fprintf(out, ".\\\" %s\n.TH ENTRAIN 1 \"\" \"entrain %s\" \"User commands\"\n", GENERATED,
          entrain_version());
  fputs(".SH NAME\nentrain \\- simulate dynamic models with exact sensitivities\n.SH SYNOPSIS\n"
        ".B entrain\n.I command\n[argument ...]\n.SH DESCRIPTION\n",
        out);
  add_roff(out, SUMMARY);
  fputs("\nResults go to standard output, messages to standard error.\n.SH COMMANDS\n", out);
  for (int i = 0; COMMANDS[i]; i++) man_command(COMMANDS[i], out);
  fputs(".SH OPTIONS\nGiven as \\-\\-name=value to a simulation.\n", out);
  for (int i = 0; i < entrain_option_count(); i++) {
    if (!entrain_option(i, &o)) continue;
    option_meaning(&o, text, sizeof text);
    man_item(out, o.name, text);
  }
  fputs(".SH EXIT STATUS\n", out);
  for (int i = 0; i < STATUS_COUNT; i++) {
    char number[8];
    snprintf(number, sizeof number, "%d", STATUS[i].status);
    man_item(out, number, STATUS[i].meaning);
  }
  man_examples(out);
}
