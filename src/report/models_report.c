#include "report/models_report.h"

#include <math.h>
#include <string.h>

#include "stats/say.h"
#include "write/cells.h"
#include "write/rounded.h"

// ---------------------------------------------------------------- columns

// MODEL_COLUMN(key of CSV, head, importance, expression of ModelRow *r, decimals; 0: significant digits)
#define MODEL_COLUMNS                                                                              \
  MODEL_COLUMN(parameters, ">parameters", 1, r->parameters, 0)                                     \
  MODEL_COLUMN(unknowns, NULL, 0, r->unknowns, 0)                                                  \
  MODEL_COLUMN(nuisance, ">nuisance", 8, r->nuisance, 0)                                           \
  MODEL_COLUMN(samples, NULL, 0, (double)r->likelihood.samples, 0)                                 \
  MODEL_COLUMN(objective, ">objective", 5, r->objective, 0)                                        \
  MODEL_COLUMN(log_likelihood, ">log L", 5, r->likelihood.log, 2)                                  \
  MODEL_COLUMN(aic, ">AIC", 3, r->aic, 2)                                                          \
  MODEL_COLUMN(delta_aic, ">delta AIC", 1, r->delta, 2)                                            \
  MODEL_COLUMN(akaike_weight, ">weight", 6, r->weight, 3)                                          \
  MODEL_COLUMN(aicc, ">AICc", 7, r->aicc, 2)                                                       \
  MODEL_COLUMN(bic, ">BIC", 3, r->bic, 2)                                                          \
  MODEL_COLUMN(effective_samples, NULL, 0, r->effective, 0)                                        \
  MODEL_COLUMN(qaic, NULL, 0, r->quasi, 2)                                                         \
  MODEL_COLUMN(delta_qaic, ">delta QAIC", 2, r->quasi_delta, 2)

enum {
#define MODEL_COLUMN(key, head, spare, value, decimals) +1
  NUMBER_COLUMNS = 0 MODEL_COLUMNS
#undef MODEL_COLUMN
};

static const struct ModelColumn {
  const char *key, *head; // head NULL: only in CSV
  int spare, decimals;
} COLUMN[] = {
#define MODEL_COLUMN(key, head, spare, value, decimals) {#key, head, spare, decimals},
    MODEL_COLUMNS
#undef MODEL_COLUMN
};

static void numbers_of(const ModelRow *r, double out[NUMBER_COLUMNS]) {
  int i = 0;
#define MODEL_COLUMN(key, head, spare, value, decimals) out[i++] = value;
  MODEL_COLUMNS
#undef MODEL_COLUMN
}

bool models_have_folds(const Models *m) {
  return m->request.folds > 0;
}

static bool has_unit(const Models *m, int v) {
  return m->units[v] && m->units[v][0];
}

// ---------------------------------------------------------------- the table

typedef struct ModelGrid {
  PageColumn *columns;
  const char **cells; // [row][column]
  int rows, count;
} ModelGrid;

enum { FIXED_COLUMNS = 4 }; // model, verdict, outcome, time

static const char *fixed(Arena *a, double value, int decimals) {
  char text[ROUNDED_SIZE];
  if (!isfinite(value)) return "";
  if (decimals) return arena_print(a, "%.*f", decimals, value);
  rounded_digits(value, 5, text);
  return arena_print(a, "%s", text);
}

static const char *error_cell(Arena *a, double value) {
  char text[ROUNDED_SIZE];
  if (!isfinite(value)) return "";
  rounded_digits(value, 4, text);
  return arena_print(a, "%s", text);
}

static void add_column(ModelGrid *g, const char *head, int spare) {
  g->columns[g->count++] = (PageColumn){head, spare};
}

static void fill_row(Arena *a, const Models *m, const ModelGrid *g, int i) {
  const ModelRow *r = &m->rows[i];
  const char **cell = g->cells + (long)i * g->count;
  double number[NUMBER_COLUMNS];
  char time[ROUNDED_SIZE];
  int c = 0;
  numbers_of(r, number);
  cell[c++] = r->label;
  for (int k = 0; k < NUMBER_COLUMNS; k++)
    if (COLUMN[k].head) cell[c++] = r->done ? fixed(a, number[k], COLUMN[k].decimals) : "";
  for (int v = 0; m->has_validation && v < m->variable_count; v++)
    cell[c++] = error_cell(a, r->validation[v]);
  for (int v = 0; models_have_folds(m) && v < m->variable_count; v++)
    cell[c++] = error_cell(a, r->cross[v]);
  rounded_seconds(r->seconds, time);
  cell[c++] = r->done && r->x ? fit_trust_word(r->outcome, r->verdict) : "";
  cell[c++] = r->done ? fit_outcome_word(r->outcome) : "not run";
  cell[c++] = r->done ? arena_print(a, "%s", time) : "";
}

static const char *error_head(Arena *a, const Models *m, const char *what, int v) {
  return has_unit(m, v) ? arena_print(a, ">%s %s (%s)", what, m->variables[v], m->units[v])
                        : arena_print(a, ">%s %s", what, m->variables[v]);
}

static ModelGrid grid_of(Arena *a, const Models *m) {
  int room = FIXED_COLUMNS + NUMBER_COLUMNS + 2 * m->variable_count;
  ModelGrid g = {.columns = ARENA_ARRAY(a, PageColumn, room),
                 .cells = ARENA_ARRAY(a, const char *, (long)room * m->count),
                 .rows = m->count};
  add_column(&g, "model", 0);
  for (int k = 0; k < NUMBER_COLUMNS; k++)
    if (COLUMN[k].head) add_column(&g, COLUMN[k].head, COLUMN[k].spare);
  for (int v = 0; m->has_validation && v < m->variable_count; v++)
    add_column(&g, error_head(a, m, "validation", v), v ? 9 : 2);
  for (int v = 0; models_have_folds(m) && v < m->variable_count; v++)
    add_column(&g, error_head(a, m, "cv", v), v ? 9 : 2);
  add_column(&g, "verdict", 1);
  add_column(&g, "outcome", 6);
  add_column(&g, ">time", 9);
  for (int i = 0; i < m->count; i++) fill_row(a, m, &g, i);
  return g;
}

// ---------------------------------------------------------------- sentences

typedef struct Sentences {
  const char **at;
  int count;
} Sentences;

static void say(Sentences *s, const char *text) {
  if (text) s->at[s->count++] = text;
}

typedef bool RowHas(const ModelRow *r);

// The labels of the rows for which it holds: "a.yaml and b.yaml"; NULL: none.
static const char *labels_that(Arena *a, const Models *m, RowHas *has, int *count) {
  const char **label = ARENA_ARRAY(a, const char *, m->count + 1);
  *count = 0;
  for (int i = 0; i < m->count; i++)
    if (m->rows[i].done && has(&m->rows[i])) label[(*count)++] = m->rows[i].label;
  if (!*count) return NULL;
  Text t;
  text_init(&t);
  say_list(&t, label, *count);
  const char *list = arena_copy(a, t.at, t.length);
  text_done(&t);
  return list;
}

static bool is_correlated(const ModelRow *r) {
  return r->correlated;
}
static bool is_exact(const ModelRow *r) {
  return r->likelihood.exact;
}
static bool is_short_of_rank(const ModelRow *r) {
  return r->x && r->rank >= 0 && r->rank < r->unknowns;
}
static bool has_priors(const ModelRow *r) {
  for (int i = 0; i < r->unknowns; i++)
    if (r->problem->unknowns[i].has_prior) return true;
  return false;
}
static bool is_not_greatest(const ModelRow *r) {
  return r->x && !r->likelihood.greatest && r->problem->options.loss == LOSS_SQUARES;
}
static bool is_unjudged(const ModelRow *r) {
  return r->usable && fit_is_unjudged(r->outcome, r->verdict);
}
static bool is_unusable(const ModelRow *r) {
  return !r->usable;
}

static const char *say_sigma(Arena *a, const Models *m) {
  const Problem *p = m->rows[0].problem;
  bool kind[4] = {false};
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      kind[p->experiments[e].channels[c].sigma_kind] = true;
  return arena_print(
      a,
      "log L: for normal independent noise%s%s%s%s. Its sigmas count as parameters if "
      "they are estimated.",
      kind[SIGMA_NUMBER] || kind[SIGMA_RELATIVE] ? "; sigma as given" : "",
      kind[SIGMA_ESTIMATED] ? "; a sigma estimated for each channel" : "",
      kind[SIGMA_UNKNOWN] ? "; one sigma, estimated, for all channels without one" : "",
      problem_has_weights(p) ? "; weights count as inverse variances" : "");
}

static const char *say_correlated(Arena *a, const Models *m) {
  int n;
  const char *list = labels_that(a, m, is_correlated, &n);
  if (!list) return NULL;
  return arena_print(
      a,
      "The residuals of %s are correlated: log L counts their samples as independent, "
      "so AIC, AICc, BIC and weights mislead; differences look more certain than they "
      "are. Trust errors on other data (validation, --folds).",
      list);
}

static const char *say_quasi(Arena *a, const Models *m) {
  if (!(m->inflation > 1)) return NULL;
  const ModelRow *r = &m->rows[m->best];
  return arena_print(
      a,
      "delta QAIC: with log L divided by %.3g, a rough correction: the %ld samples tell as "
      "much as %.0f independent ones (residuals of %s, which fits best).",
      m->inflation, r->likelihood.samples, r->effective, r->label);
}

static const char *say_of_rows(Arena *a, const Models *m, RowHas *has, const char *format) {
  int n;
  const char *list = labels_that(a, m, has, &n);
  Text t;
  if (!list) return NULL;
  text_init(&t);
  text_print(&t, "%s: %s", list, format);
  const char *out = arena_copy(a, t.at, t.length);
  text_done(&t);
  return out;
}

static void say_failures(Arena *a, const Models *m, Sentences *s) {
  for (int i = 0; i < m->count; i++) {
    const ModelRow *r = &m->rows[i];
    if (r->done && !r->x) say(s, arena_print(a, "%s: no result. %s", r->label, r->message));
    if (r->validation_failed)
      say(s, arena_print(a, "%s: validation: %s", r->label, r->validation_failed));
    if (r->cross_failed)
      say(s, arena_print(a, "%s: cross-validation: %s", r->label, r->cross_failed));
  }
}

int models_remarks(Arena *a, const Models *m, const char ***out) {
  Sentences s = {ARENA_ARRAY(a, const char *, 15 + 3 * m->count), 0};
  if (m->stopped) say(&s, "Stopped: what is missing was not computed.");
  say(&s, say_sigma(a, m));
  say(&s, say_correlated(a, m));
  say(&s, say_quasi(a, m));
  if (m->has_validation)
    say(&s, "validation: rms error of the simulation of the experiments of role validation, which "
            "were not fitted.");
  if (models_have_folds(m))
    say(&s, arena_print(a,
                        "cv: each of %d blocks of every record is left out of a fit in turn; rms "
                        "error of the simulation in the blocks left out.",
                        m->request.folds));
  if (m->rows[0].problem->options.loss == LOSS_HUBER)
    say(&s, "The fits minimise the Huber loss, but log L is that of normal noise: outliers count "
            "in full there.");
  say(&s, say_of_rows(a, m, is_not_greatest,
                      "the fit does not make log L as large as it can be, because it weighs "
                      "residuals otherwise (weights beside estimated sigmas, or channels without "
                      "sigma beside others): AIC, AICc, BIC and Akaike weights are not those of "
                      "the models. Trust errors on other data, or leave the weights out."));
  say(&s, say_of_rows(a, m, is_exact,
                      "residuals are no more than errors of the simulation; log L and all that "
                      "follows from it mean nothing."));
  say(&s, say_of_rows(a, m, is_short_of_rank,
                      "the data do not determine all parameters; those that they do not determine "
                      "are counted, too."));
  say(&s, say_of_rows(a, m, has_priors, "log L is that of the data alone, without the priors."));
  say(&s, say_of_rows(a, m, is_unjudged,
                      "the search converged, but its method gives no verdict: another optimum may "
                      "fit better. 'method: auto' asks for one."));
  say(&s, say_of_rows(a, m, is_unusable,
                      "the fit is not to be trusted as it is; see its verdict and outcome, and "
                      "'entrain fit'."));
  say_failures(a, m, &s);
  *out = s.at;
  return s.count;
}

static const char *probability(Arena *a, double p) {
  return p < 1e-4 ? "p below 0.0001" : arena_print(a, "p = %.2g", p);
}

const char *model_test_text(Arena *a, const Models *m, const ModelTest *t) {
  Text out;
  text_init(&out);
  text_print(&out, "%s in %s: ", m->rows[t->small].label, m->rows[t->large].label);
  if (!t->known)
    text_add(&out, "not tested, because one of them has no result.");
  else if (!isfinite(t->p))
    text_print(&out, "2 log(L ratio) = %.4g.", t->ratio);
  else
    text_print(&out, "2 log(L ratio) = %.4g with %d degree%s of freedom, %s%s.", t->ratio,
               t->freedom, t->freedom == 1 ? "" : "s", probability(a, t->p),
               t->p < 0.05 ? "; the smaller model is rejected at 5 %"
                           : "; the smaller model is enough at 5 %");
  for (int i = 0; i < t->remark_count; i++) text_print(&out, " %s", t->remarks[i]);
  if (isfinite(t->bounded_p))
    text_print(&out, " With the law for one unknown at a bound: %s.", probability(a, t->bounded_p));
  if (isfinite(t->quasi_p))
    text_print(&out, " Corrected roughly for correlated residuals: %s.",
               probability(a, t->quasi_p));
  const char *text = arena_copy(a, out.at, out.length);
  text_done(&out);
  return text;
}

// ---------------------------------------------------------------- text

static void print_parameters(Page *p, const Models *m) {
  PageColumn columns[] = {{"model", 0}, {"parameter", 0}, {">value", 0}, {"", 3}};
  PageTable *t = page_table_new(p, columns, 4);
  for (int i = 0; i < m->count; i++)
    for (int k = 0; m->rows[i].x && k < m->rows[i].unknowns; k++) {
      const ModelRow *r = &m->rows[i];
      const char *cells[] = {r->label, r->problem->unknowns[k].name, page_digits(p, r->x[k], 6),
                             r->at_bound[k] ? "at a bound" : ""};
      page_table_add(t, cells);
    }
  page_table_elsewhere(t, "--format csv");
  page_table_print(t);
}

void models_text(Text *out, const Models *m, PageStyle style) {
  Page p = page_on(out, style);
  ModelGrid g = grid_of(p.arena, m);
  char seconds[ROUNDED_SIZE];
  const char **remarks;
  int count = models_remarks(p.arena, m, &remarks);
  rounded_seconds(m->seconds, seconds);
  page_title(&p,
             arena_print(p.arena, "%d models of the same data compared in %s", m->count, seconds));
  page_heading(&p, "Models");
  PageTable *t = page_table_new(&p, g.columns, g.count);
  for (int i = 0; i < g.rows; i++) page_table_add(t, g.cells + (long)i * g.count);
  page_table_elsewhere(t, "--format csv");
  page_table_print(t);
  for (int i = 0; i < count; i++)
    page_paragraph(&p, 2, "", page_tinted(&p, TINT_FAINT, remarks[i]));
  if (m->test_count) page_heading(&p, "Nested models");
  for (int i = 0; i < m->test_count; i++)
    page_paragraph(&p, 2, "", model_test_text(p.arena, m, &m->tests[i]));
  page_heading(&p, "Parameters");
  print_parameters(&p, m);
  page_done(&p);
}

// ---------------------------------------------------------------- Markdown

static void markdown_cell(Text *out, const char *text) {
  text_add(out, " ");
  for (; text && *text; text++)
    if (*text == '|')
      text_add(out, "\\|");
    else
      text_add_bytes(out, text, 1);
  text_add(out, " |");
}

static bool is_empty(const ModelGrid *g, int column) {
  for (int i = 0; i < g->rows; i++) {
    const char *cell = g->cells[(long)i * g->count + column];
    if (cell && cell[0]) return false;
  }
  return true;
}

void models_markdown(Text *out, const Models *m) {
  Arena *a = arena_new();
  ModelGrid g = grid_of(a, m);
  const char **remarks;
  text_add(out, "|");
  for (int c = 0; c < g.count; c++)
    if (!is_empty(&g, c)) markdown_cell(out, g.columns[c].head + (g.columns[c].head[0] == '>'));
  text_add(out, "\n|");
  for (int c = 0; c < g.count; c++)
    if (!is_empty(&g, c)) text_add(out, g.columns[c].head[0] == '>' ? " ---: |" : " --- |");
  text_add(out, "\n");
  for (int i = 0; i < g.rows; i++) {
    text_add(out, "|");
    for (int c = 0; c < g.count; c++)
      if (!is_empty(&g, c)) markdown_cell(out, g.cells[(long)i * g.count + c]);
    text_add(out, "\n");
  }
  text_add(out, "\n");
  int count = models_remarks(a, m, &remarks);
  for (int i = 0; i < count; i++) text_print(out, "%s\n", remarks[i]);
  for (int i = 0; i < m->test_count; i++)
    text_print(out, "%s\n", model_test_text(a, m, &m->tests[i]));
  arena_free(a);
}

// ---------------------------------------------------------------- CSV

// All unknowns of all models, each name once, in the order of the models.
static int unknown_names(Arena *a, const Models *m, const char ***out) {
  int room = 1, n = 0;
  for (int i = 0; i < m->count; i++) room += m->rows[i].unknowns;
  const char **name = *out = ARENA_ARRAY(a, const char *, room);
  for (int i = 0; i < m->count; i++)
    for (int k = 0; k < m->rows[i].unknowns; k++) {
      const char *one = m->rows[i].problem->unknowns[k].name;
      int at = 0;
      while (at < n && strcmp(name[at], one) != 0) at++;
      if (at == n) name[n++] = one;
    }
  return n;
}

static void csv_errors(Text *out, const Models *m, const char *what, const double *value) {
  for (int v = 0; v < m->variable_count; v++) {
    text_add(out, ",");
    if (value) {
      cells_number(out, value[v]);
      continue;
    }
    Text head;
    text_init(&head);
    text_print(&head, "%s(%s)", what, m->variables[v]);
    cells_text(out, head.at);
    text_done(&head);
  }
}

static void csv_row(Text *out, const Models *m, const ModelRow *r, const char **name, int names) {
  double number[NUMBER_COLUMNS];
  numbers_of(r, number);
  cells_text(out, r->label);
  for (int k = 0; k < NUMBER_COLUMNS; k++) {
    text_add(out, ",");
    if (r->done) cells_number(out, number[k]);
  }
  text_print(out, ",%s", !r->done ? "" : r->correlated ? "1" : "0");
  csv_errors(out, m, "rmse", r->rmse);
  if (m->has_validation) csv_errors(out, m, "validation", r->validation);
  if (models_have_folds(m)) csv_errors(out, m, "cv", r->cross);
  text_print(out, ",%s,%s,", r->x ? fit_verdict_word(r->verdict) : "",
             r->done ? fit_outcome_word(r->outcome) : "not-run");
  cells_number(out, r->done ? r->seconds : nan(""));
  for (int i = 0; i < names; i++) {
    text_add(out, ",");
    for (int k = 0; r->x && k < r->unknowns; k++)
      if (strcmp(r->problem->unknowns[k].name, name[i]) == 0) cells_number(out, r->x[k]);
  }
  text_add(out, "\n");
}

void models_csv(Text *out, const Models *m) {
  Arena *a = arena_new();
  const char **name;
  int names = unknown_names(a, m, &name);
  text_add(out, "model");
  for (int k = 0; k < NUMBER_COLUMNS; k++) text_print(out, ",%s", COLUMN[k].key);
  text_add(out, ",correlated");
  csv_errors(out, m, "rmse", NULL);
  if (m->has_validation) csv_errors(out, m, "validation", NULL);
  if (models_have_folds(m)) csv_errors(out, m, "cv", NULL);
  text_add(out, ",verdict,outcome,seconds");
  for (int i = 0; i < names; i++) {
    text_add(out, ",");
    cells_text(out, name[i]);
  }
  text_add(out, "\n");
  for (int i = 0; i < m->count; i++) csv_row(out, m, &m->rows[i], name, names);
  arena_free(a);
}
