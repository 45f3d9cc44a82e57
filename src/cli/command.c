#include "cli/command.h"

#include <string.h>

#include "cli/message.h"

const Command *const COMMANDS[] = {
#define COMMAND(name) &CMD_##name,
#include "cli/commands.def"
    NULL,
};

const Command *command_find(const char *name) {
  for (int i = 0; COMMANDS[i]; i++)
    if (strcmp(COMMANDS[i]->name, name) == 0) return COMMANDS[i];
  return NULL;
}

int command_fail_unknown(const char *name) {
  NearestWord nearest = {.name = name};
  for (int i = 0; COMMANDS[i]; i++) nearest_offer(&nearest, COMMANDS[i]->name);
  if (nearest.best)
    complain("unknown command '%s'; did you mean '%s'?", name, nearest.best);
  else
    complain("unknown command '%s'; 'entrain help' lists the commands", name);
  return WRONG_USE;
}
