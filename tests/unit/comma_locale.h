// A locale with a decimal comma, made for the test because the machine may have none.
#pragma once
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMA_LOCALE "de_DE.UTF-8"

// Makes it in a new folder, whose name goes to folder; false: there is no localedef, or no definition of the locale.
static inline bool comma_locale_make(char folder[32]) {
  char command[200];
  strcpy(folder, "/tmp/entrain-XXXXXX");
  if (!mkdtemp(folder)) return false;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/" COMMA_LOCALE " >%s/log 2>&1",
           folder, folder);
  bool made = system(command) == 0;
  setenv("LOCPATH", folder, 1);
  return made && setlocale(LC_ALL, COMMA_LOCALE) != NULL;
}

static inline void comma_locale_done(const char *folder) {
  char command[100];
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0) fprintf(stderr, "# %s stays\n", folder);
}
