#include "study/profile.h"

#include <math.h>

static const char *const END_WORD[] = {
#define PROFILE_END(name, word, sentence) word,
    PROFILE_ENDS
#undef PROFILE_END
};
static const char *const END_SENTENCE[] = {
#define PROFILE_END(name, word, sentence) sentence,
    PROFILE_ENDS
#undef PROFILE_END
};
static const char *const VERDICT_WORD[] = {
#define PROFILE_VERDICT(name, word) word,
    PROFILE_VERDICTS
#undef PROFILE_VERDICT
};

const char *profile_end_word(ProfileEnd e) {
  return END_WORD[e];
}
const char *profile_end_sentence(ProfileEnd e) {
  return END_SENTENCE[e];
}
const char *profile_verdict_word(ProfileVerdict v) {
  return VERDICT_WORD[v];
}

bool profile_in_logs(const Unknown *f, double estimate) {
  return f->log && estimate > 0;
}

double profile_scaled(const Unknown *f, double estimate, double value) {
  return profile_in_logs(f, estimate) ? log(value) : value;
}

void profile_free(Profile *p) {
  if (!p) return;
  statistics_free(p->statistics);
  fit_free(p->fit);
  arena_free(p->arena);
}

bool profile_side_is_done(const ProfileSide *s) {
  static const bool DONE[PROFILE_END_COUNT] = {[PROFILE_CROSSED] = true,
                                               [PROFILE_BOUND] = true,
                                               [PROFILE_RANGE] = true,
                                               [PROFILE_CONSTRAINT] = true};
  return DONE[s->end];
}

bool profile_is_sound(const Profile *p) {
  bool sound = p->fit->outcome == FIT_CONVERGED;
  for (int i = 0; i < p->count; i++)
    for (int side = 0; side < 2; side++)
      sound = sound && profile_side_is_done(&p->curves[i].side[side]);
  return sound;
}
