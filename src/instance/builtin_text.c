#include "instance/builtin_text.h"

#include <string.h>

// The assembler reads the files when the program is built.
#define FILE_TEXT(symbol, path)                                                                    \
  __asm__(".section .rodata\n"                                                                     \
          ".global " #symbol "_begin\n.hidden " #symbol "_begin\n"                                 \
          ".global " #symbol "_end\n.hidden " #symbol "_end\n" #symbol "_begin:\n"                 \
          ".incbin \"" path "\"\n" #symbol "_end:\n.byte 0\n.previous\n");                         \
  extern const char symbol##_begin[], symbol##_end[]

FILE_TEXT(lib_entrain, "lib/Entrain.mo");
FILE_TEXT(lib_modelica, "lib/Modelica.mo");
FILE_TEXT(lib_services, "lib/ModelicaServices.mo");

const char *builtin_text(const char *name, size_t *length) {
  static const struct {
    const char *name, *begin, *end;
  } TEXTS[] = {{"Entrain", lib_entrain_begin, lib_entrain_end},
               {"Modelica", lib_modelica_begin, lib_modelica_end},
               {"ModelicaServices", lib_services_begin, lib_services_end}};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
    if (strcmp(TEXTS[i].name, name) == 0) {
      *length = (size_t)(TEXTS[i].end - TEXTS[i].begin);
      return TEXTS[i].begin;
    }
  return NULL;
}
