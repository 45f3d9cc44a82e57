// entrain version: prints the version.
#include "cli/arguments.h"
#include "cli/output.h"
#include "entrain.h"

static int run(const Arguments *a) {
  (void)a;
  bool done = output_print("entrain ") && output_print(entrain_version()) && output_print("\n");
  return done ? DONE : WRONG_USE;
}

static const Flag FLAGS[] = {{0}};
static const char *const EXAMPLES[] = {NULL};

const Command CMD_VERSION = {
    "version",
    "",
    "prints the version of entrain",
    "Prints the version, as does 'entrain --version'.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
