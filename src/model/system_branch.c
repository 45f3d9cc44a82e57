// Anchors of the Newton blocks: the roots at known points of the motion, which others are continued from. All blocks of an
// anchor are solved together, by the kernel KERNEL_BRANCHES.
#include <math.h>
#include <string.h>

#include "code/roots.h"
#include "model/system.h"

static size_t anchor_size(const System *s) {
  return (size_t)s->anchor_slots * (size_t)s->lanes;
}

static double *anchor_at(const SystemWork *w, int i) {
  return w->anchors.value + (size_t)i * anchor_size(w->system);
}

static void unload(SystemWork *w) {
  for (int k = 0; k < KERNEL_COUNT; k++) w->loaded[k] = -2; // neither an anchor nor none
}

void system_forget(SystemWork *w) {
  w->anchors.count = 0;
  for (int k = 0; k < KERNEL_COUNT; k++) w->ran_at[k] = nan("");
  unload(w);
}

static void set_count(SystemWork *w, int count) {
  if (count > w->anchors.room) {
    Anchors old = w->anchors;
    w->anchors.room = 2 * count + 2;
    w->anchors.t = ARENA_ARRAY(w->arena, double, w->anchors.room);
    w->anchors.value =
        arena_alloc(w->arena, (size_t)w->anchors.room * anchor_size(w->system), sizeof(double));
    if (old.count) memcpy(w->anchors.t, old.t, (size_t)old.count * sizeof(double));
    if (old.count)
      memcpy(w->anchors.value, old.value,
             (size_t)old.count * anchor_size(w->system) * sizeof(double));
  }
  w->anchors.count = count;
}

// The last anchor at or before t, the first if there is none, -1 without anchors.
static int find(const SystemWork *w, double t) {
  const Anchors *a = &w->anchors;
  int low = 0, high = a->count - 1;
  if (high < 0 || a->t[high] <= t) return high;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (a->t[middle] <= t)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void system_branch_enter(SystemWork *w, SystemKernel kernel) {
  const System *s = w->system;
  const Kernel *k = &s->kernel[kernel];
  int which = find(w, w->now);
  w->ran_at[kernel] = w->now;
  if (w->loaded[kernel] == which) return;
  w->loaded[kernel] = which;
  for (int i = 0; i < k->block_count; i++) {
    const Branch *b = &s->branches[k->blocks[i].branch];
    int slots = which < 0 ? 1 : newton_anchor(b->n, b->inputs);
    double *to = w->scratch + k->blocks[i].anchor;
    for (int j = 0; j < slots; j++)
      for (int l = 0; l < k->lanes; l++) {
        int lane = k->lanes == s->lanes ? l : 0;
        to[j * k->lanes + l] =
            which < 0 ? ANCHOR_NONE : anchor_at(w, which)[(b->at + j) * s->lanes + lane];
      }
  }
}

void system_branch_load(const SystemWork *w, double t, const NewtonPlace *places, int count,
                        double *work) {
  const System *s = w->system;
  int which = find(w, t);
  for (int i = 0; i < count && which >= 0; i++)
    for (int k = 0; k < s->branch_count; k++) {
      const Branch *b = &s->branches[k];
      if (b->block != places[i].block) continue;
      memcpy(work + places[i].anchor, anchor_at(w, which) + b->at,
             (size_t)newton_anchor(b->n, b->inputs) * sizeof *work);
    }
}

// What a kernel has found. A lane that has no root here keeps the anchor that it came from.
static void store(SystemWork *w, SystemKernel kernel, int from, int to) {
  const System *s = w->system;
  const Kernel *k = &s->kernel[kernel];
  int L = s->lanes;
  if (from != to && from >= 0)
    memcpy(anchor_at(w, to), anchor_at(w, from), anchor_size(s) * sizeof(double));
  if (from < 0) memset(anchor_at(w, to), 0, anchor_size(s) * sizeof(double));
  for (int i = 0; i < k->block_count; i++) {
    const Branch *b = &s->branches[k->blocks[i].branch];
    const double *z = w->scratch + k->blocks[i].solution, *u = w->scratch + k->blocks[i].input;
    double *out = anchor_at(w, to) + b->at * L;
    for (int l = 0; l < L; l++) {
      if (isnan(z[l])) continue;
      out[l] = ANCHOR_ROOT;
      for (int j = 0; j < b->n; j++) out[(1 + j) * L + l] = z[j * L + l];
      for (int j = 0; j < b->inputs; j++) out[(1 + b->n + j) * L + l] = u[j * L + l];
    }
  }
}

static void solve_at(SystemWork *w, double t, const double *x) {
  const Kernel *k = &w->system->kernel[KERNEL_BRANCHES];
  system_set_time(w, t);
  system_branch_enter(w, KERNEL_BRANCHES);
  code_run(k->code, w->par, x, NULL, w->branch_out, w->scratch + k->work_at);
}

static void add(SystemWork *w, SystemKernel kernel, double t, int from) {
  int to = from < 0 ? 0 : from;
  if (from >= 0 && w->anchors.t[from] < t) to++;
  set_count(w, to + 1);
  store(w, kernel, from, to);
  w->anchors.t[to] = t;
  unload(w);
}

void system_branch_add(SystemWork *w, double t, const double *x) {
  if (!w->system->branch_count) return;
  int from = find(w, t);
  solve_at(w, t, x);
  add(w, KERNEL_BRANCHES, t, from);
}

bool system_branch_take(SystemWork *w, double t) {
  const System *s = w->system;
  SystemKernel motion = s->ns ? KERNEL_RHS_SENS : KERNEL_RHS;
  if (s->kernel[motion].block_count < s->branch_count || w->ran_at[motion] != t) return false;
  add(w, motion, t, find(w, t));
  return true;
}

void system_branch_restart(SystemWork *w, double t, const double *x) {
  if (!w->system->branch_count) return;
  int from = find(w, t);
  solve_at(w, t, x);
  if (from < 0) set_count(w, 1);
  store(w, KERNEL_BRANCHES, from, 0);
  w->anchors.t[0] = t;
  w->anchors.count = 1;
  unload(w);
}

void system_branch_drop(SystemWork *w) {
  if (w->anchors.count) w->anchors.count--;
  unload(w);
}

void system_branch_keep(SystemWork *w, int count) {
  int first = w->anchors.count - count;
  if (first <= 0) return;
  memmove(anchor_at(w, 0), anchor_at(w, first),
          (size_t)count * anchor_size(w->system) * sizeof(double));
  memmove(w->anchors.t, w->anchors.t + first, (size_t)count * sizeof(double));
  w->anchors.count = count;
  unload(w);
}

void system_branch_copy_lane(SystemWork *w, int from, int to) {
  size_t L = (size_t)w->system->lanes,
         slots = anchor_size(w->system) / L * (size_t)w->anchors.count;
  for (size_t i = 0; i < slots; i++) w->anchors.value[i * L + to] = w->anchors.value[i * L + from];
  unload(w);
}

void system_branch_begin(SystemWork *w, double t, const double *x) {
  const System *s = w->system;
  int L = s->lanes;
  system_forget(w);
  if (!s->branch_count) return;
  set_count(w, 1);
  w->anchors.t[0] = t;
  memset(anchor_at(w, 0), 0, anchor_size(s) * sizeof(double));
  for (int i = 0; i < s->branch_count; i++) {
    const Branch *b = &s->branches[i];
    double *to = anchor_at(w, 0) + b->at * L;
    const double *z = w->x0 + (size_t)(b->start * L);
    for (int l = 0; l < L && b->start >= 0; l++) {
      to[l] = isnan(z[l]) ? ANCHOR_NONE : ANCHOR_GUESS;
      for (int j = 0; j < b->n; j++) to[(1 + j) * L + l] = z[j * L + l];
    }
  }
  system_branch_restart(w, t, x);
}

// By branch: number of the block, how many slots, the slots.
int system_branch_numbers(const System *s) {
  int count = 0;
  for (int i = 0; i < s->branch_count; i++)
    count += 2 + newton_anchor(s->branches[i].n, s->branches[i].inputs);
  return count;
}

void system_branch_write(const SystemWork *w, double *to) {
  const System *s = w->system;
  for (int i = 0; i < s->branch_count; i++) {
    const Branch *b = &s->branches[i];
    int slots = newton_anchor(b->n, b->inputs);
    const double *from = anchor_at(w, w->anchors.count - 1) + b->at * s->lanes;
    *to++ = b->block;
    *to++ = slots;
    for (int j = 0; j < slots; j++) *to++ = from[j * s->lanes];
  }
}

static void read_branch(SystemWork *w, const Branch *b, const double *from, int count) {
  int at = 0, L = w->system->lanes;
  while (at < count && from[at] != b->block) at += 2 + (int)from[at + 1];
  if (at >= count) return;
  double *to = anchor_at(w, 0) + b->at * L;
  for (int j = 0; j < newton_anchor(b->n, b->inputs) * L; j++) to[j] = from[at + 2 + j / L];
}

void system_branch_read(SystemWork *w, double t, const double *from, int count) {
  const System *s = w->system;
  if (!s->branch_count) return;
  for (int i = 0; i < s->branch_count; i++) read_branch(w, &s->branches[i], from, count);
  w->anchors.t[0] = t;
  w->anchors.count = 1;
  unload(w);
}
