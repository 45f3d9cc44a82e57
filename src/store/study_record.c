#include "store/study_record.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/patience.h"

typedef struct PendingItem {
  struct PendingItem *next;
  int64_t number;
  const char *kind;
  uint64_t digest;
  double seconds;
  size_t length;
  char bytes[];
} PendingItem;

typedef struct KnownItem {
  int64_t number;
  char kind[24];
  uint64_t digest;
  bool is_set;
  char *bytes; // of an answer
  size_t length;
} KnownItem;

enum { READ_AHEAD = 256, INSERT_ROWS = 32 };

struct StudyRecord {
  Record record; // first: a pointer to it is one to this
  Arena *arena;
  Participant *participant;
  Store *store;
  int64_t study;
  bool wants_result;
  bool study_done; // by somebody, as seen last
  int64_t work_at; // of one who follows: the set that it is on the way to; -1: none
  double began;    // s, when this one began to lead; 0: it does not
  double seconds;  // of others before
  atomic_bool over;
  Err err;
  bool (*serve)(void *data);
  void *serve_data;
  // Items that were read from the store, those from number `known_from` to below `known_to`.
  KnownItem *known;
  int known_count;
  int64_t known_from, known_to;
  // Items that are to be written.
  pthread_mutex_t lock;
  PendingItem *first, *last;
  size_t pending;
};

static StudyRecord *of(Record *r) {
  return (StudyRecord *)r;
}

// Study, item and job in one number that grows with them: 13, 26 and 24 bits.
enum { JOB_BITS = 24, ITEM_BITS = 26 }; // also in RUN_JOBS_SQL

int64_t job_id(int64_t study, int64_t item, long job) {
  return (study << (ITEM_BITS + JOB_BITS)) | (item << JOB_BITS) | job;
}

int64_t job_item(int64_t id) {
  return (id >> JOB_BITS) & (((int64_t)1 << ITEM_BITS) - 1);
}

static void end_by(StudyRecord *r, const Err *err) {
  if (!r->err.code && err) r->err = *err;
  atomic_store(&r->over, true);
}

// What goes through the store goes on as long as the store can.
static bool fine(StudyRecord *r, bool done) {
  if (!done && r->store->failed) end_by(r, &r->store->err);
  return done;
}

static bool take_int(void *data, const DbValue *columns, int count) {
  (void)count;
  *(int64_t *)data = db_as_int(&columns[0]);
  return true;
}

// ---------------------------------------------------------------- items that are written

static bool insert_items(Store *s, void *data, Err *err) {
  const StudyRecord *r = ((void **)data)[0];
  for (const PendingItem *p = ((void **)data)[1]; p; p = p->next) {
    DbValue values[] = {db_int(r->study),    db_int(p->number),
                        db_text(p->kind),    db_int((int64_t)p->digest),
                        db_real(p->seconds), db_bytes(p->bytes, p->length)};
    if (!db_run(
            s->db,
            "INSERT INTO item (study, number, kind, digest, count, next, done, runs, runs_done, "
            "brief, closed, seconds, layout, answer) VALUES ($1, $2, $3, $4, 0, 0, 0, 0, 0, 0, "
            "1, $5, NULL, $6) ON "
            "CONFLICT (study, number) DO NOTHING",
            values, 6, NULL, NULL, NULL, err))
      return false;
  }
  return true;
}

static void free_items(PendingItem *p) {
  while (p) {
    PendingItem *next = p->next;
    free(p);
    p = next;
  }
}

static void flush(void *data) {
  StudyRecord *r = data;
  pthread_mutex_lock(&r->lock);
  PendingItem *first = r->first;
  r->first = r->last = NULL;
  r->pending = 0;
  pthread_mutex_unlock(&r->lock);
  if (!first) return;
  void *what[] = {r, first};
  if (fine(r, store_do(r->store, true, insert_items, what))) {
    free_items(first);
    return;
  }
  // Nobody answered in time: they are tried again with those that come.
  pthread_mutex_lock(&r->lock);
  PendingItem *last = first;
  while (last->next) last = last->next;
  last->next = r->first;
  r->first = first;
  if (!r->last) r->last = last;
  pthread_mutex_unlock(&r->lock);
}

static const size_t PENDING_MOST = 8
                                   << 20; // bytes; a store that does not answer is waited for then

static void add(Record *record, int64_t item, const char *kind, uint64_t digest, double seconds,
                const void *bytes, size_t length) {
  StudyRecord *r = of(record);
  PendingItem *p = malloc(sizeof *p + length);
  if (!p) return; // it is computed again, should it be asked for
  *p = (PendingItem){NULL, item, kind, digest, seconds, length};
  memcpy(p->bytes, bytes, length);
  pthread_mutex_lock(&r->lock);
  if (r->last)
    r->last->next = p;
  else
    r->first = p;
  r->last = p;
  r->pending += length;
  bool full = r->pending > PENDING_MOST;
  pthread_mutex_unlock(&r->lock);
  if (full) flush(r);
}

// ---------------------------------------------------------------- items that are known

static bool take_item(void *data, const DbValue *c, int count) {
  StudyRecord *r = data;
  (void)count;
  KnownItem *k = &r->known[r->known_count++];
  *k = (KnownItem){.number = db_as_int(&c[0]),
                   .digest = (uint64_t)db_as_int(&c[2]),
                   .is_set = c[3].type == DB_NULL,
                   .length = c[3].length};
  c_snprintf(k->kind, sizeof k->kind, "%s", db_as_text(&c[1]));
  if (k->is_set) return true;
  k->bytes = malloc(k->length + 1);
  if (k->bytes) memcpy(k->bytes, c[3].bytes, k->length);
  return k->bytes != NULL;
}

static void forget_known(StudyRecord *r) {
  for (int i = 0; i < r->known_count; i++) free(r->known[i].bytes);
  r->known_count = 0;
}

// Reads the items from this one on. Whoever leads adds all further items himself: what is behind the last is not asked for
// again.
static bool read_items(StudyRecord *r, int64_t from) {
  forget_known(r);
  DbValue values[] = {db_int(r->study), db_int(from), db_int(READ_AHEAD)};
  if (!fine(r, store_query(r->store,
                           "SELECT number, kind, digest, answer FROM item WHERE study = $1 AND "
                           "number >= $2 ORDER BY number LIMIT $3",
                           values, 3, take_item, r)))
    return false;
  r->known_from = from;
  bool all = r->known_count < READ_AHEAD;
  r->known_to = !all                 ? r->known[r->known_count - 1].number + 1
                : !r->record.follows ? INT64_MAX
                                     : from + 1;
  return true;
}

static const KnownItem *find_known(const StudyRecord *r, int64_t item) {
  for (int i = 0; i < r->known_count; i++)
    if (r->known[i].number == item) return &r->known[i];
  return NULL;
}

static void fail_other_question(StudyRecord *r, int64_t item, const char *kind, const char *was) {
  Err err = {0};
  fail(&err, ERR_FILE,
       "the study asks something else here (question %lld, %s) than what is recorded (%s): this "
       "program or machine computes differently from the one that began it. Resume it with that, "
       "or begin anew with --fork",
       (long long)item, kind, was);
  end_by(r, &err);
}

static RecordState look(Record *record, int64_t item, const char *kind, uint64_t digest,
                        Text *answer) {
  StudyRecord *r = of(record);
  if (atomic_load(&r->over)) return RECORD_OVER;
  if ((item < r->known_from || item >= r->known_to) && !read_items(r, item)) return RECORD_OVER;
  const KnownItem *k = r->known_count ? find_known(r, item) : NULL;
  if (!k) return RECORD_NOTHING;
  if (k->digest != digest || strcmp(k->kind, kind) != 0) {
    fail_other_question(r, item, kind, strcmp(k->kind, kind) ? k->kind : "with other numbers");
    return RECORD_OVER;
  }
  if (k->is_set) return RECORD_SET;
  text_add_bytes(answer, k->bytes, k->length);
  return RECORD_ANSWER;
}

// ---------------------------------------------------------------- who leads

typedef struct LeaderRow {
  int64_t leader, state;
  double left; // s of its time
} LeaderRow;

static bool take_leader(void *data, const DbValue *c, int count) {
  LeaderRow *l = data;
  (void)count;
  l->leader = db_as_int(&c[0]);
  l->state = db_as_int(&c[1]);
  l->left = db_as_real(&c[2]);
  return true;
}

static bool read_leader(StudyRecord *r, LeaderRow *l) {
  DbValue study = db_int(r->study);
  *l = (LeaderRow){0, STUDY_FAILED, 0};
  return fine(r, store_query(r->store,
                             "SELECT leader, state, until - {now} FROM study WHERE number = $1",
                             &study, 1, take_leader, l));
}

typedef struct Election {
  const StudyRecord *r;
  const LeaderRow *before;
  long changed;
} Election;

static bool elect(Store *s, void *data, Err *err) {
  Election *e = data;
  DbValue values[] = {db_int(e->r->study), db_int(participant_id(e->r->participant)),
                      db_int(e->before->leader)};
  return db_run(s->db,
                "UPDATE study SET leader = $2, until = {now} + " LEASE_SQL
                " WHERE number = $1 AND leader = $3 AND (leader = 0 OR until < {now})",
                values, 3, NULL, NULL, &e->changed, err);
}

// true: this one leads.
static bool try_to_lead(StudyRecord *r, const LeaderRow *l) {
  int64_t me = participant_id(r->participant);
  if (l->state == STUDY_DONE && r->wants_result) return true; // nobody has to, any more
  bool leads = l->leader == me;
  if (!leads && l->state == STUDY_OPEN && (l->leader == 0 || !(l->left > 0))) {
    Election e = {r, l, 0};
    leads = fine(r, store_do(r->store, true, elect, &e)) && e.changed == 1;
  }
  if (leads && !r->began) r->began = clock_seconds();
  return leads;
}

// ---------------------------------------------------------------- those who follow

// Whether a set from this item on has jobs that may be begun.
static bool is_work_ahead(StudyRecord *r, int64_t item) {
  int64_t found = -1;
  DbValue values[] = {db_int(r->study), db_int(item)};
  fine(r,
       store_query(r->store,
                   "SELECT number FROM item WHERE study = $1 AND number >= $2 AND closed = 0 AND "
                   "done < count ORDER BY number LIMIT 1",
                   values, 2, take_int, &found));
  r->work_at = found;
  return found >= 0;
}

// A server manages some 350 claims and commits of a set in a second, see docs/cluster.md: all threads together shall make about
// two hundred.
static double pace(Record *record) {
  enum { THREADS = 40 }; // that need no longer than 0.2 s
  return fmax(1, (double)participant_threads(of(record)->participant) / THREADS);
}

// Until there is news, or a moment at most, which nobody notices who presses Ctrl-C.
static void rest(StudyRecord *r) {
  if (r->serve && r->serve(r->serve_data)) return;
  store_wait(r->store, fmin(0.05 * pace(&r->record), 0.25));
}

static bool gate(Record *record, int64_t item) {
  StudyRecord *r = of(record);
  if (item < r->work_at && !atomic_load(&r->over)) return true; // on the way there
  while (!atomic_load(&r->over)) {
    LeaderRow l;
    participant_bury_dead(r->participant);
    if (!read_leader(r, &l)) return false;
    r->study_done = l.state == STUDY_DONE;
    if (l.state != STUDY_OPEN && !(l.state == STUDY_DONE && r->wants_result)) {
      end_by(r, NULL);
      return false;
    }
    if (try_to_lead(r, &l)) {
      record->follows = false;
      r->known_from = r->known_to = 0; // read anew
      return true;
    }
    if (is_work_ahead(r, item)) return true;
    if (!patience_asks()) return false;
    rest(r);
  }
  return false;
}

// ---------------------------------------------------------------- sets of jobs

typedef struct SetWork {
  StudyRecord *r;
  int64_t item;
  const RecordSet *set;
  const char *layout;
} SetWork;

static bool insert_set(Store *s, void *data, Err *err) {
  const SetWork *w = data;
  DbValue values[] = {db_int(w->r->study),
                      db_int(w->item),
                      db_text(w->set->layout->kind),
                      db_int((int64_t)w->set->digest),
                      db_int(w->set->count),
                      db_int(w->set->brief),
                      db_text(w->layout),
                      db_int(w->set->runs)};
  return db_run(
             s->db,
             "INSERT INTO item (study, number, kind, digest, count, next, done, runs, runs_done, "
             "brief, closed, seconds, layout, answer) VALUES ($1, $2, $3, $4, $5, 0, 0, $8, 0, "
             "$6, 0, 0.0, $7, NULL) "
             "ON CONFLICT (study, number) DO NOTHING",
             values, 8, NULL, NULL, NULL, err) &&
         db_notify(s->db, err);
}

static bool open_set(Record *record, int64_t item, const RecordSet *set) {
  StudyRecord *r = of(record);
  if (atomic_load(&r->over)) return false;
  if (find_known(r, item)) return true;
  flush(r); // whoever comes to the set needs what is before
  Text layout;
  text_init(&layout);
  record_layout_print(set->layout, &layout);
  SetWork w = {r, item, set, layout.at};
  bool done = fine(r, store_do(r->store, true, insert_set, &w));
  text_done(&layout);
  return done;
}

typedef struct SetRow {
  int64_t count, next, done, brief, closed;
  double seconds;
} SetRow;

static bool take_set(void *data, const DbValue *c, int count) {
  SetRow *row = data;
  (void)count;
  *row = (SetRow){db_as_int(&c[0]), db_as_int(&c[1]), db_as_int(&c[2]),
                  db_as_int(&c[3]), db_as_int(&c[4]), db_as_real(&c[5])};
  return true;
}

#define SET_SQL                                                                                    \
  "SELECT count, next, done, brief, closed, seconds FROM item WHERE study = $1 AND number = $2"

typedef struct ClaimWork {
  StudyRecord *r;
  int64_t item;
  int most;
  RecordClaim *out;
  bool found;
} ClaimWork;

enum { AHEAD_OF_BRIEF = 8 }; // jobs by thread that are begun beyond those that are done

// The next jobs that nobody has had. Of two who want the same, one changes the row and the other looks again.
static bool claim_next(Store *s, ClaimWork *w, SetRow *row, Err *err) {
  int64_t study = w->r->study, me = participant_id(w->r->participant);
  for (;;) {
    DbValue key[] = {db_int(study), db_int(w->item)};
    *row = (SetRow){.closed = 1};
    if (!db_run(s->db, SET_SQL, key, 2, take_set, row, NULL, err)) return false;
    int threads = participant_threads(w->r->participant);
    int64_t limit = row->count, left = row->count - row->next, many = w->most;
    if (row->brief && row->done + AHEAD_OF_BRIEF * threads < limit)
      limit = row->done + AHEAD_OF_BRIEF * threads;
    if (row->closed || row->next >= limit) return true;
    // Towards the end all shall have something.
    if (many > (left + 2 * threads - 1) / (2 * threads))
      many = (left + 2 * threads - 1) / (2 * threads);
    if (many > limit - row->next) many = limit - row->next;
    if (many < 1) many = 1;
    DbValue move[] = {db_int(study), db_int(w->item), db_int(row->next), db_int(row->next + many)};
    long changed = 0;
    if (!db_run(s->db, "UPDATE item SET next = $4 WHERE study = $1 AND number = $2 AND next = $3",
                move, 4, NULL, NULL, &changed, err))
      return false;
    if (!changed) continue;
    DbValue claim[] = {db_int(study), db_int(w->item), db_int(row->next), db_int(many), db_int(me)};
    *w->out = (RecordClaim){.first = (long)row->next, .count = (int)many};
    w->found = true;
    return db_run(s->db,
                  "INSERT INTO claim (study, item, first, count, worker, made, until, tries, "
                  "copied) VALUES ($1, $2, $3, $4, $5, {now}, {now} + " LEASE_SQL
                  ", 0, 0) RETURNING id",
                  claim, 5, take_int, &w->out->id, NULL, err);
  }
}

typedef struct OldClaim {
  int64_t id, first, count, worker, tries;
  bool found;
} OldClaim;

static bool take_claim(void *data, const DbValue *c, int count) {
  (void)count;
  *(OldClaim *)data = (OldClaim){db_as_int(&c[0]), db_as_int(&c[1]), db_as_int(&c[2]),
                                 db_as_int(&c[3]), db_as_int(&c[4]), true};
  return false;
}

// Several jobs of which one may have killed its worker become claims of one job each.
static bool split_claim(Store *s, const ClaimWork *w, const OldClaim *old, int64_t tries,
                        Err *err) {
  for (int64_t k = 1; k < old->count; k++) {
    DbValue values[] = {db_int(w->r->study), db_int(w->item), db_int(old->first + k),
                        db_int(tries)};
    if (!db_run(s->db,
                "INSERT INTO claim (study, item, first, count, worker, made, until, tries, copied) "
                "VALUES ($1, $2, $3, 1, 0, {now}, 0.0, $4, 0)",
                values, 4, NULL, NULL, NULL, err))
      return false;
  }
  return true;
}

// What others have left behind: those that gave it back did not fail.
static bool claim_left(Store *s, ClaimWork *w, Err *err) {
  OldClaim old = {0};
  DbValue key[] = {db_int(w->r->study), db_int(w->item)};
  if (!db_run(
          s->db,
          "SELECT id, first, count, worker, tries FROM claim WHERE study = $1 AND item = $2 AND "
          "until < {now} ORDER BY first LIMIT 1 {skip}",
          key, 2, take_claim, &old, NULL, err))
    return false;
  if (!old.found) return true;
  int64_t tries = old.tries + (old.worker != 0);
  bool split = old.worker != 0 && old.count > 1;
  DbValue values[] = {db_int(old.id), db_int(participant_id(w->r->participant)), db_int(tries),
                      db_int(split ? 1 : old.count)};
  if (split && !split_claim(s, w, &old, tries, err)) return false;
  *w->out = (RecordClaim){old.id, (long)old.first, split ? 1 : (int)old.count, (int)tries, false};
  w->found = true;
  return db_run(s->db,
                "UPDATE claim SET worker = $2, tries = $3, count = $4, made = {now}, until = {now} "
                "+ " LEASE_SQL " WHERE id = $1",
                values, 4, NULL, NULL, NULL, err);
}

// Jobs that somebody else has had for long: at the end of a set nobody waits for the slowest machine.
static bool claim_copy(Store *s, ClaimWork *w, const SetRow *row, Err *err) {
  OldClaim old = {0};
  double usual = row->done ? row->seconds / (double)row->done : HUGE_VAL;
  if (row->next < row->count || !isfinite(usual)) return true;
  DbValue key[] = {db_int(w->r->study), db_int(w->item), db_int(participant_id(w->r->participant)),
                   db_real(3 * usual), db_real(2)};
  if (!db_run(
          s->db,
          "SELECT id, first, count, worker, tries FROM claim WHERE study = $1 AND item = $2 AND "
          "worker <> $3 AND worker <> 0 AND copied = 0 AND {now} - made > $5 + $4 * count ORDER "
          "BY first LIMIT 1 {skip}",
          key, 5, take_claim, &old, NULL, err))
    return false;
  if (!old.found) return true;
  DbValue id = db_int(old.id);
  *w->out = (RecordClaim){old.id, (long)old.first, (int)old.count, (int)old.tries, true};
  w->found = true;
  return db_run(s->db, "UPDATE claim SET copied = 1 WHERE id = $1", &id, 1, NULL, NULL, NULL, err);
}

static bool find_claim(Store *s, void *data, Err *err) {
  ClaimWork *w = data;
  SetRow row;
  w->found = false;
  return claim_left(s, w, err) && (w->found || claim_next(s, w, &row, err)) &&
         (w->found || row.closed || claim_copy(s, w, &row, err));
}

static bool claim(Record *record, int64_t item, int most, RecordClaim *out) {
  StudyRecord *r = of(record);
  if (atomic_load(&r->over)) return false;
  ClaimWork w = {r, item, most, out, false};
  participant_bury_dead(r->participant);
  return fine(r, store_do(r->store, false, find_claim, &w)) && w.found;
}

// ---------------------------------------------------------------- answers of jobs

typedef struct CommitWork {
  StudyRecord *r;
  int64_t item;
  const RecordLayout *layout;
  const RecordClaim *claim;
  const RecordedJob *jobs;
  int count;
} CommitWork;

enum { JOB_COLUMNS = 7 };

static const char *insert_sql(int rows, Text *sql) {
  text_clear(sql);
  text_add(sql, "INSERT INTO job (id, first, runs, best, seconds, worker, answer) VALUES ");
  for (int i = 0, k = 1; i < rows; i++, k += JOB_COLUMNS)
    text_print(sql, "%s($%d, $%d, $%d, $%d, $%d, $%d, $%d)", i ? ", " : "", k, k + 1, k + 2, k + 3,
               k + 4, k + 5, k + 6);
  text_add(sql, " ON CONFLICT (id) DO NOTHING");
  return sql->at;
}

// *added: how many were new.
static bool insert_jobs(Store *s, const CommitWork *w, int first, int rows, long *added, Err *err) {
  DbValue values[INSERT_ROWS * JOB_COLUMNS];
  int64_t me = participant_id(w->r->participant);
  for (int i = 0; i < rows; i++) {
    const RecordedJob *j = &w->jobs[first + i];
    DbValue *v = values + (size_t)i * JOB_COLUMNS;
    v[0] = db_int(job_id(w->r->study, w->item, j->number));
    v[1] = db_int(j->first);
    v[2] = db_int(j->runs);
    v[3] = isnan(j->best) ? db_null() : db_real(j->best);
    v[4] = db_real(j->seconds);
    v[5] = db_int(me);
    v[6] = db_bytes(j->bytes, j->length);
  }
  Text sql;
  text_init(&sql);
  bool done =
      db_run(s->db, insert_sql(rows, &sql), values, rows * JOB_COLUMNS, NULL, NULL, added, err);
  text_done(&sql);
  return done;
}

static bool add_tally(Store *s, const CommitWork *w, const char *word, int runs, Err *err) {
  DbValue values[] = {db_int(w->r->study), db_int(w->item), db_text(word), db_int(runs)};
  return db_run(s->db,
                "INSERT INTO tally (study, item, word, runs) VALUES ($1, $2, $3, $4) ON CONFLICT "
                "(study, item, word) DO UPDATE SET runs = tally.runs + $4",
                values, 4, NULL, NULL, NULL, err);
}

static bool add_loss(Store *s, const CommitWork *w, const RecordedJob *j, Err *err) {
  DbValue values[] = {db_int(w->r->study), db_int(w->item), db_int(j->number), db_text(j->lost)};
  return db_run(s->db,
                "INSERT INTO loss (study, item, job, why) VALUES ($1, $2, $3, $4) ON CONFLICT "
                "(study, item, job) DO NOTHING",
                values, 4, NULL, NULL, NULL, err);
}

static const char *outcome_words(const RecordLayout *layout) {
  for (int k = 0; k < layout->column_count; k++)
    if (strcmp(layout->columns[k].name, "outcome") == 0) return layout->columns[k].words;
  return NULL;
}

static bool take_flag(void *data, const DbValue *c, int count) {
  (void)count;
  *(bool *)data = db_as_int(&c[0]) != 0;
  return true;
}

#define IS_WHOLE "RETURNING CASE WHEN done >= count THEN 1 ELSE 0 END"

// Many jobs at once where all are new, as they are unless two have worked on the same; then one by one, to count right.
// *whole: the set is.
static bool insert_all(Store *s, const CommitWork *w, bool alone, long *added, bool *whole,
                       Err *err) {
  int ended[RECORD_WORDS] = {0};
  double seconds = 0, best = nan("");
  long runs = 0;
  *added = 0;
  for (int k = 0, rows; k < w->count; k += rows) {
    rows = alone && w->count - k >= INSERT_ROWS ? INSERT_ROWS : 1;
    long some = 0;
    if (!insert_jobs(s, w, k, rows, &some, err)) return false;
    *added += some;
    for (int i = k; some && i < k + rows; i++) {
      seconds += w->jobs[i].seconds;
      runs += w->jobs[i].runs;
      if (!(w->jobs[i].best >= best)) best = isnan(w->jobs[i].best) ? best : w->jobs[i].best;
      for (int word = 0; word < RECORD_WORDS; word++) ended[word] += w->jobs[i].ended[word];
      if (w->jobs[i].lost && !add_loss(s, w, &w->jobs[i], err)) return false;
    }
  }
  const char *words = outcome_words(w->layout);
  char word[40];
  for (int k = 0; words && k < RECORD_WORDS; k++)
    if (ended[k] && record_word(words, k, word) && !add_tally(s, w, word, ended[k], err))
      return false;
  DbValue values[] = {db_int(w->r->study), db_int(w->item),
                      db_int(*added),      db_real(seconds),
                      db_int(runs),        isnan(best) ? db_null() : db_real(best)};
  return db_run(s->db,
                isnan(best) ? "UPDATE item SET done = done + $3, seconds = seconds + $4, runs_done "
                              "= runs_done + $5 WHERE study = $1 AND number = $2 " IS_WHOLE
                            : "UPDATE item SET done = done + $3, seconds = seconds + $4, runs_done "
                              "= runs_done + $5, best = CASE WHEN best <= $6 THEN best ELSE $6 END "
                              "WHERE study = $1 AND number = $2 " IS_WHOLE,
                values, isnan(best) ? 5 : 6, take_flag, whole, NULL, err);
}

// The claim of answers that are all there goes; of others what is missing is free again.
static bool end_claim(Store *s, const CommitWork *w, Err *err) {
  const RecordClaim *c = w->claim;
  DbValue values[] = {db_int(c->id), db_int(c->first + w->count), db_int(c->count - w->count),
                      db_int(participant_id(w->r->participant))};
  if (w->count == c->count)
    return db_run(s->db, "DELETE FROM claim WHERE id = $1", values, 1, NULL, NULL, NULL, err);
  if (c->copy) return true;
  return db_run(
      s->db,
      "UPDATE claim SET first = $2, count = $3, worker = 0, until = 0.0 WHERE id = $1 AND "
      "worker = $4",
      values, 4, NULL, NULL, NULL, err);
}

static bool is_alone(Store *s, const CommitWork *w, bool *alone, Err *err) {
  int64_t copied = 1;
  DbValue values[] = {db_int(w->claim->id), db_int(participant_id(w->r->participant))};
  *alone = false;
  if (w->claim->copy || w->claim->tries) return true;
  if (!db_run(s->db, "SELECT copied FROM claim WHERE id = $1 AND worker = $2 {lock}", values, 2,
              take_int, &copied, NULL, err))
    return false;
  *alone = copied == 0;
  return true;
}

// Others hear of it where they may wait for it: at the end of a set, and when jobs are free again. A notice of each commit would cost the
// server more than the commit, with hundreds of workers.
static bool commit_jobs(Store *s, void *data, Err *err) {
  const CommitWork *w = data;
  bool alone, whole = false;
  long added = 0;
  if (!is_alone(s, w, &alone, err)) return false;
  if (w->count && !insert_all(s, w, alone, &added, &whole, err)) return false;
  DbValue values[] = {db_int(participant_id(w->r->participant)), db_int(added),
                      db_int(w->count - added), db_int(w->r->study)};
  return end_claim(s, w, err) &&
         db_run(s->db,
                "UPDATE worker SET done = done + $2, repeated = repeated + $3, study = $4, seen = "
                "{now} WHERE id = $1",
                values, 4, NULL, NULL, NULL, err) &&
         (!(whole || w->count < w->claim->count) || db_notify(s->db, err));
}

static void commit(Record *record, int64_t item, const RecordLayout *layout,
                   const RecordClaim *of_claim, const RecordedJob *jobs, int count) {
  StudyRecord *r = of(record);
  CommitWork w = {r, item, layout, of_claim, jobs, count};
  fine(r, store_do(r->store, count > 0, commit_jobs, &w));
}

typedef struct Reading {
  int64_t base; // id of job 0
  long next;
  RecordTake *take;
  void *data;
  Arena *a;
  ARRAY(RecordedJob) jobs;
} Reading;

static bool take_job(void *data, const DbValue *c, int count) {
  Reading *q = data;
  (void)count;
  long number = (long)(db_as_int(&c[0]) - q->base);
  if (number != q->next + q->jobs.count) return false; // those before are not there yet
  RecordedJob job = {.number = number,
                     .runs = (int)db_as_int(&c[1]),
                     .bytes = arena_copy(q->a, c[2].bytes, c[2].length),
                     .length = c[2].length};
  array_push(q->a, &q->jobs, job);
  return true;
}

// Whoever follows takes answers only to come to what is behind the set.
static bool may_read(StudyRecord *r, int64_t item) {
  SetRow row = {0};
  DbValue key[] = {db_int(r->study), db_int(item)};
  if (!r->record.follows) return true;
  if (!fine(r, store_query(r->store, SET_SQL, key, 2, take_set, &row))) return false;
  if (!row.closed && row.done < row.count) {
    LeaderRow l;
    return read_leader(r, &l) && try_to_lead(r, &l) ? (r->record.follows = false, true) : false;
  }
  return gate(&r->record, item + 1);
}

static long read_jobs(Record *record, int64_t item, long from, RecordTake *take, void *data) {
  StudyRecord *r = of(record);
  if (atomic_load(&r->over) || !may_read(r, item)) return from;
  Reading q = {job_id(r->study, item, 0), from, take, data, arena_new(), {0}};
  int got;
  do {
    arena_reset(q.a);
    memset(&q.jobs, 0, sizeof q.jobs);
    DbValue values[] = {db_int(q.base + q.next), db_int(q.base + (1 << JOB_BITS)),
                        db_int(READ_AHEAD)};
    if (!fine(r, store_query(r->store,
                             "SELECT id, runs, answer FROM job WHERE id >= $1 AND id < $2 ORDER BY "
                             "id LIMIT $3",
                             values, 3, take_job, &q)))
      break;
    got = q.jobs.count;
    int k = 0;
    while (k < got && take(data, &q.jobs.at[k])) k++;
    q.next += k + (k < got); // the one that ended it was taken, too
    if (k < got) break;
  } while (got == READ_AHEAD && patience_asks());
  arena_free(q.a);
  return q.next;
}

static bool close_row(Store *s, void *data, Err *err) {
  const SetWork *w = data;
  DbValue key[] = {db_int(w->r->study), db_int(w->item)};
  return db_run(s->db, "UPDATE item SET closed = 1 WHERE study = $1 AND number = $2", key, 2, NULL,
                NULL, NULL, err) &&
         db_run(s->db, "DELETE FROM claim WHERE study = $1 AND item = $2", key, 2, NULL, NULL, NULL,
                err) &&
         db_notify(s->db, err);
}

static void close_set(Record *record, int64_t item) {
  StudyRecord *r = of(record);
  if (!r->record.follows && !r->study_done)
    fine(r, store_do(r->store, false, close_row, &(SetWork){r, item, NULL, NULL}));
}

static void wait_for_news(Record *record) {
  rest(of(record));
}

// ---------------------------------------------------------------- parts

static bool take_bytes(void *data, const DbValue *c, int count) {
  (void)count;
  if (c[0].type == DB_BYTES) text_add_bytes(data, c[0].bytes, c[0].length);
  return true;
}

static bool look_part(Record *record, int64_t item, long job, long part, Text *answer) {
  StudyRecord *r = of(record);
  size_t before = answer->length;
  DbValue key[] = {db_int(r->study), db_int(item), db_int(job), db_int(part)};
  fine(r, store_query(r->store,
                      "SELECT answer FROM part WHERE study = $1 AND item = $2 AND job = $3 AND "
                      "number = $4",
                      key, 4, take_bytes, answer));
  return answer->length > before;
}

typedef struct PartWork {
  const DbValue *values;
} PartWork;

static bool insert_part(Store *s, void *data, Err *err) {
  return db_run(s->db,
                "INSERT INTO part (study, item, job, number, worker, until, tries, seconds, "
                "question, answer) VALUES ($1, $2, $3, $4, $5, 0.0, 0, $6, NULL, $7) ON CONFLICT "
                "(study, item, job, number) DO UPDATE SET answer = $7, seconds = $6, worker = $5 "
                "WHERE part.answer IS NULL",
                ((PartWork *)data)->values, 7, NULL, NULL, NULL, err) &&
         db_notify(s->db, err);
}

static void add_part(Record *record, int64_t item, long job, long part, double seconds,
                     const void *bytes, size_t length) {
  StudyRecord *r = of(record);
  DbValue values[] = {db_int(r->study),
                      db_int(item),
                      db_int(job),
                      db_int(part),
                      db_int(participant_id(r->participant)),
                      db_real(seconds),
                      db_bytes(bytes, length)};
  fine(r, store_do(r->store, true, insert_part, &(PartWork){values}));
}

// ---------------------------------------------------------------- joining and leaving

static bool take_seconds(void *data, const DbValue *c, int count) {
  (void)count;
  *(double *)data = db_as_real(&c[0]);
  return true;
}

StudyRecord *study_join(Participant *p, int64_t study, const JoinRequest *request, Err *err) {
  Arena *a = arena_new();
  StudyRecord *r = ARENA_NEW(a, StudyRecord);
  r->arena = a;
  r->participant = p;
  r->store = participant_store(p);
  r->study = study;
  r->wants_result = request->wants_result;
  r->work_at = -1;
  r->known = ARENA_ARRAY(a, KnownItem, READ_AHEAD);
  pthread_mutex_init(&r->lock, NULL);
  r->record = (Record){.look = look,
                       .add = add,
                       .open_set = open_set,
                       .pace = pace,
                       .claim = claim,
                       .commit = commit,
                       .read = read_jobs,
                       .close_set = close_set,
                       .wait = wait_for_news,
                       .look_part = look_part,
                       .add_part = add_part,
                       .gate = gate,
                       .follows = true};
  DbValue number = db_int(study);
  LeaderRow l;
  store_query(r->store, "SELECT seconds FROM study WHERE number = $1", &number, 1, take_seconds,
              &r->seconds);
  participant_bury_dead(p);
  if (request->wants_result)
    store_query(r->store, "UPDATE study SET state = 0 WHERE number = $1 AND state > 1", &number, 1,
                NULL, NULL);
  if (read_leader(r, &l)) {
    r->record.follows = !try_to_lead(r, &l);
    r->study_done = l.state == STUDY_DONE;
  }
  if (r->store->failed) {
    if (err && !err->code) *err = r->store->err;
    study_leave(r, NULL);
    return NULL;
  }
  participant_tick(p, flush, r);
  return r;
}

// So that the best runs of a study that is done are found at once.
static bool list_best(Store *s, int64_t study, Err *err) {
  DbValue values[] = {db_int(study), db_int(job_id(study, 0, 0)), db_int(job_id(study + 1, 0, 0))};
  return db_run(s->db, "DELETE FROM best WHERE study = $1", values, 1, NULL, NULL, NULL, err) &&
         db_run(
             s->db,
             "INSERT INTO best (study, rank, job) SELECT $1, row_number() OVER (ORDER BY job.best, "
             "job.id), job.id FROM job " RUN_JOBS_SQL(
                 "$1") "WHERE job.id >= $2 AND job.id < $3 AND job.best IS NOT NULL ORDER BY "
                       "job.best, job.id "
                       "LIMIT " STUDY_BEST_SQL,
             values, 3, NULL, NULL, NULL, err);
}

static bool end_study(Store *s, void *data, Err *err) {
  const StudyRecord *r = ((void **)data)[0];
  const StudyEnd *end = ((void **)data)[1];
  long changed = 0;
  DbValue values[] = {db_int(r->study), db_real(clock_seconds() - r->began),
                      db_int(participant_id(r->participant)), db_int(end->state),
                      db_text(end->note ? end->note : "")};
  if (!db_run(
          s->db,
          "UPDATE study SET seconds = seconds + $2, leader = 0, until = 0.0, state = $4, note = "
          "$5 WHERE number = $1 AND leader = $3",
          values, 5, NULL, NULL, &changed, err))
    return false;
  if (changed && end->state == STUDY_DONE && !list_best(s, r->study, err)) return false;
  return db_notify(s->db, err);
}

void study_leave(StudyRecord *r, const StudyEnd *end) {
  if (!r) return;
  participant_tick(r->participant, NULL, NULL);
  flush(r);
  StudyEnd open = {STUDY_OPEN, NULL};
  void *data[] = {r, (void *)(end ? end : &open)};
  if (r->began) store_do(r->store, true, end_study, data);
  free_items(r->first);
  forget_known(r);
  pthread_mutex_destroy(&r->lock);
  arena_free(r->arena);
}

Record *study_record(StudyRecord *r) {
  return &r->record;
}

bool study_has_failed(const StudyRecord *r, Err *err) {
  if (!r->err.code) return false;
  if (err && !err->code) *err = r->err;
  return true;
}

bool study_is_over(const StudyRecord *r) {
  return atomic_load((atomic_bool *)&r->over);
}

double study_seconds(const StudyRecord *r) {
  return r->seconds;
}

void study_serve(StudyRecord *r, bool (*serve)(void *data), void *data) {
  r->serve = serve;
  r->serve_data = data;
}
