// The default local method. Compared were Levenberg-Marquardt with the damping from a trust region, the same with the damping
// from the gain ratio, and a dogleg in a rectangular trust region; bench/local.c prints the table. The first finds as many
// minima as the second with the fewest evaluations, and does not get stuck where the data leave a direction open, as the
// dogleg does.
#include "estimate/descent.h"

void local_trust_region(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  descent_run(&lm_radius_rule, lsq, options, result);
}
