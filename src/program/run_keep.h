// Folders of runs that are kept: they become <folder of the problem>/entrain-runs/<experiment>-<number>.
#pragma once
#include "program/run_folder.h"

enum { KEPT_MOST = 100 }; // folders in entrain-runs

// Moves the folder, or copies it when that is another file system (without pipes, devices and sockets). Returns where it is
// now; NULL, and why says why not: the folder is then still to be removed.
const char *run_folder_keep(RunFolder *f, Arena *a, const char *problem_folder, int experiment,
                            Err *why);
