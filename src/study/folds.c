#include "study/folds.h"

enum { FOLDS_MOST = 1000 };

// The last row at or before t. Samples stand at rows of the data.
static int row_of(const Experiment *e, double t) {
  int low = 0, high = e->row_count; // row_t[low] <= t < row_t[high]
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (e->row_t[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int fold_of(const Experiment *e, double t, int folds) {
  if (e->row_count < 1) return 0;
  return (int)((long)row_of(e, t) * folds / e->row_count);
}

static Channel *channels_without(Arena *a, const Experiment *e, int folds, int fold) {
  Channel *out = ARENA_ARRAY(a, Channel, e->channel_count + 1);
  for (int c = 0; c < e->channel_count; c++) {
    const Channel *from = &e->channels[c];
    double *weight = ARENA_ARRAY(a, double, from->count + 1);
    for (int i = 0; i < from->count; i++) {
      double own = from->sample_weight ? from->sample_weight[i] : 1;
      weight[i] = fold_of(e, from->t[i], folds) == fold ? 0 : own;
    }
    out[c] = *from;
    out[c].sample_weight = weight;
  }
  return out;
}

Problem *problem_without_fold(Arena *a, const Problem *p, int folds, int fold) {
  Problem *out = ARENA_NEW(a, Problem);
  *out = *p;
  out->experiments = ARENA_ARRAY(a, Experiment, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *from = &p->experiments[e];
    Experiment *to = &out->experiments[e];
    *to = *from;
    to->channels = channels_without(a, from, folds, fold);
    if (from->recorded == from->channels) to->recorded = to->channels;
  }
  return out;
}

bool folds_suit(const Problem *p, int folds, Err *err) {
  if (folds < 2 || folds > FOLDS_MOST)
    return fail(err, ERR_VALUE, "the number of folds must be from 2 to %d, not %d", FOLDS_MOST,
                folds);
  Arena *a = arena_new();
  long *held = ARENA_ARRAY(a, long, folds + 1), all = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      const Channel *channel = &p->experiments[e].channels[c];
      for (int i = 0; i < channel->count; i++)
        if (sample_counts(channel, i))
          held[fold_of(&p->experiments[e], channel->t[i], folds)]++, all++;
    }
  int fold = 0;
  while (fold < folds && held[fold] && all - held[fold] >= p->unknown_count) fold++;
  if (fold < folds)
    fail_at(err, ERR_VALUE, (Place){p->path, 0, 0},
            "there are too few samples for %d folds: fold %d holds %ld of %ld, and %d unknowns are "
            "fitted to the others",
            folds, fold + 1, held[fold], all, p->unknown_count);
  arena_free(a);
  return fold == folds;
}
