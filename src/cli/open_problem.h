// The problem file that a command names, with what the command line changes in it.
#pragma once
#include "cli/arguments.h"

// Understands --set, --method, --start and every option of the library. "-" is standard input. Tells warnings. NULL: it has
// told what is wrong, *status is the exit status.
EntrainProblem *open_problem(const Arguments *a, int *status);
// The value of each unknown that a list such as p=10,q=3 names. false: it has told what is wrong.
bool read_unknowns(const EntrainProblem *p, const char *flag, const char *list, double *values);

// Files that results go to, by flags that end with NULL: not one that is read, not the same twice, in folders that can be
// written.
bool check_places(const Arguments *a, const EntrainProblem *p, const char *const *flags);
// Opens the problem, checks these places, does the work with it; returns the exit status.
typedef int ProblemWork(const Arguments *a, const EntrainProblem *p);
int run_on_problem(const Arguments *a, const char *const *places, ProblemWork *work);
// One of them is standard output, which leaves none for the report.
bool places_take_stdout(const Arguments *a, const char *const *flags);
// Writes a text of the library and frees it; returns the exit status.
int write_result(const char *path, char *text);
