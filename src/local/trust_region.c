// The default local method. Compared were Levenberg-Marquardt with the damping from a trust region, the same with the damping
// from the gain ratio, and a dogleg in a rectangular trust region; bench/local.c prints the table. The first finds the most
// minima, and needs the fewest evaluations in all, so this is a name for it. (The dogleg needs fewer on NIST's sets, but misses
// two of them.)
#include "local/descent.h"

void local_trust_region(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  descent_run(&lm_radius_rule, lsq, options, result);
}
