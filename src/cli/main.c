// The program 'entrain': finds the command and runs it.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/no_memory.h"

static const char *spelled(const char *word) {
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return "version";
  return word;
}

static int run_command(const Command *command, int count, char **words) {
  Arguments a;
  int status = WRONG_USE;
  if (arguments_parse(&a, command, count, words))
    status = a.wants_help ? help_show(help_command, command) : command->run(&a);
  arguments_done(&a);
  return status;
}

int main(int argc, char **argv) {
  no_memory_watch();
  signal(SIGPIPE, SIG_IGN); // 'entrain ... | head' ends quietly, by EPIPE
  if (argc < 2) {
    help_overview(NULL, stderr);
    return WRONG_USE;
  }
  const char *name = spelled(argv[1]);
  const Command *command = command_find(name);
  if (!command) return command_fail_unknown(name);
  return run_command(command, argc - 2, argv + 2);
}
