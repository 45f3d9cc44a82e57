// entrain weights: how much each sample of a problem counts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/report_page.h"

static const char *const PLACES[] = {"output", "svg", "png", "report", NULL};
static const char NOTHING[] = "there is no picture: of so many experiments only a state space can "
                              "be drawn, and these weights "
                              "have none";

static int write_pictures(const Arguments *a, const EntrainProblem *p) {
  const char *svg = arguments_value(a, "svg"), *png = arguments_value(a, "png");
  int status = DONE;
  if (svg) {
    char *text = entrain_weights_svg(p);
    status = write_picture(svg, text, text ? strlen(text) : 0, NOTHING);
  }
  if (png) {
    size_t length = 0;
    char *bytes = entrain_weights_png(p, &length);
    status = worse(status, write_picture(png, bytes, length, NOTHING));
  }
  return status;
}

static bool csv_goes_to_stdout(const Arguments *a) {
  return !arguments_have(a, "output") && !pictures_wanted(a);
}

// On standard error if something else is on standard output.
static int write_report(const Arguments *a, const EntrainProblem *p) {
  Terminal t = output_terminal();
  bool taken = csv_goes_to_stdout(a) || places_take_stdout(a, PLACES);
  char *text = entrain_weights_report(p, t.width, t.colour && !taken);
  if (!taken) return write_result(NULL, text);
  if (text) fputs(text, stderr);
  free(text);
  return DONE;
}

static int write_all(const Arguments *a, const EntrainProblem *p) {
  int status = write_pictures(a, p);
  status = worse(status,
                 pages_write(a, p,
                             page_wanted(a) ? entrain_weights_report(p, ENTRAIN_HTML, false) : NULL,
                             pictures_wanted(a) ? entrain_weights_figures(p) : NULL));
  if (arguments_have(a, "output") || csv_goes_to_stdout(a))
    status = worse(status, write_result(arguments_value(a, "output"), entrain_weights_csv(p)));
  return arguments_have(a, "quiet") ? status : worse(status, write_report(a, p));
}

static int run(const Arguments *a) {
  return run_on_problem(a, PLACES, write_all);
}

static const Flag FLAGS[] = {
    {"output", 'o', "FILE", "the weights as CSV: experiment, time, weight",
     "standard output; with --figures or --report none", false},
    {"kind", 0, "NAME", "grid, ellipses, distances, column or none", "the problem file", false},
    {"over", 0, "LIST", "variables of the state space: measured channels and inputs, x,v,u",
     "the problem file, all of them", false},
    {"svg", 0, "FILE", "an SVG picture of the state space, coloured by weight", NULL, false},
    {"png", 0, "FILE", "the same picture as PNG", NULL, false},
    FLAG_REPORT,
    FLAG_FIGURES,
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    FLAG_QUIET,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain weights swing.yaml -o w.csv",
    "The weights that a fit of this problem uses, with a summary",
    "entrain weights swing.yaml --kind grid --over theta,omega --svg space.svg -o w.csv",
    "Weights by another rule; the picture shows which samples count",
    "entrain weights swing.yaml --kind ellipses --set weights.ratio=0.1 -o w.csv",
    "Larger ellipses",
    NULL,
};

const Command CMD_WEIGHTS = {
    "weights",
    "PROBLEM",
    "how much each sample counts",
    "Computes the weights of all samples as 'weights' of the problem file says: by the density of "
    "samples in the space of measured channels and inputs (grid, ellipses, distances), by a column "
    "of the data, by regions. The mean of the weights above 0 is 1. A picture shows the samples in "
    "that space, two variables at a time, and the weights over time; dots that cover one another "
    "have the colour of the largest weight. The summary says how few samples of equal weight would "
    "tell as much, and the share of weight of each of the 'windows' of the experiments. It goes to "
    "standard error if the CSV goes to standard output. PROBLEM is a YAML file ('entrain help "
    "problem' explains it), or - for standard input. Nothing is simulated.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
