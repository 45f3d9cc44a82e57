// Confirming searches: from other starts, before a result is believed. Exchange, image: from points that symmetries of usual
// models make as good as the result, see images.h. Mirror: every number is reflected in its bounds. Spread: points of a design over the bounds. Shake: all numbers change by 2 %.
// Exchanges, images and shakes are local searches; mirror and spread are far ones: the coupled model is fitted, then the free one.
// All of one candidate run side by side, in lanes and threads. A better optimum takes the place of the candidate.
#pragma once
#include "search/search.h"

// CONFIRM_KIND(name, word, far)
#define CONFIRM_KINDS                                                                              \
  CONFIRM_KIND(EXCHANGE, "exchange", false)                                                        \
  CONFIRM_KIND(IMAGE, "image", false)                                                              \
  CONFIRM_KIND(MIRROR, "mirror", true)                                                             \
  CONFIRM_KIND(SPREAD, "spread", true)                                                             \
  CONFIRM_KIND(SHAKE, "shake", false)                                                              \
  CONFIRM_KIND(RESTART, "restart", true)

typedef enum ConfirmKind {
#define CONFIRM_KIND(name, word, far) CONFIRM_##name,
  CONFIRM_KINDS
#undef CONFIRM_KIND
      CONFIRM_KIND_COUNT
} ConfirmKind;

typedef struct ConfirmEnd { // of one search
  ConfirmKind kind;
  int candidate;    // that it started from
  bool done;        // false: a limit ended it, it has no vote
  bool found;       // it has a result
  double objective; // comparable
  double *x;
  LocalEnd end;
  bool polished; // by a local search
  bool tried;    // to take the place of a candidate
  bool first;    // it found the optimum that it is at: no vote for it
  int judged;    // candidate that it was compared with, 0: none
  bool distinct; // from that candidate: a barrier lies between
  int optimum;   // number of the first end that nothing tells apart from it
} ConfirmEnd;

typedef struct Confirmation {
  ARRAY(ConfirmEnd) ends;
  int candidate;    // number of the present one, from 1
  bool kinks;       // events move with the unknowns
  double *x;        // it
  bool local;       // its exchanges and shakes are done or cut
  int far;          // searches begun
  bool cut;         // by the cap on the work of confirming
  bool stopped;     // by a limit of the user
  bool unjudged;    // the same, while its ends were compared with the candidate
  int better;       // searches whose end took the place of the candidate
  double *spread;   // points of the design
  WorkCount work;   // of confirming so far
  WorkCount before; // of the whole search when this round of it began
} Confirmation;

// Whether the problem asks for it: methods that search for the best optimum, unless the option confirm is off.
bool confirm_is_wanted(const Problem *p);
// Confirms the best point, once it has converged and as far as that has not been done. True: the verdict is decided and the
// search may end. Without confirming: whether the best point fits the noise.
bool confirm_best(Search *s);
// A search from a random start ended here: it counts as a far one.
void confirm_note(Search *s, const double *x, double objective, LocalEnd end);
// Which ends are at one optimum, before the work of the search is counted.
void confirm_join(Search *s);
// Writes searches, optima and verdict into the result.
void confirm_conclude(Search *s);
