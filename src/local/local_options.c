#include "local/local_options.h"

#include "base/options.h"

static const OptionRow ROWS[] = {
#define OPT(...) OPTION_ROW(LocalOptions, __VA_ARGS__)
#define OPT_CHOICE(...) OPTION_ROW_CHOICE(LocalOptions, __VA_ARGS__)
#include "local/newton_options.def"
#include "local/step_options.def"
#undef OPT
#undef OPT_CHOICE
};

void local_options_init(LocalOptions *o) {
  *o = (LocalOptions){.max_iterations = 200,
                      .step_tol = 1e-8,
                      .gradient_tol = 1e-10,
                      .reduction_tol = 1e-12,
                      .target = -1};
  options_defaults(&(OptionTable){.rows = ROWS, .count = sizeof ROWS / sizeof *ROWS}, o);
}
