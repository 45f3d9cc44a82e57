// entrain methods: lists the methods of a fit.
#include "cli/arguments.h"
#include "cli/help.h"

static int run(const Arguments *a) {
  (void)a;
  return help_show(help_methods, NULL);
}

static const Flag FLAGS[] = {{0}};
static const char *const EXAMPLES[] = {"entrain methods", "All methods, one paragraph each", NULL};

const Command CMD_METHODS = {
    "methods",
    "",
    "lists the search methods of a fit",
    "Lists the methods for 'method:' in the problem file and for --method.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
