// The public library: stores of studies.
#include <math.h>
#include <source_digest.h> // made by the Makefile
#include <stdlib.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/patience.h"
#include "base/record.h"
#include "code/fingerprint.h"
#include "report/store_report.h"
#include "store/study_view.h"

typedef struct ProgressView { // with what entrain_*_progress hands out
  Arena *arena;
  double asked;            // s
  double counted_at, rate; // s, runs a second
  long counted;
  EntrainStudyProgress told;
} ProgressView;

struct EntrainStudy {
  Arena *arena;
  FileSet *files;
  FileSetUse use;
  bool uses; // it notes or serves
  Store *store;
  bool owns_store;
  Participant *participant;
  bool owns_participant;
  StudyRow row;
  bool wants_result;
  StudyRecord *record;
  Patience patience;
  const char *simulators;
  ProgressView view;
};

struct EntrainStore {
  Arena *arena;
  Store *store;
  Participant *participant; // NULL until it takes part
  Arena *rows_arena;
  StudyRow *rows;
  int count;
  Text why;
  ProgressView view;
};

// ---------------------------------------------------------------- who computes

static const char *version_text(void) {
  return "entrain " ENTRAIN_VERSION " (source " SOURCE_DIGEST ")";
}

static const char *fingerprint_of(Arena *a) {
  Text t;
  text_init(&t);
  fingerprint_print(&t);
  const char *copy = arena_copy(a, t.at, t.length);
  text_done(&t);
  return copy;
}

static const char *lines_of(Arena *a, const char *const *words, int count) {
  Text t;
  text_init(&t);
  for (int i = 0; i < count; i++) text_print(&t, "%s%s", i ? "\n" : "", words[i]);
  const char *copy = arena_copy(a, t.at ? t.at : "", t.length);
  text_done(&t);
  return copy;
}

// ---------------------------------------------------------------- a study of one's own

EntrainStudy *entrain_study_new(void) {
  Arena *a = arena_new();
  EntrainStudy *s = ARENA_NEW(a, EntrainStudy);
  s->arena = a;
  s->files = file_set_new(a);
  s->wants_result = true;
  file_set_begin_noting(&s->use, s->files);
  s->uses = true;
  return s;
}

static void end_use(EntrainStudy *s) {
  if (s->uses) file_set_end(&s->use);
  s->uses = false;
}

static bool goes_on(void *data) {
  const EntrainStudy *s = data;
  return !study_is_over(s->record);
}

static bool join(EntrainStudy *s, Err *err) {
  s->record = study_join(s->participant, s->row.number, &(JoinRequest){s->wants_result}, err);
  if (!s->record) return false;
  record_begin(study_record(s->record));
  patience_set_spent(s->row.seconds);
  s->patience = (Patience){.goes_on = goes_on, .data = s, .by_work = true};
  patience_begin(&s->patience);
  return true;
}

static bool take_part(EntrainStudy *s, int threads, const char *tags, Err *err) {
  ParticipantAbout about = {threads > 0 ? threads : 1, tags ? tags : "", fingerprint_of(s->arena)};
  s->participant = participant_new(s->store, &about, err);
  s->owns_participant = s->participant != NULL;
  return s->participant != NULL;
}

static bool begin(EntrainStudy *s, const EntrainStudyRequest *q, EntrainStoreListener *listener,
                  void *data, Err *err) {
  StudySpec spec = {.name = q->name,
                    .words = lines_of(s->arena, q->words, q->word_count),
                    .all_words = lines_of(s->arena, q->all_words, q->all_word_count),
                    .files = s->files,
                    .version = version_text(),
                    .fingerprint = fingerprint_of(s->arena),
                    .tags = q->tags ? q->tags : ""};
  int64_t number;
  if (file_set_has_gaps(s->files))
    return fail(
        err, ERR_FILE,
        "some files of the simulator cannot be read, so that nobody could tell later whether "
        "they have changed; a study in a store needs to read them all");
  s->store = store_begin(q->store, &spec, q->fork, &number, err);
  s->owns_store = s->store != NULL;
  if (!s->store) return false;
  store_listen(s->store, listener, data);
  return store_study(s->store, s->arena, number, &s->row, err) &&
         take_part(s, q->threads, "", err) && join(s, err);
}

bool entrain_study_begin(EntrainStudy *s, const EntrainStudyRequest *given,
                         EntrainStoreListener *listener, void *data, EntrainError *error) {
  if (!s) return api_missing("study", error);
  if (!given) return api_missing("request", error);
  Err err = {0};
  EntrainStudyRequest full, *q = &full;
  if (!API_TAKE(q, EntrainStudyRequest, given, &err)) return api_fine(&err, error);
  if (!q->store || !q->name) return api_missing("request with a store and a name", error);
  end_use(s);
  if (!s->record) begin(s, q, listener, data, &err);
  return api_fine(&err, error);
}

bool entrain_study_end(EntrainStudy *s, bool stopped, const char *failed, EntrainError *error) {
  Err err = {0};
  if (!s) return api_missing("study", error);
  if (!s->record) return true;
  Record *r = study_record(s->record);
  bool over = study_has_failed(s->record, &err) || study_is_over(s->record);
  bool cut = r->cut || patience_was_cut();
  StudyEnd end = {stopped || over ? STUDY_OPEN
                  : cut           ? STUDY_LIMIT
                  : failed        ? STUDY_FAILED
                                  : STUDY_DONE,
                  failed && !cut ? failed : NULL};
  patience_end(&s->patience);
  record_end(r);
  patience_set_spent(0);
  study_leave(s->record, &end);
  s->record = NULL;
  return api_fine(&err, error);
}

static void view_done(ProgressView *v) {
  arena_free(v->arena);
  v->arena = NULL;
}

void entrain_study_free(EntrainStudy *s) {
  if (!s) return;
  end_use(s);
  if (s->record) entrain_study_end(s, true, NULL, NULL);
  if (s->owns_participant) participant_free(s->participant);
  if (s->owns_store) store_close(s->store);
  view_done(&s->view);
  arena_free(s->arena);
}

// ---------------------------------------------------------------- progress

static const double ASK_EVERY = 0.25, RATE_OVER = 2; // s

static const EntrainStudyProgress *progress_of(ProgressView *v, Store *s, int64_t study) {
  double now = clock_seconds();
  if (v->asked && now - v->asked < ASK_EVERY) return &v->told;
  v->asked = now;
  if (!v->arena) v->arena = arena_new();
  arena_reset(v->arena);
  StudyProgress p;
  if (!study_progress(s, v->arena, study, &p, NULL)) return &v->told;
  if (!v->counted_at || p.done < v->counted)
    v->counted_at = now, v->counted = p.done, v->rate = nan("");
  if (now - v->counted_at > RATE_OVER || (isnan(v->rate) && p.done > v->counted)) {
    v->rate = (double)(p.done - v->counted) / (now - v->counted_at);
    if (now - v->counted_at > RATE_OVER) v->counted_at = now, v->counted = p.done;
  }
  const char **words = ARENA_ARRAY(v->arena, const char *, p.ended_count + 1);
  long *counts = ARENA_ARRAY(v->arena, long, p.ended_count + 1);
  for (int i = 0; i < p.ended_count; i++) words[i] = p.ended[i].word, counts[i] = p.ended[i].runs;
  v->told = (EntrainStudyProgress){.size = sizeof v->told,
                                   .state = (EntrainStudyState)p.state,
                                   .done = p.done,
                                   .total = p.total,
                                   .lost = p.lost,
                                   .best = p.best,
                                   .rate = v->rate,
                                   .seconds = p.seconds,
                                   .seconds_left = p.state != STUDY_OPEN || !(v->rate > 0)
                                                       ? nan("")
                                                       : (double)(p.total - p.done) / v->rate,
                                   .workers = p.workers,
                                   .words = words,
                                   .counts = counts,
                                   .word_count = p.ended_count};
  return &v->told;
}

// Asking must not be recorded, and goes on while the study itself is stopped.
bool entrain_study_progress(EntrainStudy *s, EntrainStudyProgress *out) {
  if (!s || !s->record || !out) return false;
  return api_give(out, progress_of(&s->view, s->store, s->row.number), sizeof *out);
}

bool entrain_store_progress(EntrainStore *s, long study, EntrainStudyProgress *out) {
  if (!s || !out) return false;
  return api_give(out, progress_of(&s->view, s->store, study), sizeof *out);
}

// ---------------------------------------------------------------- studies that are there

EntrainStore *entrain_store_open(const char *place, bool make, EntrainStoreListener *listener,
                                 void *data, EntrainError *error) {
  if (!place) return api_none("store", error);
  Err err = {0};
  Store *store = make ? store_open_server(place, &err) : store_open(place, &err);
  api_publish(&err, error);
  if (!store) return NULL;
  Arena *a = arena_new();
  EntrainStore *s = ARENA_NEW(a, EntrainStore);
  s->arena = a;
  s->store = store;
  s->rows_arena = arena_new();
  text_init(&s->why);
  store_listen(store, listener, data);
  return s;
}

void entrain_store_close(EntrainStore *s) {
  if (!s) return;
  participant_free(s->participant);
  store_close(s->store);
  view_done(&s->view);
  text_done(&s->why);
  arena_free(s->rows_arena);
  arena_free(s->arena);
}

static bool read_rows(EntrainStore *s, Err *err) {
  arena_reset(s->rows_arena);
  s->count = 0;
  return store_studies(s->store, s->rows_arena, &s->rows, &s->count, err);
}

int entrain_store_count(EntrainStore *s) {
  if (!s) return 0;
  return read_rows(s, NULL) ? s->count : -1;
}

static bool tell_row(const StudyRow *r, EntrainStudyInfo *out) {
  return API_GIVE(out, EntrainStudyInfo, .number = (long)r->number,
                  .state = (EntrainStudyState)r->state, .name = r->name, .note = r->note,
                  .words = r->words, .all_words = r->all_words, .version = r->version,
                  .fingerprint = r->fingerprint, .tags = r->tags, .made = r->made,
                  .seconds = r->seconds);
}

bool entrain_store_study(const EntrainStore *s, int i, EntrainStudyInfo *out) {
  if (!s || !out || i < 0 || i >= s->count) return false;
  return tell_row(&s->rows[i], out);
}

static bool attend(EntrainStore *s, const EntrainAttendant *me, Err *err) {
  if (s->participant) return true;
  ParticipantAbout about = {me->threads > 0 ? me->threads : 1, me->tags ? me->tags : "",
                            fingerprint_of(s->arena)};
  s->participant = participant_new(s->store, &about, err);
  return s->participant != NULL;
}

// The files of the study serve from now on.
static EntrainStudy *study_of(EntrainStore *store, const StudyRow *row, const EntrainAttendant *me,
                              bool wants_result, Err *err) {
  Arena *a = arena_new();
  EntrainStudy *s = ARENA_NEW(a, EntrainStudy);
  s->arena = a;
  s->store = store->store;
  s->participant = store->participant;
  s->wants_result = wants_result;
  s->simulators = me->simulators;
  bool read = store_study(store->store, a, row->number, &s->row, err);
  s->files = read ? store_files(store->store, a, row->number, err) : NULL;
  if (s->files) {
    file_set_begin_serving(&s->use, s->files);
    s->use.closed = s->simulators;
    s->uses = true;
    return s;
  }
  arena_free(a);
  return NULL;
}

static bool has_tag(const char *tags, const char *tag, size_t length) {
  for (const char *at = tags; *at;) {
    size_t here = strcspn(at, ",");
    if (here == length && strncmp(at, tag, length) == 0) return true;
    at += here + (at[here] == ',');
  }
  return false;
}

static bool has_all_tags(const char *mine, const char *wanted) {
  for (const char *at = wanted; *at;) {
    size_t length = strcspn(at, ",");
    if (length && !has_tag(mine, at, length)) return false;
    at += length + (at[length] == ',');
  }
  return true;
}

// Why this process cannot work on the study; "": it can.
static const char *obstacle(const StudyRow *r, const EntrainAttendant *me, Arena *a) {
  const char *mine = fingerprint_of(a);
  if (!has_all_tags(me->tags ? me->tags : "", r->tags))
    return arena_print(a, "study %lld wants a worker with the tags %s", (long long)r->number,
                       r->tags);
  if (strcmp(r->version, version_text()) != 0)
    return arena_print(a, "study %lld was begun by %s, this is %s", (long long)r->number,
                       r->version, version_text());
  if (strcmp(r->fingerprint, mine) != 0)
    return arena_print(
        a,
        "study %lld was begun on a machine that computes differently (%s; here: %s); "
        "ENTRAIN_LANES=4 on all machines makes them alike where only the lanes differ",
        (long long)r->number, r->fingerprint, mine);
  return "";
}

static const StudyRow *find_work(EntrainStore *s, const EntrainAttendant *me) {
  text_clear(&s->why);
  for (int i = 0; i < s->count; i++) {
    if (s->rows[i].state != STUDY_OPEN) continue;
    const char *why = obstacle(&s->rows[i], me, s->rows_arena);
    if (!*why) return &s->rows[i];
    text_print(&s->why, "%s%s", s->why.length ? "; " : "", why);
  }
  return NULL;
}

EntrainStudy *entrain_store_work(EntrainStore *s, const EntrainAttendant *given, double seconds,
                                 const char **why, EntrainError *error) {
  Err err = {0};
  EntrainStudy *study = NULL;
  EntrainAttendant full, *me = &full;
  if (why) *why = "";
  if (!s || !given) return api_none(s ? "attendant" : "store", error);
  if (!API_TAKE(me, EntrainAttendant, given, &err)) return api_fine(&err, error), NULL;
  double until = clock_seconds() + seconds;
  while (attend(s, me, &err) && read_rows(s, &err)) {
    const StudyRow *row = find_work(s, me);
    if (row) study = study_of(s, row, me, false, &err);
    double now = clock_seconds();
    if (row || now >= until || !patience_asks()) break;
    store_wait(s->store, until - now < 0.5 ? until - now : 0.5);
  }
  if (why && s->why.length) *why = s->why.at;
  api_publish(&err, error);
  return study;
}

EntrainStudy *entrain_store_resume(EntrainStore *s, const EntrainAttendant *given, long n,
                                   EntrainError *error) {
  Err err = {0};
  EntrainStudy *study = NULL;
  EntrainAttendant full, *me = &full;
  if (!s || !given) return api_none(s ? "attendant" : "store", error);
  if (!API_TAKE(me, EntrainAttendant, given, &err)) return api_fine(&err, error), NULL;
  if (attend(s, me, &err) && read_rows(s, &err)) {
    const StudyRow *row = n == 0 && s->count ? &s->rows[s->count - 1] : NULL;
    for (int i = 0; i < s->count && n; i++)
      if (s->rows[i].number == n) row = &s->rows[i];
    EntrainAttendant any = *me;
    if (row) any.tags = row->tags; // whoever resumes a study knows what it needs
    const char *why = row ? obstacle(row, &any, s->rows_arena) : "";
    if (!row && n)
      fail(&err, ERR_NAME, "the store '%s' has no study %ld; 'entrain show' lists them",
           s->store->place, n);
    else if (!row)
      fail(&err, ERR_NAME, "the store '%s' has no study", s->store->place);
    else if (*why)
      fail(&err, ERR_VALUE, "%s", why);
    else
      study = study_of(s, row, me, true, &err);
  }
  api_publish(&err, error);
  return study;
}

void entrain_store_rest(EntrainStore *s, double seconds) {
  double until = clock_seconds() + seconds;
  while (s && clock_seconds() < until && patience_asks())
    store_wait(s->store, until - clock_seconds());
}

bool entrain_study_info(const EntrainStudy *s, EntrainStudyInfo *out) {
  if (!s || !s->row.number || !out) return false;
  return tell_row(&s->row, out);
}

bool entrain_study_join(EntrainStudy *s, EntrainError *error) {
  if (!s) return api_missing("study", error);
  Err err = {0};
  end_use(s);
  if (!s->record) join(s, &err);
  return api_fine(&err, error);
}

void entrain_study_use_files(EntrainStudy *s) {
  if (s) end_use(s);
}

char *entrain_study_changes(const EntrainStudy *s, int *missing) {
  Text t;
  text_init(&t);
  if (missing) *missing = 0;
  for (int i = 0; s && i < file_set_count(s->files); i++) {
    const NotedFile *f = file_set_at(s->files, i);
    Sha256 hash;
    if (f->kind != FILE_REGULAR || (!f->bytes && !f->closed)) continue;
    if (!file_set_hash(f->path, &hash)) {
      if (missing) *missing += 1;
    } else if (!sha256_equal(&hash, &f->hash)) {
      text_print(&t, "%s'%s' has changed", t.length ? "; " : "", f->path);
    }
  }
  if (!t.length) text_add(&t, "");
  return t.at;
}

// ---------------------------------------------------------------- reports

typedef bool StoreWriter(Text *to, Store *s, const StoreReport *what, Err *err);

static char *written(EntrainStore *s, StoreWriter *writer, const StoreReport *what,
                     EntrainError *error) {
  if (!s) return api_none("store", error);
  Err err = {0};
  Text t;
  text_init(&t);
  bool done = writer(&t, s->store, what, &err);
  api_publish(&err, error);
  if (done) return t.at;
  text_done(&t);
  return NULL;
}

char *entrain_store_report(EntrainStore *s, long study, long best, int width, bool colour,
                           EntrainError *error) {
  return written(s, store_text, &(StoreReport){study, best, api_style(width, colour)}, error);
}

char *entrain_store_json(EntrainStore *s, long study, long best, EntrainError *error) {
  return written(s, store_json, &(StoreReport){study, best, {0}}, error);
}

char *entrain_store_csv(EntrainStore *s, long study, long best, EntrainError *error) {
  return written(s, store_csv, &(StoreReport){study, best, {0}}, error);
}
