// entrain info: describes a model.
#include <string.h>

#include "cli/arguments.h"
#include "cli/message.h"
#include "cli/open_model.h"
#include "cli/output.h"

static const struct {
  const char *flag;
  EntrainReport report;
} REPORTS[] = {
    {"flat", ENTRAIN_REPORT_FLAT}, {"equations", ENTRAIN_REPORT_EQUATIONS},
    {"json", ENTRAIN_REPORT_JSON}, {"dot", ENTRAIN_REPORT_DOT},
    {"tree", ENTRAIN_REPORT_TREE},
};
enum { REPORT_COUNT = sizeof REPORTS / sizeof *REPORTS };

static bool choose_report(const Arguments *a, EntrainReport *report) {
  int chosen = 0;
  *report = ENTRAIN_REPORT_SUMMARY;
  for (int i = 0; i < REPORT_COUNT; i++) {
    if (!arguments_have(a, REPORTS[i].flag)) continue;
    *report = REPORTS[i].report;
    chosen++;
  }
  if (chosen > 1)
    complain("info gives one report at a time: --flat, --tree, --equations, --json or "
             "--dot");
  return chosen <= 1;
}

static int print_text(char *text) {
  size_t length = strlen(text);
  bool done = output_write(NULL, text, length) &&
              (length == 0 || text[length - 1] == '\n' || output_print("\n"));
  entrain_text_free(text);
  return done ? DONE : WRONG_USE;
}

static int print_report(const EntrainModel *model, EntrainReport report) {
  char *text = entrain_model_report(model, report);
  if (text) return print_text(text);
  complain("there is no such report");
  return INTERNAL;
}

static int describe_fmu(const char *path, EntrainReport report) {
  EntrainError error = {.size = sizeof error};
  char *text = entrain_fmu_report(path, report, &error);
  return text ? print_text(text) : complain_error(&error);
}

static int run(const Arguments *a) {
  EntrainReport report;
  if (!choose_report(a, &report)) return WRONG_USE;
  if (is_fmu(a->words[0])) return describe_fmu(a->words[0], report);
  int status;
  EntrainModel *model = open_model(a, &status);
  if (model) print_warnings(model);
  if (!model && report == ENTRAIN_REPORT_FLAT) print_flat_text(a); // what is wrong may show in it
  if (model) status = print_report(model, report);
  entrain_model_free(model);
  return status;
}

static const Flag FLAGS[] = {
    FLAG_LIBRARY,
    {"flat", 0, NULL, "the flat model as Modelica text: one list of variables and equations", NULL,
     false},
    {"tree", 0, NULL, "the components with their classes and where these are written", NULL, false},
    {"equations", 0, NULL, "the equations in the order in which they are solved", NULL, false},
    {"json", 0, NULL, "the whole report as JSON", NULL, false},
    {"dot", 0, NULL, "the structure as a graph for Graphviz", NULL, false},
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain info models/pendulum.mo",
    "The contents of the model",
    "entrain info models/pendulum.mo --equations",
    "How its equations are solved",
    NULL,
};

const Command CMD_INFO = {
    "info",
    "MODEL",
    "describes a model: states, parameters, equations",
    "Reads a model and lists its states, parameters, inputs, outputs, constraints and how its "
    "equations are solved. MODEL is a Modelica file, or - for standard input; "
    "FILE.mo#Name chooses a class of it, without it the last model is taken. Of an FMU (FILE.fmu) "
    "it lists interfaces, capabilities, parameters, inputs, outputs, states and licence; nothing "
    "of "
    "the FMU is executed.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
