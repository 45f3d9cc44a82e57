// entrain help: the overview, one command or one topic; also writes docs/commands.md and the man page.
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/topics.h"

static int fail_unknown(const char *name) {
  NearestWord nearest = {.name = name};
  for (const Topic *t = TOPICS; t->name; t++) nearest_offer(&nearest, t->name);
  if (!nearest.best) return command_fail_unknown(name);
  complain("there is no help about '%s'; did you mean '%s'?", name, nearest.best);
  return WRONG_USE;
}

static int run(const Arguments *a) {
  const Command *about = a->word_count ? command_find(a->words[0]) : NULL;
  const Topic *topic = a->word_count && !about ? topic_find(a->words[0]) : NULL;
  if (topic) return output_print(topic->text) ? DONE : WRONG_USE;
  if (a->word_count && !about) return fail_unknown(a->words[0]);
  if (arguments_have(a, "markdown")) return help_show(help_markdown, NULL);
  if (arguments_have(a, "man")) return help_show(help_man, NULL);
  return about ? help_show(help_command, about) : help_show(help_overview, NULL);
}

static const Flag FLAGS[] = {
    {"markdown", 0, NULL, "docs/commands.md", NULL, true},
    {"man", 0, NULL, "the man page", NULL, true},
    {0},
};

static const char *const EXAMPLES[] = {"entrain help fit", "Everything about one command",
                                       "entrain help problem", "How to write a problem file", NULL};

const Command CMD_HELP = {
    "help",
    "[NAME]",
    "lists the commands, or explains one of them",
    "Lists the commands, or explains one of them or a topic such as the problem file.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
