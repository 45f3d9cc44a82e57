// entrain options: lists all options; also writes docs/options.md.
#include "cli/arguments.h"
#include "cli/help.h"

static int run(const Arguments *a) {
  return help_show(arguments_have(a, "markdown") ? help_options_markdown : help_options, NULL);
}

static const Flag FLAGS[] = {
    {"markdown", 0, NULL, "docs/options.md", NULL, true},
    {0},
};
static const char *const EXAMPLES[] = {"entrain options", "All options with their defaults", NULL};

const Command CMD_OPTIONS = {
    "options",
    "",
    "lists all options with default, range and meaning",
    "Lists the options of fits, simulations and studies. Each option is also a flag of the "
    "commands "
    "that use it (--rel_tol=1e-8), and a key under 'options' in a problem file.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
