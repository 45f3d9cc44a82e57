#include "store/study_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool give_reason(const Store *s, Err *err) {
  if (s->failed && err && !err->code) *err = s->err;
  if (!s->failed) fail(err, ERR_STOPPED, "it was stopped before the store answered");
  return false;
}

// ---------------------------------------------------------------- progress

static bool take_counts(void *data, const DbValue *c, int count) {
  StudyProgress *p = data;
  (void)count;
  p->total = (long)db_as_int(&c[0]);
  p->done = (long)db_as_int(&c[1]);
  p->busy = c[2].type == DB_NULL ? 0 : db_as_real(&c[2]);
  p->best = db_as_real(&c[3]);
  return true;
}

static bool take_study(void *data, const DbValue *c, int count) {
  StudyProgress *p = data;
  (void)count;
  p->state = (StudyState)db_as_int(&c[0]);
  p->seconds = db_as_real(&c[1]);
  return true;
}

static bool take_workers(void *data, const DbValue *c, int count) {
  StudyProgress *p = data;
  (void)count;
  p->workers = (int)db_as_int(&c[0]);
  p->threads = (int)db_as_int(&c[1]);
  return true;
}

static bool take_lost(void *data, const DbValue *c, int count) {
  (void)count;
  ((StudyProgress *)data)->lost = (long)db_as_int(&c[0]);
  return true;
}

typedef struct WordTally {
  Arena *a;
  ARRAY(StudyWord) list;
} WordTally;

static bool take_word(void *data, const DbValue *c, int count) {
  WordTally *w = data;
  (void)count;
  StudyWord one = {arena_copy(w->a, db_as_text(&c[0]), strlen(db_as_text(&c[0]))),
                   (long)db_as_int(&c[1])};
  array_push(w->a, &w->list, one);
  return true;
}

bool study_progress(Store *s, Arena *a, int64_t study, StudyProgress *out, Err *err) {
  DbValue key = db_int(study);
  WordTally words = {.a = a};
  *out = (StudyProgress){.best = nan("")};
  bool done =
      store_query(s, "SELECT state, seconds FROM study WHERE number = $1", &key, 1, take_study,
                  out) &&
      store_query(s,
                  "SELECT CAST(sum(runs) AS {int}), CAST(sum(runs_done) AS {int}), sum(seconds), "
                  "min(best) FROM item WHERE study = $1 AND count > 0 AND " RUN_KINDS,
                  &key, 1, take_counts, out) &&
      store_query(
          s,
          "SELECT count(*), CAST(coalesce(sum(threads), 0) AS {int}) FROM worker WHERE gone "
          "= 0 AND seen > {now} - " LEASE_SQL,
          NULL, 0, take_workers, out) &&
      store_query(s, "SELECT count(*) FROM loss WHERE study = $1", &key, 1, take_lost, out) &&
      store_query(s,
                  "SELECT word, CAST(sum(runs) AS {int}) FROM tally WHERE study = $1 GROUP BY word "
                  "ORDER BY word",
                  &key, 1, take_word, &words);
  out->ended = words.list.at;
  out->ended_count = words.list.count;
  return done || give_reason(s, err);
}

// ---------------------------------------------------------------- runs

typedef struct RunLayouts { // of the sets of a study
  Arena *a;
  ARRAY(struct SetLayout {
    int64_t item;
    const RecordLayout *layout;
  })
  list;
} RunLayouts;

static bool take_layout(void *data, const DbValue *c, int count) {
  RunLayouts *l = data;
  (void)count;
  struct SetLayout one = {db_as_int(&c[0]), record_layout_parse(l->a, db_as_text(&c[1]))};
  if (one.layout) array_push(l->a, &l->list, one);
  return true;
}

static const RecordLayout *layout_of(const RunLayouts *l, int64_t item) {
  for (int i = 0; i < l->list.count; i++)
    if (l->list.at[i].item == item) return l->list.at[i].layout;
  return NULL;
}

typedef struct JobRow {
  int64_t id;
  long first;
  int runs;
  double seconds;
  const char *host, *bytes;
} JobRow;

typedef struct JobRows {
  Arena *a;
  int seen; // also those that are damaged
  int64_t last;
  ARRAY(JobRow) rows;
} JobRows;

static bool take_row(void *data, const DbValue *c, int count) {
  JobRows *j = data;
  (void)count;
  j->seen++;
  j->last = db_as_int(&c[0]);
  size_t length = record_unpacked_length(c[5].bytes, c[5].length);
  char *bytes = arena_alloc(j->a, 1, length + 1);
  if (!record_unpack(c[5].bytes, c[5].length, bytes, length)) return true;
  JobRow row = {db_as_int(&c[0]),
                (long)db_as_int(&c[1]),
                (int)db_as_int(&c[2]),
                db_as_real(&c[3]),
                arena_copy(j->a, db_as_text(&c[4]), strlen(db_as_text(&c[4]))),
                bytes};
  array_push(j->a, &j->rows, row);
  return true;
}

#define ROW_SQL                                                                                    \
  "SELECT job.id, job.first, job.runs, job.seconds, worker.host, job.answer FROM job LEFT JOIN "   \
  "worker ON worker.id = job.worker "

static StudyRun run_of(const JobRow *row, const RecordLayout *layout, int64_t item, int k) {
  return (StudyRun){.layout = layout,
                    .bytes = row->bytes + layout->first + (size_t)k * layout->stride,
                    .item = item,
                    .number = row->first + k,
                    .seconds = row->seconds / (row->runs > 0 ? row->runs : 1),
                    .host = row->host};
}

enum { ROWS_AT_ONCE = 500 };

static bool read_all_runs(Store *s, int64_t study, const RunLayouts *l, StudyRunTake *take,
                          void *data) {
  Arena *a = arena_new();
  bool goes = true, done = true;
  for (int i = 0; i < l->list.count && goes && done; i++) {
    int64_t item = l->list.at[i].item, next = job_id(study, item, 0);
    int got = ROWS_AT_ONCE;
    while (goes && done && got == ROWS_AT_ONCE) {
      arena_reset(a);
      JobRows rows = {.a = a};
      DbValue values[] = {db_int(next), db_int(job_id(study, item + 1, 0)), db_int(ROWS_AT_ONCE)};
      done = store_query(s, ROW_SQL "WHERE job.id >= $1 AND job.id < $2 ORDER BY job.id LIMIT $3",
                         values, 3, take_row, &rows);
      got = rows.seen;
      next = rows.last + 1;
      for (int k = 0; k < rows.rows.count && goes; k++) {
        for (int m = 0; m < rows.rows.at[k].runs && goes; m++) {
          StudyRun run = run_of(&rows.rows.at[k], l->list.at[i].layout, item, m);
          goes = take(data, &run);
        }
      }
    }
  }
  arena_free(a);
  return done;
}

// ---------------------------------------------------------------- the best

typedef struct RankedRun {
  StudyRun run;
  double objective;
} RankedRun;

static double objective_of(const StudyRun *r) {
  for (int k = 0; k < r->layout->column_count; k++)
    if (strcmp(r->layout->columns[k].name, "objective") == 0)
      return record_value(&r->layout->columns[k], r->bytes);
  return nan("");
}

static int by_objective(const void *a, const void *b) {
  const RankedRun *x = a, *y = b;
  if (x->objective != y->objective) return x->objective < y->objective ? -1 : 1;
  if (x->run.item != y->run.item) return x->run.item < y->run.item ? -1 : 1;
  return (x->run.number > y->run.number) - (x->run.number < y->run.number);
}

static bool take_id(void *data, const DbValue *c, int count) {
  (void)count;
  *(int64_t *)data = db_as_int(&c[0]);
  return true;
}

static bool read_best_rows(Store *s, int64_t study, long best, JobRows *rows) {
  int64_t listed = 0;
  DbValue values[] = {db_int(study), db_int(best), db_int(job_id(study, 0, 0)),
                      db_int(job_id(study + 1, 0, 0))};
  if (!store_query(s, "SELECT count(*) FROM best WHERE study = $1", values, 1, take_id, &listed))
    return false;
  if (listed >= best || (listed > 0 && listed < STUDY_BEST))
    return store_query(s,
                       ROW_SQL "JOIN best ON best.job = job.id WHERE best.study = $1 AND best.rank "
                               "<= $2 ORDER BY best.rank",
                       values, 2, take_row, rows);
  DbValue range[] = {values[2], values[3], values[1], values[0]};
  return store_query(
      s,
      ROW_SQL RUN_JOBS_SQL(
          "$4") "WHERE job.id >= $1 AND job.id < $2 AND job.best IS NOT NULL ORDER BY "
                "job.best, job.id LIMIT $3",
      range, 4, take_row, rows);
}

static bool read_best_runs(Store *s, int64_t study, long best, const RunLayouts *l,
                           StudyRunTake *take, void *data) {
  Arena *a = arena_new();
  JobRows rows = {.a = a};
  bool done = read_best_rows(s, study, best, &rows);
  long count = 0, room = 0;
  for (int i = 0; i < rows.rows.count; i++) room += rows.rows.at[i].runs;
  RankedRun *all = ARENA_ARRAY(a, RankedRun, room + 1);
  for (int i = 0; i < rows.rows.count; i++) {
    const JobRow *row = &rows.rows.at[i];
    int64_t item = job_item(row->id);
    const RecordLayout *layout = layout_of(l, item);
    for (int k = 0; layout && k < row->runs; k++) {
      RankedRun one = {run_of(row, layout, item, k), 0};
      one.objective = objective_of(&one.run);
      if (isfinite(one.objective)) all[count++] = one;
    }
  }
  qsort(all, (size_t)count, sizeof *all, by_objective);
  for (long i = 0; i < count && i < best; i++)
    if (!take(data, &all[i].run)) break;
  arena_free(a);
  return done;
}

bool study_runs(Store *s, int64_t study, long best, StudyRunTake *take, void *data, Err *err) {
  Arena *a = arena_new();
  RunLayouts layouts = {.a = a};
  DbValue key = db_int(study);
  bool done = store_query(s,
                          "SELECT number, layout FROM item WHERE study = $1 AND count > 0 AND "
                          "layout IS NOT NULL AND " RUN_KINDS " ORDER BY number",
                          &key, 1, take_layout, &layouts);
  if (done)
    done = best > 0 ? read_best_runs(s, study, best, &layouts, take, data)
                    : read_all_runs(s, study, &layouts, take, data);
  arena_free(a);
  return done || give_reason(s, err);
}
