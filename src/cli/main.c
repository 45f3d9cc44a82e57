// The program 'entrain': finds the command and runs it.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/interrupt.h"
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

// A file that is opened must not become standard output or standard error because that was closed.
static void keep_standard_files(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
  interrupt_watch();
  no_memory_watch();
  keep_standard_files();
  if (argc < 2) {
    help_overview(NULL, stderr);
    return WRONG_USE;
  }
  const char *name = spelled(argv[1]);
  const Command *command = command_find(name);
  if (!command) return command_fail_unknown(name);
  int status = run_command(command, argc - 2, argv + 2);
  if (interrupt_asked() && status == NOT_REACHED)
    remark("stopped by %s; what was reached is given",
           interrupt_signalled() ? "a signal" : "its page");
  return status;
}
