#include "search/method_options.h"

#include <limits.h>

LocalOptions method_options(const FitOptions *o, PopulationOptions *population) {
  LocalOptions local = {.max_iterations = o->max_iterations,
                        .step_tol = o->step_tol,
                        .gradient_tol = o->gradient_tol,
                        .reduction_tol = o->reduction_tol,
                        .target = -1,
                        .robust = o->loss != LOSS_SQUARES,
                        .population = population};
  *population =
      (PopulationOptions){.seed = o->seed,
                          .sampling = o->sampling,
                          .max_simulations = o->max_simulations ? o->max_simulations : INT_MAX};
#define OPT(type, name, default_value, least, most, meaning) local.name = o->name;
#define OPT_CHOICE(name, default_value, choices, meaning) local.name = o->name;
#include "local/newton_options.def"
#include "local/step_options.def"
#undef OPT
#undef OPT_CHOICE
#define OPT(type, name, default_value, least, most, meaning) population->name = o->name;
#define OPT_CHOICE(name, default_value, choices, meaning) population->name = o->name;
#include "global/population_options.def"
#undef OPT
#undef OPT_CHOICE
  return local;
}
