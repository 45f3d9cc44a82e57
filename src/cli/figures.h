// Pictures of a result as files of a folder: --figures DIR and --figure_format, for every command that has pictures; and in the
// terminal: --plot.
#pragma once
#include "cli/arguments.h"

#define FLAG_FIGURES                                                                               \
  {"figures",                                                                                      \
   0,                                                                                              \
   "DIR",                                                                                          \
   "a folder for pictures of the result, made if it is not there; files of the same names are "    \
   "replaced",                                                                                     \
   NULL,                                                                                           \
   false},                                                                                         \
  {                                                                                                \
    "figure_format", 0, "svg|png|pdf|all", "format of these pictures; several with commas", "svg", \
        false                                                                                      \
  }

#define FLAG_PLOT                                                                                  \
  {                                                                                                \
    "plot", 'p', "[=off]",                                                                         \
        "draws data and model of the first channels in the terminal, above the report; =off: not", \
        "where standard output is a terminal that shows Unicode", false                            \
  }

bool figures_wanted(const Arguments *a);
// Makes the folder and checks that files can be written there, and that there is what --figure_format and --png need: before a
// long computation. false: the error is printed.
bool figures_prepare(const Arguments *a);
// Prints the report of a fit, below data and model if that is wanted. Returns the exit status.
int write_fit_report(const Arguments *a, EntrainFit *fit);
// Writes all pictures, if they are wanted, and frees them (NULL: there are none). Returns the exit status.
int figures_write(const Arguments *a, EntrainFigures *figures);
