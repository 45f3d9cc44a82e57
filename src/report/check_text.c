#include "report/check_text.h"

#include <ctype.h>
#include <math.h>

#include "base/c_locale.h"
#include "stats/say.h"
#include "write/rounded.h"

enum { TEXT_COLUMN = 11 };

static int count_of(const Check *c, FindingKind kind) {
  int count = 0;
  for (int i = 0; i < c->findings.count; i++) count += c->findings.at[i].kind == kind;
  return count;
}

// Number of warnings that were given while the problem was read.
static int count_read(const Check *c) {
  int count = 0;
  for (int i = 0; i < c->findings.count; i++)
    count += c->findings.at[i].was_read && c->findings.at[i].kind == FINDING_WARNING;
  return count;
}

bool check_passed(const Check *c) {
  return c->starts && !c->stopped && count_of(c, FINDING_ERROR) == 0;
}

const char *finding_word(FindingKind kind) {
  static const char *const WORDS[] = {"good", "note", "warning", "error"};
  return WORDS[kind];
}

static void print_verdict(Page *p, const Check *c) {
  int errors = count_of(c, FINDING_ERROR), warnings = count_of(c, FINDING_WARNING);
  bool passed = check_passed(c);
  Text t;
  text_init(&t);
  text_print(&t, "%s: %s", c->problem->path,
             passed ? page_tinted(p, warnings ? TINT_NOTICE : TINT_GOOD, "ready for a fit")
                    : page_tinted(p, TINT_BAD,
                                  c->stopped && !errors ? "stopped before all was examined"
                                                        : "not ready for a fit"));
  if (errors) text_print(&t, ", %d error%s", errors, errors == 1 ? "" : "s");
  if (warnings) text_print(&t, ", %d warning%s", warnings, warnings == 1 ? "" : "s");
  int before = count_read(c);
  if (before) text_print(&t, " (%d of them when it was read)", before);
  page_title(p, t.at);
  text_done(&t);
}

static void print_finding(Page *p, const Finding *f) {
  static const Tint TINTS[] = {TINT_GOOD, TINT_NONE, TINT_NOTICE, TINT_BAD};
  const char *word = finding_word(f->kind);
  char *lead = arena_print(p->arena, "%s%*s", page_tinted(p, TINTS[f->kind], word),
                           TEXT_COLUMN - 2 - (int)strlen(word), "");
  page_paragraph(p, TEXT_COLUMN, lead, f->text);
}

static bool topic_is_new(const Check *c, int i) {
  if (c->findings.at[i].was_read) return false;
  for (int k = 0; k < i; k++)
    if (!c->findings.at[k].was_read &&
        strcmp(c->findings.at[k].topic, c->findings.at[i].topic) == 0)
      return false;
  return true;
}

// ---------------------------------------------------------------- findings that differ in a name

enum { JOINED_LEAST = 3, NAMED_MOST = 6 };

static bool say_the_same(const Finding *a, const Finding *b) {
  return a->about && b->about && a->sentence == b->sentence && a->kind == b->kind &&
         strcmp(a->topic, b->topic) == 0;
}

static bool is_letter(char c) {
  return isalnum_l((unsigned char)c, c_locale()) || c == '_';
}

// The text without the name that it is about, which may also be part of other words.
static const char *rest_of(Page *p, const Finding *f) {
  Text t;
  text_init(&t);
  size_t length = strlen(f->about);
  for (const char *at = f->text; *at;) {
    bool begins = at == f->text || !is_letter(at[-1]);
    if (length && begins && strncmp(at, f->about, length) == 0 && !is_letter(at[length])) {
      text_add(&t, "\n");
      at += length;
    } else
      text_add_bytes(&t, at++, 1);
  }
  const char *rest = arena_copy(p->arena, t.at, t.length);
  text_done(&t);
  return rest;
}

// Those after it that say the same; their number. false in *exact: with other numbers.
static int others_like(Page *p, const Check *c, int i, const char **name, bool *exact) {
  const Finding *first = &c->findings.at[i];
  int count = 0;
  *exact = true;
  for (int k = i + 1; k < c->findings.count; k++) {
    const Finding *f = &c->findings.at[k];
    if (!say_the_same(first, f)) continue;
    *exact = *exact && strcmp(rest_of(p, first), rest_of(p, f)) == 0;
    name[count++] = f->about;
  }
  return count;
}

static bool was_joined(const Check *c, int i) {
  int before = 0, all = 0;
  for (int k = 0; k < c->findings.count; k++) {
    bool same = say_the_same(&c->findings.at[k], &c->findings.at[i]);
    before += same && k < i;
    all += same;
  }
  return before > 0 && all >= JOINED_LEAST;
}

// A finding, with the names of those that say the same of others; the JSON has each of them.
static void print_joined(Page *p, const Check *c, int i) {
  Finding f = c->findings.at[i];
  const char **name = ARENA_ARRAY(p->arena, const char *, c->findings.count + 1);
  bool exact;
  int others = f.about ? others_like(p, c, i, name, &exact) : 0;
  if (others + 1 >= JOINED_LEAST) {
    Text t;
    text_init(&t);
    say_some(&t, name, others, NAMED_MOST);
    f.text = arena_print(p->arena, "%s The same%s holds for %s.", f.text,
                         exact ? "" : ", with other numbers,", t.at);
    text_done(&t);
  }
  print_finding(p, &f);
}

// Groups the findings by topic, in the order in which the topics first appear.
static void print_topics(Page *p, const Check *c) {
  for (int i = 0; i < c->findings.count; i++) {
    const char *topic = c->findings.at[i].topic;
    if (!topic_is_new(c, i)) continue;
    char *title = arena_print(p->arena, "%s", topic);
    if (title[0] >= 'a' && title[0] <= 'z') title[0] += 'A' - 'a';
    page_heading(p, title);
    for (int k = i; k < c->findings.count; k++)
      if (!c->findings.at[k].was_read && strcmp(c->findings.at[k].topic, topic) == 0 &&
          !was_joined(c, k))
        print_joined(p, c, k);
  }
}

// What the data would determine if the start values were the truth.
static void print_parameters(Page *p, const Check *c) {
  static const PageColumn COLUMNS[] = {{"name", 0},
                                       {"unit", 4},
                                       {">start", 1},
                                       {">min", 2},
                                       {">max", 2},
                                       {"scale", 3},
                                       {">error at 1 % noise", 1},
                                       {"", 1}};
  PageTable *t = page_table_new(p, COLUMNS, 8);
  for (int i = 0; i < c->problem->unknown_count; i++) {
    const Unknown *f = &c->problem->unknowns[i];
    const StatParameter *s = c->statistics ? &c->statistics->parameters[i] : NULL;
    double error = s ? 100 * s->relative_at_1_percent : nan("");
    const char *expected =
        isfinite(error) ? arena_print(p->arena, "%s %%", page_digits(p, error, 2)) : "";
    const char *flag = !s                ? ""
                       : s->inactive     ? "changes nothing"
                       : s->identifiable ? ""
                                         : "not determined";
    page_table_add(t, (const char *[]){f->name, f->unit, page_digits(p, f->start, 6),
                                       isfinite(f->min) ? page_digits(p, f->min, 6) : "",
                                       isfinite(f->max) ? page_digits(p, f->max, 6) : "",
                                       f->log ? "log" : "", expected,
                                       page_tinted(p, TINT_NOTICE, flag)});
  }
  page_heading(p, "Parameters at the start");
  page_table_print(t);
}

void check_text(Text *out, const Check *c, PageStyle style) {
  Page p = page_on(out, style);
  print_verdict(&p, c);
  print_topics(&p, c);
  print_parameters(&p, c);
  page_done(&p);
}
