#include "problem/fit_options.h"

static const OptionRow ROWS[] = {
#define OPT(type, name, default_value, least, most, meaning)                                       \
  {#name, OPTION_##type, offsetof(FitOptions, name), #default_value, least, most,                  \
   NULL,  meaning,       #least " to " #most},
#define OPT_CHOICE(name, default_value, choices, meaning)                                          \
  {#name,   OPTION_choice, offsetof(FitOptions, name), #default_value, 0, 0, choices,              \
   meaning, choices},
#include "problem/fit_options.def"
#undef OPT
#undef OPT_CHOICE
};

const OptionTable FIT_OPTIONS = {ROWS, sizeof ROWS / sizeof *ROWS};

void fit_options_init(FitOptions *o) {
  options_defaults(&FIT_OPTIONS, o);
}
