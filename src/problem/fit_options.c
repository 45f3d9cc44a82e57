#include "problem/fit_options.h"

static const OptionRow ROWS[] = {
#define OPT(...) OPTION_ROW(FitOptions, __VA_ARGS__)
#define OPT_CHOICE(...) OPTION_ROW_CHOICE(FitOptions, __VA_ARGS__)
#include "problem/fit_options.def"
#undef OPT
#undef OPT_CHOICE
};

static const OptionSynonym SYNONYMS[] = {{"local", "trust-region", "lm"}};

const OptionTable FIT_OPTIONS = {ROWS, sizeof ROWS / sizeof *ROWS, SYNONYMS,
                                 sizeof SYNONYMS / sizeof *SYNONYMS};

void fit_options_init(FitOptions *o) {
  options_defaults(&FIT_OPTIONS, o);
}
