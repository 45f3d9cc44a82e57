#include "report/written_result.h"

#include <math.h>
#include <string.h>

#include "base/file.h"

// ---------------------------------------------------------------- reading

static const char *text_at(const JsonTree *map, const char *key) { // "": none
  const JsonTree *t = json_find(map, key);
  return t && t->kind == JSON_TEXT ? t->text : "";
}

static double number_at(const JsonTree *map, const char *key) {
  const JsonTree *t = json_find(map, key);
  return t && t->kind == JSON_NUMBER ? t->number : nan("");
}

static bool flag_at(const JsonTree *map, const char *key) {
  const JsonTree *t = json_find(map, key);
  return t && t->kind == JSON_FLAG && t->number != 0;
}

static const JsonTree *list_at(const JsonTree *map, const char *key) {
  static const JsonTree NONE = {.kind = JSON_LIST};
  const JsonTree *t = json_find(map, key);
  return t && t->kind == JSON_LIST ? t : &NONE;
}

static void read_settings(WrittenResult *w) {
  const JsonTree *list = list_at(w->root, "settings");
  w->settings = ARENA_ARRAY(w->arena, ProblemSetting, list->items.count + 1);
  for (int i = 0; i < list->items.count; i++) {
    const JsonTree *s = list->items.at[i];
    w->settings[w->setting_count++] =
        (ProblemSetting){text_at(s, "name"), text_at(s, "value"), flag_at(s, "option")};
  }
}

bool written_result_load(WrittenResult *w, Arena *a, const char *path, Err *err) {
  enum { BYTES_MOST = 1 << 30 };
  *w = (WrittenResult){.arena = a, .path = path};
  const char *text = file_read(a, path, BYTES_MOST, NULL, err);
  if (!text) return false;
  w->root = json_parse(a, path, text, err);
  if (!w->root) return false;
  w->problem = text_at(w->root, "problem");
  if (!text_at(w->root, "entrain")[0] || !w->problem[0] || !json_find(w->root, "outcome") ||
      !json_find(w->root, "channels"))
    return fail(err, ERR_VALUE,
                "%s is no result of 'entrain fit' or 'entrain evaluate'; other commands make their "
                "page with --report FILE, or from a store",
                path);
  read_settings(w);
  return true;
}

// ---------------------------------------------------------------- what changed

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// A problem that was found elsewhere has other folders: then the last parts of the paths are compared, first with that of the file at the same
// place of the list, because folders may hold files of the same names.
static const SourceFile *find_alike(const MadeFrom *m, const char *path, int at) {
  for (int i = 0; i < m->count; i++)
    if (strcmp(m->at[i].path, path) == 0) return &m->at[i];
  const char *name = base_name(path);
  if (at < m->count && strcmp(base_name(m->at[at].path), name) == 0) return &m->at[at];
  for (int i = 0; i < m->count; i++)
    if (strcmp(base_name(m->at[i].path), name) == 0) return &m->at[i];
  return NULL;
}

const char *written_result_changes(const WrittenResult *w, const MadeFrom *now, Arena *a) {
  const JsonTree *files = list_at(w->root, "files");
  const char *changed = "", *missing = "";
  for (int i = 0; i < files->items.count; i++) {
    const char *path = text_at(files->items.at[i], "path"),
               *hash = text_at(files->items.at[i], "sha256");
    const SourceFile *f = find_alike(now, path, i);
    const char **list = !f ? &missing : strcmp(f->hash, hash) != 0 ? &changed : NULL;
    if (list) *list = arena_print(a, "%s%s%s", *list, (*list)[0] ? ", " : "", base_name(path));
  }
  if (!files->items.count)
    return "The result does not say which files it was made from, so nothing could be compared.";
  if (!changed[0] && !missing[0]) return NULL;
  const char *first = changed[0] ? arena_print(a, "Changed since the result was made: %s.", changed)
                                 : "",
             *second = missing[0] ? arena_print(a, "Not found any more: %s.", missing) : "";
  return arena_print(a, "%s%s%s", first, first[0] && second[0] ? " " : "", second);
}

// ---------------------------------------------------------------- the report

static const char *digits_at(Page *p, const JsonTree *map, const char *key, int digits) {
  double v = number_at(map, key);
  return isnan(v) ? "" : page_digits(p, v, digits);
}

static const char *interval_of(Page *p, const JsonTree *x) {
  const JsonTree *ci = list_at(x, "ci95");
  if (ci->items.count != 2 || ci->items.at[0]->kind != JSON_NUMBER ||
      ci->items.at[1]->kind != JSON_NUMBER)
    return "";
  return arena_print(p->arena, "%s .. %s", page_digits(p, ci->items.at[0]->number, 6),
                     page_digits(p, ci->items.at[1]->number, 6));
}

static const char *remark_of(const JsonTree *x) {
  if (flag_at(x, "inactive")) return "changes nothing";
  if (flag_at(x, "at_bound")) return "at its bound";
  const JsonTree *known = json_find(x, "identifiable");
  return known && known->kind == JSON_FLAG && !known->number ? "not determined" : "";
}

static void print_parameters(Page *p, const JsonTree *root) {
  static const PageColumn COLUMNS[] = {
      {"name", 0},           {"unit", 3},   {">estimate", 0}, {">std error", 0},
      {">95 % interval", 0}, {">start", 2}, {"", 1}};
  const JsonTree *list = list_at(root, "parameters");
  if (!list->items.count) return;
  PageTable *t = page_table_new(p, COLUMNS, 7);
  for (int i = 0; i < list->items.count; i++) {
    const JsonTree *x = list->items.at[i];
    page_table_add(t, (const char *[]){text_at(x, "name"), text_at(x, "unit"),
                                       digits_at(p, x, "value", 8), digits_at(p, x, "std_error", 2),
                                       interval_of(p, x), digits_at(p, x, "start", 6),
                                       page_tinted(p, TINT_NOTICE, remark_of(x))});
  }
  page_heading(p, "Parameters");
  page_table_print(t);
}

static void print_channels(Page *p, const JsonTree *root) {
  static const PageColumn COLUMNS[] = {{"experiment", 0}, {"channel", 0}, {"role", 1},
                                       {">samples", 1},   {">rmse", 0},   {">fit %", 0}};
  const JsonTree *list = list_at(root, "channels");
  if (!list->items.count) return;
  PageTable *t = page_table_new(p, COLUMNS, 6);
  for (int i = 0; i < list->items.count; i++) {
    const JsonTree *c = list->items.at[i];
    page_table_add(t,
                   (const char *[]){text_at(c, "experiment_name"), text_at(c, "variable"),
                                    text_at(c, "role"), digits_at(p, c, "n", 12),
                                    digits_at(p, c, "rmse", 3), digits_at(p, c, "fit_percent", 4)});
  }
  page_heading(p, "Fit");
  page_table_print(t);
}

static void print_pooled(Page *p, const JsonTree *root) {
  static const PageColumn COLUMNS[] = {{"channel", 0}, {"unit", 0},         {"role", 1},
                                       {"window", 1},  {">experiments", 1}, {">samples", 1},
                                       {">rmse", 0},   {">fit %", 0}};
  const JsonTree *list = list_at(root, "pooled");
  if (!list->items.count) return;
  PageTable *t = page_table_new(p, COLUMNS, 8);
  for (int i = 0; i < list->items.count; i++) {
    const JsonTree *c = list->items.at[i];
    const char *variable = text_at(c, "variable");
    page_table_add(t,
                   (const char *[]){variable[0] ? variable : "all in this unit", text_at(c, "unit"),
                                    text_at(c, "role"), text_at(c, "window"),
                                    digits_at(p, c, "experiments", 12), digits_at(p, c, "n", 12),
                                    digits_at(p, c, "rmse", 3), digits_at(p, c, "fit_percent", 4)});
  }
  page_heading(p, "Experiments together");
  page_table_print(t);
}

static void print_directions(Page *p, const JsonTree *root) {
  const JsonTree *list = list_at(json_find(root, "identifiability"), "directions");
  if (!list->items.count) return;
  page_heading(p, "What the data do not tell");
  for (int i = 0; i < list->items.count; i++) {
    const JsonTree *d = list->items.at[i], *all = list_at(d, "combinations");
    page_paragraph(p, 4, "- ", text_at(d, "text"));
    for (int k = 0; k < all->items.count; k++)
      page_line(p, 6,
                arena_print(p->arena, "%s = %s", text_at(all->items.at[k], "text"),
                            digits_at(p, all->items.at[k], "value", 6)));
  }
}

static void print_list(Page *p, const JsonTree *root, const char *key, const char *heading) {
  const JsonTree *list = list_at(root, key);
  for (int i = 0; i < list->items.count; i++) {
    if (list->items.at[i]->kind != JSON_TEXT) continue;
    if (!i) page_heading(p, heading);
    page_paragraph(p, 4, "- ", list->items.at[i]->text);
  }
}

static void print_optima(Page *p, const JsonTree *root) {
  enum { FIXED = 3, SHOWN = 12 };
  const JsonTree *list = list_at(json_find(root, "certificate"), "optima"),
                 *names = list_at(root, "parameters");
  int shown = names->items.count < SHOWN ? names->items.count : SHOWN;
  PageColumn columns[FIXED + SHOWN] = {{">objective", 0}, {">searches", 0}, {">worse by", 0}};
  if (list->items.count < 2) return;
  for (int i = 0; i < shown; i++)
    columns[FIXED + i] =
        (PageColumn){arena_print(p->arena, ">%s", text_at(names->items.at[i], "name")), i + 1};
  PageTable *t = page_table_new(p, columns, FIXED + shown);
  for (int k = 0; k < list->items.count; k++) {
    const JsonTree *o = list->items.at[k], *x = list_at(o, "parameters");
    const char *cells[FIXED + SHOWN] = {digits_at(p, o, "objective", 6),
                                        digits_at(p, o, "searches", 6),
                                        k ? digits_at(p, o, "difference", 3) : "best"};
    for (int i = 0; i < shown && i < x->items.count; i++)
      cells[FIXED + i] = page_digits(p, x->items.at[i]->number, 5);
    page_table_add(t, cells);
  }
  page_heading(p, "Optima found");
  page_table_print(t);
}

static void print_stages(Page *p, const JsonTree *root) {
  static const PageColumn COLUMNS[] = {
      {"part", 0}, {">simulations", 0}, {">objective", 0}, {"", 0}, {"", 1}};
  const JsonTree *list = list_at(root, "stages");
  if (!list->items.count) return;
  PageTable *t = page_table_new(p, COLUMNS, 5);
  for (int i = 0; i < list->items.count; i++) {
    const JsonTree *s = list->items.at[i];
    page_table_add(t, (const char *[]){text_at(s, "name"), digits_at(p, s, "simulations", 12),
                                       digits_at(p, s, "objective", 4),
                                       flag_at(s, "fits") ? page_tinted(p, TINT_GOOD, "fits") : "",
                                       text_at(s, "message")});
  }
  page_heading(p, "How it was found");
  page_table_print(t);
}

static void print_work(Page *p, const JsonTree *root) {
  const JsonTree *w = json_find(root, "work");
  if (!w) return;
  page_heading(p, "Work");
  page_paragraph(p, 2, "",
                 arena_print(p->arena,
                             "%s simulations and %s with sensitivities in %s s; objective %s.",
                             digits_at(p, w, "simulations", 12),
                             digits_at(p, w, "sensitivity_simulations", 12),
                             digits_at(p, w, "seconds", 3), digits_at(p, root, "objective", 6)));
}

static void print_sentence(Page *p, const char *text) {
  if (!text[0]) return;
  char *copy =
      arena_print(p->arena, "%s%s", text, strchr(".!?", text[strlen(text) - 1]) ? "" : ".");
  if (copy[0] >= 'a' && copy[0] <= 'z') copy[0] = (char)(copy[0] - 'a' + 'A');
  page_paragraph(p, 2, "", copy);
}

void written_result_text(Text *out, const WrittenResult *w, const char *const *notices, int count,
                         PageStyle style) {
  Page p = page_on(out, style);
  const JsonTree *root = w->root, *c = json_find(root, "certificate");
  const char *verdict = text_at(c, "verdict"), *outcome = text_at(root, "outcome");
  bool good = strcmp(verdict, "certain") == 0 || strcmp(verdict, "agreed") == 0;
  const char *words = verdict[0] ? arena_print(p.arena, "%s, %s", outcome, verdict) : outcome;
  page_title(&p, arena_print(p.arena, "%s: %s", w->problem,
                             page_tinted(&p, good ? TINT_GOOD : TINT_NOTICE, words)));
  for (int i = 0; i < count; i++)
    page_paragraph(&p, 2, "", page_tinted(&p, TINT_NOTICE, notices[i]));
  print_sentence(&p, text_at(root, "message"));
  print_sentence(&p, text_at(c, "why"));
  print_parameters(&p, root);
  print_channels(&p, root);
  print_pooled(&p, root);
  print_directions(&p, root);
  print_list(&p, root, "remarks", "Remarks");
  print_optima(&p, root);
  print_stages(&p, root);
  print_work(&p, root);
  page_done(&p);
}
