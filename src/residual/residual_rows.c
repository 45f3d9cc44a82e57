// residual = (y - data)*scale, slopes = (dy/dp)*scale for the parameter of each unknown. An unknown delay tau moves the sample:
// y(t - tau) has the slope dy/dtau = -y'(t - tau).
#include "residual/residual_rows.h"

#include <string.h>

ResidualColumns *residual_columns_new(Arena *a, int n) {
  ResidualColumns *r = ARENA_NEW(a, ResidualColumns);
  double *all = ARENA_ARRAY(a, double, (size_t)(n + 2) * RESIDUAL_ROWS_MOST + 16);
  r->column = ARENA_ARRAY(a, double *, n + 2);
  for (int i = 0; i <= n; i++) r->column[i] = all + (size_t)i * RESIDUAL_ROWS_MOST;
  r->model = all + (size_t)(n + 1) * RESIDUAL_ROWS_MOST;
  return r;
}

typedef struct RowsWanted { // of one channel
  const SimulationWork *w;
  const ModelRun *run;
  int experiment, channel;
  int first, rows;     // samples
  const int *row;      // by sample from `first` on: its row in the simulation
  const double *scale; // the same
} RowsWanted;

static void fill_slopes(const RowsWanted *q, double *const *column) {
  const Fitting *f = q->w->fitting;
  const Problem *p = f->problem;
  const Experiment *x = &p->experiments[q->experiment];
  const Channel *ch = &x->channels[q->channel];
  const int *row = q->row, rows = q->rows;
  const double *scale = q->scale;
  int output = p->channel_measured[q->experiment][q->channel];
  // Samples from before the start, which only a delay makes, share their row.
  bool straight = ch->delay < 0 && row[rows - 1] - row[0] == rows - 1;
  for (int i = 0; i < f->n; i++) {
    double *to = column[i];
    int k = f->slope_of[q->experiment][i];
    if (k < 0) {
      memset(to, 0, (size_t)rows * sizeof *to);
      continue;
    }
    const double *from = model_run_slope(q->run, output, k);
    if (straight)
      for (int j = 0; j < rows; j++) to[j] = from[row[0] + j] * scale[j];
    else
      for (int j = 0; j < rows; j++) to[j] = from[row[j]] * scale[j];
    if (ch->delay < 0 || p->unknowns[i].parameter != ch->delay) continue;
    const double *rate = q->run->column[q->run->compiled->rate[output]];
    for (int j = 0; j < rows; j++) // before the start nothing moves
      if (ch->t[q->first + j] - q->run->p[ch->delay] > x->start) to[j] -= rate[row[j]] * scale[j];
  }
}

void residual_blocks(const SimulationWork *w, const EvalSpec *spec, const ModelRun *r, int e,
                     bool slopes, const ResidualColumns *room, ResidualSink *sink, void *data) {
  const Fitting *f = w->fitting;
  const Experiment *x = &f->problem->experiments[e];
  for (int c = 0; c < x->channel_count; c++) {
    int n = samples_in_horizon(x, c, spec->horizon);
    const double *all = spec->weighting->channels[channel_number(f->data, e, c)].scale;
    const double *y = r->column[f->problem->channel_measured[e][c]];
    for (int first = 0; first < n; first += RESIDUAL_ROWS_MOST) {
      int rows = n - first < RESIDUAL_ROWS_MOST ? n - first : RESIDUAL_ROWS_MOST;
      const int *row = w->times[e]->row[c] + first;
      const double *scale = all + first, *measured = x->channels[c].y + first;
      if (slopes) fill_slopes(&(RowsWanted){w, r, e, c, first, rows, row, scale}, room->column);
      double *residual = room->column[f->n], *model = room->model;
      for (int j = 0; j < rows; j++) {
        model[j] = y[row[j]];
        residual[j] = (model[j] - measured[j]) * scale[j];
      }
      sink(data, &(ResidualBlock){e, c, first, rows, room->column, scale, model});
    }
  }
}
