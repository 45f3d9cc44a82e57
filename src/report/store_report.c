#include "report/store_report.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "write/cells.h"
#include "write/json.h"
#include "write/rounded.h"

static const char *state_word(StudyState s) {
  static const char *const WORDS[] = {"open", "done", "failed", "limit"};
  return s >= 0 && s < sizeof WORDS / sizeof *WORDS ? WORDS[s] : "?";
}

// The words of a command line, one a line, as one line.
static const char *in_one_line(Arena *a, const char *words) {
  char *line = arena_copy(a, words, strlen(words));
  for (char *c = line; *c; c++)
    if (*c == '\n') *c = ' ';
  return line;
}

static const char *date_of(Arena *a, double seconds) {
  time_t t = (time_t)seconds;
  struct tm parts;
  char text[40] = "";
  if (localtime_r(&t, &parts)) strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return arena_copy(a, text, strlen(text));
}

static const char *seconds_text(Arena *a, double seconds) {
  char text[ROUNDED_SIZE];
  rounded_seconds(seconds, text);
  return arena_copy(a, text, strlen(text));
}

// ---------------------------------------------------------------- text

static const char *runs_text(Arena *a, const StudyProgress *p) {
  if (!p->total) return "";
  return p->done == p->total ? arena_print(a, "%ld", p->total)
                             : arena_print(a, "%ld of %ld", p->done, p->total);
}

static bool print_list(Page *page, Store *s, const StudyRow *rows, int count, Err *err) {
  static const PageColumn COLUMNS[] = {{">study", 0}, {"state", 1}, {">runs", 2},  {">best", 3},
                                       {">time", 4},  {"begun", 5}, {"command", 1}};
  PageTable *t = page_table_new(page, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
  for (int i = 0; i < count; i++) {
    StudyProgress p;
    if (!study_progress(s, page->arena, rows[i].number, &p, err)) return false;
    const char *cells[] = {arena_print(page->arena, "%lld", (long long)rows[i].number),
                           state_word(rows[i].state),
                           runs_text(page->arena, &p),
                           isnan(p.best) ? "" : page_digits(page, p.best, 6),
                           seconds_text(page->arena, rows[i].seconds),
                           date_of(page->arena, rows[i].made),
                           in_one_line(page->arena, rows[i].words)};
    page_table_add(t, cells);
  }
  page_table_print(t);
  return true;
}

typedef struct RunPrinter {
  Page *page;
  PageTable *table;
  const RecordLayout *layout;
} RunPrinter;

enum { FIXED = 2 }; // number, seconds

static const char *value_text(Page *p, const RecordColumn *c, const void *bytes) {
  char word[40];
  double v = record_value(c, bytes);
  if (c->words && record_word(c->words, (int)v, word))
    return arena_copy(p->arena, word, strlen(word));
  if (c->type == RECORD_BOOL) return v != 0 ? "yes" : "no";
  return isfinite(v) ? page_digits(p, v, 7) : "-";
}

static bool begin_table(RunPrinter *r, const RecordLayout *layout) {
  PageColumn *columns = ARENA_ARRAY(r->page->arena, PageColumn, layout->column_count + FIXED);
  columns[0] = (PageColumn){arena_print(r->page->arena, ">%s", layout->kind), 0};
  for (int k = 0; k < layout->column_count; k++) {
    const RecordColumn *c = &layout->columns[k];
    columns[1 + k] = (PageColumn){arena_print(r->page->arena, "%s%s", c->words ? "" : ">", c->name),
                                  k < 2 ? 1 : 2};
  }
  columns[1 + layout->column_count] = (PageColumn){"host", 3};
  r->table = page_table_new(r->page, columns, layout->column_count + FIXED);
  r->layout = layout;
  return true;
}

static bool print_run(void *data, const StudyRun *run) {
  RunPrinter *r = data;
  if (!r->table) begin_table(r, run->layout);
  if (run->layout->column_count != r->layout->column_count) return true; // of another kind
  const char **cells =
      ARENA_ARRAY(r->page->arena, const char *, r->layout->column_count + FIXED + 1);
  cells[0] = arena_print(r->page->arena, "%ld", run->number);
  for (int k = 0; k < r->layout->column_count; k++)
    cells[1 + k] = value_text(r->page, &run->layout->columns[k], run->bytes);
  cells[1 + r->layout->column_count] = run->host;
  page_table_add(r->table, cells);
  return true;
}

static void print_counts(Page *page, const StudyProgress *p) {
  Arena *a = page->arena;
  if (p->total) {
    Text t;
    text_init(&t);
    text_print(&t, "%ld of %ld runs are done", p->done, p->total);
    for (int i = 0; i < p->ended_count; i++)
      text_print(&t, "%s%ld %s", i ? ", " : ": ", p->ended[i].runs, p->ended[i].word);
    text_add(&t, ".");
    if (p->state == STUDY_DONE && p->done < p->total) text_add(&t, " The others were not needed.");
    if (p->lost)
      text_print(&t, " %ld job%s given up, because those who worked on them died.", p->lost,
                 p->lost == 1 ? " was" : "s were");
    page_paragraph(page, 2, "", arena_copy(a, t.at, t.length));
    text_done(&t);
  }
  if (!isnan(p->best))
    page_paragraph(page, 2, "",
                   arena_print(a, "The best objective is %s.", page_digits(page, p->best, 8)));
  page_paragraph(page, 2, "",
                 arena_print(a, "%d process%s with %d thread%s take%s part in the store now.",
                             p->workers, p->workers == 1 ? "" : "es", p->threads,
                             p->threads == 1 ? "" : "s", p->workers == 1 ? "s" : ""));
}

enum { BEST_SHOWN = 10 };

static bool print_study(Page *page, Store *s, const StudyRow *row, long best, Err *err) {
  Arena *a = page->arena;
  StudyProgress p;
  if (!study_progress(s, a, row->number, &p, err)) return false;
  page_heading(page, arena_print(a, "Study %lld: %s, %s", (long long)row->number,
                                 in_one_line(a, row->name), state_word(row->state)));
  page_paragraph(page, 2, "", arena_print(a, "entrain %s", in_one_line(a, row->all_words)));
  page_paragraph(page, 2, "",
                 arena_print(a, "Begun %s by %s, %s; %s of work so far.", date_of(a, row->made),
                             row->version, row->fingerprint, seconds_text(a, row->seconds)));
  if (row->note[0]) page_paragraph(page, 2, "", row->note);
  print_counts(page, &p);
  RunPrinter runs = {.page = page};
  if (!study_runs(s, row->number, best > 0 ? best : BEST_SHOWN, print_run, &runs, err))
    return false;
  if (runs.table) {
    page_heading(page, "The best runs");
    page_table_elsewhere(runs.table, "--csv FILE");
    page_table_print(runs.table);
  }
  return true;
}

// The study that is meant: by its number, or the only one. false and no error: the list is.
static bool find_study(Store *s, Arena *a, const StoreReport *what, StudyRow **rows, int *count,
                       StudyRow *row, Err *err) {
  if (!store_studies(s, a, rows, count, err)) return false;
  if (what->study) return store_study(s, a, what->study, row, err);
  if (*count != 1) return false;
  *row = (*rows)[0];
  return true;
}

bool store_text(Text *to, Store *s, const StoreReport *what, Err *err) {
  Page page = page_on(to, what->style);
  StudyRow *rows, row;
  int count;
  Err own = {0};
  bool one = find_study(s, page.arena, what, &rows, &count, &row, &own);
  bool done = own.code == 0;
  if (!done && err) *err = own;
  if (done && !one && what->best)
    done = fail(err, ERR_USAGE, "the store has %d studies; choose one with --study N", count);
  else if (done)
    done =
        one ? print_study(&page, s, &row, what->best, err) : print_list(&page, s, rows, count, err);
  page_done(&page);
  return done;
}

// ---------------------------------------------------------------- JSON

typedef struct JsonRuns {
  Json *json;
  char word[40];
} JsonRuns;

static bool write_run(void *data, const StudyRun *run) {
  JsonRuns *r = data;
  Json *j = r->json;
  json_open(j, NULL, '{', false);
  json_whole(j, run->layout->kind, run->number);
  for (int k = 0; k < run->layout->column_count; k++) {
    const RecordColumn *c = &run->layout->columns[k];
    double v = record_value(c, run->bytes);
    if (c->words && record_word(c->words, (int)v, r->word))
      json_text(j, c->name, r->word);
    else if (c->type == RECORD_BOOL)
      json_flag(j, c->name, v != 0);
    else if (c->type == RECORD_REAL)
      json_number(j, c->name, v);
    else
      json_whole(j, c->name, (long)v);
  }
  json_number(j, "seconds", run->seconds);
  json_text(j, "host", run->host);
  json_close(j);
  return true;
}

static bool write_study(Json *j, Arena *a, Store *s, const StudyRow *row, bool runs, long best,
                        Err *err) {
  StudyProgress p;
  if (!study_progress(s, a, row->number, &p, err)) return false;
  json_open(j, NULL, '{', true);
  json_whole(j, "study", (long)row->number);
  json_text(j, "name", row->name);
  json_text(j, "command", in_one_line(a, row->words));
  json_text(j, "state", state_word(row->state));
  json_text(j, "note", row->note);
  json_text(j, "version", row->version);
  json_text(j, "fingerprint", row->fingerprint);
  json_text(j, "tags", row->tags);
  json_number(j, "made", row->made);
  json_number(j, "seconds", row->seconds);
  json_whole(j, "runs", p.total);
  json_whole(j, "done", p.done);
  json_whole(j, "lost", p.lost);
  json_number(j, "best", p.best);
  json_whole(j, "workers", p.workers);
  json_open(j, "outcomes", '{', false);
  for (int i = 0; i < p.ended_count; i++) json_whole(j, p.ended[i].word, p.ended[i].runs);
  json_close(j);
  bool done = true;
  if (runs) {
    json_open(j, "results", '[', true);
    JsonRuns writer = {.json = j};
    done = study_runs(s, row->number, best, write_run, &writer, err);
    json_close(j);
  }
  json_close(j);
  return done;
}

bool store_json(Text *to, Store *s, const StoreReport *what, Err *err) {
  Arena *a = arena_new();
  Json j = json_on(to);
  StudyRow *rows, row;
  int count;
  Err own = {0};
  bool one = find_study(s, a, what, &rows, &count, &row, &own), done = own.code == 0;
  if (!done && err) *err = own;
  if (done) {
    json_open(&j, NULL, '{', true);
    json_open(&j, "studies", '[', true);
    if (one) done = write_study(&j, a, s, &row, true, what->best, err);
    for (int i = 0; !one && done && i < count; i++)
      done = write_study(&j, a, s, &rows[i], false, 0, err);
    json_close(&j);
    json_close(&j);
  }
  arena_free(a);
  return done;
}

// ---------------------------------------------------------------- CSV

typedef struct CsvRuns {
  Text *to;
  const RecordLayout *layout;
} CsvRuns;

static bool write_row(void *data, const StudyRun *run) {
  CsvRuns *r = data;
  const RecordLayout *l = run->layout;
  char word[40];
  bool other = !r->layout || r->layout->column_count != l->column_count ||
               strcmp(r->layout->kind, l->kind) != 0;
  if (r->layout && other) return true; // a table has rows of one kind
  if (other) {
    r->layout = l;
    text_print(r->to, "set,%s", l->kind);
    for (int k = 0; k < l->column_count; k++) {
      text_add(r->to, ",");
      cells_text(r->to, l->columns[k].name);
    }
    text_add(r->to, ",seconds,host\n");
  }
  text_print(r->to, "%lld,%ld", (long long)run->item, run->number);
  for (int k = 0; k < l->column_count; k++) {
    double v = record_value(&l->columns[k], run->bytes);
    text_add(r->to, ",");
    if (l->columns[k].words && record_word(l->columns[k].words, (int)v, word))
      cells_text(r->to, word);
    else
      cells_number(r->to, v);
  }
  text_add(r->to, ",");
  cells_number(r->to, run->seconds);
  text_add(r->to, ",");
  cells_text(r->to, run->host);
  text_add(r->to, "\n");
  return true;
}

bool store_csv(Text *to, Store *s, const StoreReport *what, Err *err) {
  Arena *a = arena_new();
  StudyRow *rows, row;
  int count;
  Err own = {0};
  bool one = find_study(s, a, what, &rows, &count, &row, &own), done = own.code == 0;
  if (!done && err) *err = own;
  if (done && !one)
    done = fail(err, ERR_USAGE, "the store has %d studies; choose one with --study N", count);
  else if (done)
    done = study_runs(s, row.number, what->best, write_row, &(CsvRuns){.to = to}, err);
  if (done && !to->length) text_add(to, "");
  arena_free(a);
  return done;
}
