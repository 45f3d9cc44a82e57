#include "cli/arguments.h"
#include "cli/help.h"

static int run(const Arguments *a) {
  const Command *about = a->word_count ? command_find(a->words[0]) : NULL;
  if (a->word_count && !about) return command_fail_unknown(a->words[0]);
  if (arguments_have(a, "markdown")) return help_show(help_markdown, NULL);
  if (arguments_have(a, "man")) return help_show(help_man, NULL);
  return about ? help_show(help_command, about) : help_show(help_overview, NULL);
}

static const Flag FLAGS[] = {
    {"markdown", 0, NULL, "docs/commands.md", NULL, true},
    {"man", 0, NULL, "the man page", NULL, true},
    {0},
};

static const char *const EXAMPLES[] = {"entrain help simulate", "Everything about one command",
                                       NULL};

const Command CMD_HELP = {
    "help",
    "[COMMAND]",
    "what the commands are, and what one of them does",
    "Lists the commands, or explains one.",
    FLAGS,
    false,
    EXAMPLES,
    run,
};
