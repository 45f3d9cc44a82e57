// Opens the problem file of a command, with the changes of the command line, and runs the command on it.
#pragma once
#include "cli/arguments.h"

// Reads --set, --method, --start and every option of the library; "-" is standard input. Prints warnings. NULL: the error
// is printed, *status is the exit status.
EntrainProblem *open_problem(const Arguments *a, int *status);
// Only reads the problem, with more settings, which come first; prints no warnings.
EntrainProblem *load_problem(const Arguments *a, const EntrainSetting *more, int count,
                             int *status);
void print_problem_warnings(const EntrainProblem *p);
// Sets the values of the unknowns that a list such as p=10,q=3 names. false: the error is printed.
bool read_unknowns(const EntrainProblem *p, const char *flag, const char *list, double *values);
// The value of each unknown in the model, replaced by what --truth names. The caller frees it. NULL: the error is printed.
double *read_truth(const Arguments *a, const EntrainProblem *p);

// --hessian: second derivatives of the objective for the JSON. Where there are none, says why; the exit status.
int find_hessian(const Arguments *a, EntrainFit *fit);
// The values of the unknowns at the point that --parameters and --start name, else the start values of the problem. The caller
// frees it. NULL: the error is printed.
double *read_point(const Arguments *a, const EntrainProblem *p);

// Checks the files of results, named by these flags (the list ends with NULL): none is an input file, no two are the same,
// and their folders can be written. false: the error is printed.
bool check_places(const Arguments *a, const EntrainProblem *p, const char *const *flags);
// Opens the problem, checks these places, calls work; returns the exit status.
typedef int ProblemWork(const Arguments *a, const EntrainProblem *p);
int run_on_problem(const Arguments *a, const char *const *places, ProblemWork *work);
// One of them is standard output, so the report is not printed there.
bool places_take_stdout(const Arguments *a, const char *const *flags);
