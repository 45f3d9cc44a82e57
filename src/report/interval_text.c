#include "report/interval_text.h"

#include <math.h>

#include "stats/say.h"

enum { NAMED_MOST = 8 };

static void say_correlated(Text *out, const Statistics *s) {
  double effective = 0;
  long samples = 0;
  bool coloured = false;
  for (int at = 0; at < s->channel_count; at++)
    if (s->channels[at].effective < s->channels[at].n) {
      effective += s->channels[at].effective;
      samples += s->channels[at].n;
      coloured |= least_white_p(&s->channels[at]) < white_level(s);
    }
  if (samples && s->colour > 1)
    text_print(out,
               "The residuals %s: %ld samples %s as much as %.0f independent ones. Standard errors "
               "and intervals allow for it.",
               coloured ? "are correlated" : "may be correlated, too little for a test to show it",
               samples, coloured ? "tell about" : "would tell about", fmax(1, effective));
}

static bool is_by_profile(const StatParameter *q) {
  return q->interval == INTERVAL_PROFILE;
}

static bool is_linear_only(const StatParameter *q) {
  return q->profile_wanted && q->interval != INTERVAL_PROFILE && q->interval != INTERVAL_NONE;
}

// "The interval of a comes", "The intervals of a and b come". false: there are none.
static bool begin(Text *out, const Problem *p, const Statistics *s,
                  bool (*one)(const StatParameter *)) {
  Arena *scratch = arena_new();
  const char **name = ARENA_ARRAY(scratch, const char *, s->n + 1);
  int count = 0;
  for (int k = 0; k < s->n; k++)
    if (one(&s->parameters[k])) name[count++] = p->unknowns[k].name;
  if (count) {
    text_print(out, "%sThe interval%s of ", out->length ? " " : "", count == 1 ? "" : "s");
    say_some(out, name, count, NAMED_MOST);
    text_print(out, " %s", count == 1 ? "comes" : "come");
  }
  arena_free(scratch);
  return count > 0;
}

void interval_text(Text *out, const Problem *p, const Statistics *s) {
  say_correlated(out, s);
  if (begin(out, p, s, is_by_profile)) text_add(out, " from profiles.");
  if (begin(out, p, s, is_linear_only))
    text_add(out, " from linear theory, which may not hold so far from the estimate; 'entrain "
                  "profile' would show it.");
  if (s->profiles_cut) text_print(out, "%s%s", out->length ? " " : "", s->profiles_cut);
}

const char *parameter_flags(const Statistics *s, int k) {
  const StatParameter *q = &s->parameters[k];
  if (statistics_miss(s, "identifiability"))
    return q->at_bound ? q->lower_bound ? "at min" : "at max" : "";
  if (q->inactive) return "changes nothing";
  if (q->at_bound && q->identifiable)
    return q->lower_bound ? "at its lower bound" : "at its upper bound";
  if (q->at_bound) return q->lower_bound ? "not determined, at min" : "not determined, at max";
  return q->identifiable ? "" : "not determined";
}
