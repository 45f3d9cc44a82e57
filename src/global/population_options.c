#include "global/population_options.h"

#include <limits.h>

#include "base/options.h"
#include "num/design.h"

static const OptionRow ROWS[] = {
#define OPT(...) OPTION_ROW(PopulationOptions, __VA_ARGS__)
#define OPT_CHOICE(...) OPTION_ROW_CHOICE(PopulationOptions, __VA_ARGS__)
#include "global/population_options.def"
#undef OPT
#undef OPT_CHOICE
};

void population_options_init(PopulationOptions *o) {
  *o = (PopulationOptions){
      .seed = 1, .sampling = DESIGN_LATIN_HYPERCUBE, .max_simulations = INT_MAX};
  options_defaults(&(OptionTable){.rows = ROWS, .count = sizeof ROWS / sizeof *ROWS}, o);
}
