#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/output.h"
#include "cli/topics.h"
#include "entrain.h"

enum { WIDTH_LEAST = 40, WIDTH_MOST = 80, NARROW = 60, INDENT = 26, INDENT_NARROW = 8 };

static int page_width(void) {
  int width = output_terminal().width;
  return width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width;
}

// Of what stands beside names.
static int meaning_indent(void) {
  return page_width() < NARROW ? INDENT_NARROW : INDENT;
}

static const char *const SUMMARY =
    "entrain finds the unknown parameters of dynamic models from measured time series, and reports "
    "how reliable they are. Models are Modelica text, FMUs, or programs.";

static const struct {
  int status;
  const char *meaning;
} STATUS[] = {
    {DONE, "done"},
    {NOT_REACHED,
     "done, but a simulation did not reach its end, a fit did not converge, is ambiguous or "
     "doubtful or was stopped, or a check failed; partial results are written"},
    {WRONG_USE, "wrong usage or wrong input"},
    {INTERNAL, "a defect in entrain, or not enough memory; files are complete or absent"},
};
enum { STATUS_COUNT = sizeof STATUS / sizeof *STATUS };

// Prints text in lines that fit. The first line begins at column `at`, the others at indent.
static void print_wrapped(FILE *out, const char *text, int at, int indent) {
  int width = page_width();
  while (*text) {
    int length = (int)strcspn(text, " \n");
    if (at > indent && at + length > width) {
      fprintf(out, "\n%*s", indent, "");
      at = indent;
    }
    fprintf(out, "%.*s", length, text);
    at += length;
    text += length;
    if (*text == ' ') {
      if (at + 1 + (int)strcspn(text + 1, " \n") <= width) fputc(' ', out);
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

// A name and its meaning, in two columns.
static void print_row(FILE *out, const char *name, const char *meaning) {
  int at = fprintf(out, "  %s", name), indent = meaning_indent();
  if (at + 2 > indent) {
    fputc('\n', out);
    at = 0;
  }
  fprintf(out, "%*s", indent - at, "");
  print_wrapped(out, meaning, indent, indent);
}

static void usage_of(const Command *c, char *text, size_t size) {
  snprintf(text, size, "entrain %s%s%s%s", c->name, c->words[0] ? " " : "", c->words,
           c->flags->name && !c->flags->hidden ? " [FLAG ...]" : "");
}

static void spelling_of(const Flag *f, char *text, size_t size) {
  char letter[8] = "";
  if (f->letter) snprintf(letter, sizeof letter, "-%c, ", f->letter);
  snprintf(text, size, "%s--%s%s%s", letter, f->name,
           f->argument && strncmp(f->argument, "[=", 2) != 0 ? " " : "",
           f->argument ? f->argument : "");
}

static void meaning_of(const Flag *f, char *text, size_t size) {
  snprintf(text, size, "%s%s%s%s", f->meaning, f->initial ? " (default: " : "",
           f->initial ? f->initial : "", f->initial ? ")" : "");
}

void help_overview(const Command *c, FILE *out) {
  (void)c;
  char usage[200];
  print_wrapped(out, SUMMARY, 0, 0);
  fputs("\nCommands:\n", out);
  for (int i = 0; COMMANDS[i]; i++) {
    snprintf(usage, sizeof usage, "%s %s", COMMANDS[i]->name, COMMANDS[i]->words);
    print_row(out, usage, COMMANDS[i]->meaning);
  }
  fputs("\nMore help:\n", out);
  for (const Topic *t = TOPICS; t->name; t++) {
    snprintf(usage, sizeof usage, "help %s", t->name);
    print_row(out, usage, t->meaning);
  }
  fputs("\nExit status:\n", out);
  for (int i = 0; i < STATUS_COUNT; i++) {
    char number[8];
    snprintf(number, sizeof number, "%d", STATUS[i].status);
    print_row(out, number, STATUS[i].meaning);
  }
  fputc('\n', out);
  print_wrapped(
      out,
      "'entrain help COMMAND' explains a command. Results go to standard output, messages "
      "and progress to standard error.",
      0, 0);
}

static const struct {
  EntrainOptionGroup group;
  const char *title;
} GROUPS[] = {
    {ENTRAIN_OPTION_FIT, "Options of a fit"},
    {ENTRAIN_OPTION_SIMULATION, "Options of a simulation"},
    {ENTRAIN_OPTION_NOISE, "Options of studies with simulated measurements"},
};
enum { GROUP_COUNT = sizeof GROUPS / sizeof *GROUPS };

// "sum or integral" from "sum integral"
static void range_of(const EntrainOption *o, char *text, size_t size) {
  size_t at = 0;
  bool choice = strcmp(o->type, "choice") == 0;
  for (const char *c = o->range; *c && at + 5 < size; c++) {
    if (choice && *c == ' ') {
      const char *gap = strchr(c + 1, ' ') ? ", " : " or ";
      at += (size_t)snprintf(text + at, size - at, "%s", gap);
    } else
      text[at++] = *c;
  }
  text[at] = 0;
}

static void option_meaning(const EntrainOption *o, bool in_fit, char *text, size_t size) {
  bool differs = strcmp(o->default_value, o->default_in_fit) != 0;
  char range[200];
  range_of(o, range, sizeof range);
  snprintf(text, size, "%s (%s; default: %s%s%s)", o->meaning, range,
           in_fit ? o->default_in_fit : o->default_value, differs && !in_fit ? ", in a fit " : "",
           differs && !in_fit ? o->default_in_fit : "");
}

static void print_group(FILE *out, EntrainOptionGroup group, bool in_fit) {
  EntrainOption o = {.size = sizeof o};
  char text[1000];
  for (int i = 0; entrain_option(i, &o); i++) {
    if (o.group != group) continue;
    option_meaning(&o, in_fit, text, sizeof text);
    print_row(out, o.name, text);
  }
}

// The options that are flags of a command; c NULL: all options of the library.
static void print_options(const Command *c, FILE *out) {
  for (int g = 0; g < GROUP_COUNT; g++) {
    if (c && !(c->options >> GROUPS[g].group & 1)) continue;
    fprintf(out, "%s%s%s:\n", g || c ? "\n" : "", GROUPS[g].title,
            c ? ", as --name=value or --name value" : "");
    print_group(out, GROUPS[g].group, c && (c->options & OF_FIT));
  }
}

void help_options(const Command *c, FILE *out) {
  (void)c;
  print_options(NULL, out);
}

void help_methods(const Command *c, FILE *out) {
  (void)c;
  for (int i = 0; i < entrain_method_count(); i++)
    print_row(out, entrain_method_name(i), entrain_method_meaning(i));
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
  if (c->options & OF_FIT) {
    fputs("\nMethods:\n", out);
    help_methods(c, out);
  }
  print_options(c, out);
  if (c->examples[0]) fputs("\nExamples:\n", out);
  for (int i = 0; c->examples[i]; i += 2) {
    fprintf(out, "  %s\n      ", c->examples[i]);
    print_wrapped(out, c->examples[i + 1], 6, 6);
  }
}

int help_show(void (*text_of)(const Command *, FILE *), const Command *c) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = needed(open_memstream(&text, &length));
  text_of(c, out);
  bool complete = !ferror(out);
  if (fclose(out) != 0 || !complete) no_memory();
  bool done = output_write(NULL, text, length);
  free(text);
  return done ? DONE : WRONG_USE;
}

// ---------------------------------------------------------------- documents

static const char *const GENERATED =
    "made by 'make docs' from the tables of the command; do not edit";

// Writes a cell of a Markdown table.
static void add_cell(FILE *out, const char *text) {
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
    fputs("| `", out);
    add_cell(out, name);
    fputs("` | ", out);
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
  const char *which = c->options & OF_NOISE ? ""
                      : c->options & OF_FIT ? " of a fit and of a simulation"
                                            : " of a simulation";
  if (c->options)
    fprintf(out, "Every option%s ([options.md](options.md)) is also a flag.\n\n", which);
  for (int i = 0; c->examples[i]; i += 2)
    fprintf(out, "%s:\n\n```\n%s\n```\n\n", c->examples[i + 1], c->examples[i]);
}

void help_markdown(const Command *c, FILE *out) {
  (void)c;
  fprintf(out, "<!-- %s -->\n# The command\n\n%s\n\n", GENERATED, SUMMARY);
  for (int i = 0; COMMANDS[i]; i++) markdown_command(COMMANDS[i], out);
  for (const Topic *t = TOPICS; t->name; t++)
    fprintf(out, "## help %s\n\n```\n%s```\n\n", t->name, t->text);
  fputs("## Exit status\n\n| status | meaning |\n| --- | --- |\n", out);
  for (int i = 0; i < STATUS_COUNT; i++)
    fprintf(out, "| %d | %s |\n", STATUS[i].status, STATUS[i].meaning);
}

static void markdown_options(FILE *out, EntrainOptionGroup group) {
  EntrainOption o = {.size = sizeof o};
  fputs("| option | type | default | allowed | meaning |\n| --- | --- | --- | --- | --- |\n", out);
  for (int i = 0; entrain_option(i, &o); i++) {
    if (o.group != group) continue;
    bool differs = strcmp(o.default_value, o.default_in_fit) != 0;
    char range[200];
    range_of(&o, range, sizeof range);
    fprintf(out, "| `%s` | %s | %s%s%s | %s | ", o.name, o.type, o.default_value,
            differs ? ", in a fit " : "", differs ? o.default_in_fit : "", range);
    add_cell(out, o.meaning);
    fputs(" |\n", out);
  }
}

void help_options_markdown(const Command *c, FILE *out) {
  (void)c;
  fprintf(out, "<!-- %s -->\n# Options\n\n", GENERATED);
  fputs(
      "On the command line `--rel_tol=1e-8`, in a problem file `options: {rel_tol: 1e-8}`, in the "
      "library `entrain_options_set(options, \"rel_tol\", \"1e-8\", &error)`.\n",
      out);
  for (int g = 0; g < GROUP_COUNT; g++) {
    fprintf(out, "\n## %s\n\n", GROUPS[g].title);
    markdown_options(out, GROUPS[g].group);
  }
  fputs("\n## Methods\n\n| method | meaning |\n| --- | --- |\n", out);
  for (int i = 0; i < entrain_method_count(); i++) {
    fprintf(out, "| `%s` | ", entrain_method_name(i));
    add_cell(out, entrain_method_meaning(i));
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

static void man_options(FILE *out) {
  EntrainOption o = {.size = sizeof o};
  char text[1000];
  for (int g = 0; g < GROUP_COUNT; g++) {
    fprintf(out, ".SH %s\nGiven as \\-\\-name=value, or under options in a problem file.\n",
            GROUPS[g].title);
    for (int i = 0; entrain_option(i, &o); i++) {
      if (o.group != GROUPS[g].group) continue;
      option_meaning(&o, false, text, sizeof text);
      man_item(out, o.name, text);
    }
  }
}

static void man_methods(FILE *out) {
  fputs(".SH METHODS\n", out);
  for (int i = 0; i < entrain_method_count(); i++)
    man_item(out, entrain_method_name(i), entrain_method_meaning(i));
}

static void man_topics(FILE *out) {
  for (const Topic *t = TOPICS; t->name; t++) {
    fprintf(out, ".SH %s FILE\n.nf\n", t->name);
    add_roff(out, t->text);
    fputs(".fi\n", out);
  }
}

static void man_status(FILE *out) {
  fputs(".SH EXIT STATUS\n", out);
  for (int i = 0; i < STATUS_COUNT; i++) {
    char number[8];
    snprintf(number, sizeof number, "%d", STATUS[i].status);
    man_item(out, number, STATUS[i].meaning);
  }
}

void help_man(const Command *c, FILE *out) {
  (void)c;
  fprintf(out, ".\\\" %s\n.TH ENTRAIN 1 \"\" \"entrain %s\" \"User commands\"\n", GENERATED,
          entrain_version());
  fputs(
      ".SH NAME\nentrain \\- unknown parameters of dynamic models from measurements\n.SH SYNOPSIS\n"
      ".B entrain\n.I command\n[argument ...]\n.SH DESCRIPTION\n",
      out);
  add_roff(out, SUMMARY);
  fputs("\nResults go to standard output, messages to standard error.\n.SH COMMANDS\n", out);
  for (int i = 0; COMMANDS[i]; i++) man_command(COMMANDS[i], out);
  man_topics(out);
  man_methods(out);
  man_options(out);
  man_status(out);
  man_examples(out);
}
