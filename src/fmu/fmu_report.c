#include "fmu/fmu_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "write/listing.h"
#include "write/page.h"

enum {
  WIDTH = 100,    // columns of the terminal
  ROWS_MOST = 50, // of each list
  NAME_WIDTH = 40,
  CELL_WIDTH = 24, // of start values and units
  FACT_WIDTH = 400,
  LABEL_WIDTH = 22,
  COLUMNS_MOST = 8,
};

typedef struct FmuReport {
  const FmuDescription *d;
  Text *out;
  Arena *arena;
  bool *is_state; // by variable: a continuous state or an alias of one
} FmuReport;

// ---------------------------------------------------------------- what can be done with variables

bool fmu_is_parameter(const FmuVariable *v) {
  return v->causality == FMU_PARAMETER || v->causality == FMU_STRUCTURAL_PARAMETER;
}

FmuUse fmu_use(const FmuVariable *v) {
  if (v->causality == FMU_STRUCTURAL_PARAMETER || v->type == FMU_BINARY || v->type == FMU_CLOCK)
    return FMU_KEEP;
  return v->type == FMU_REAL ? FMU_ESTIMATE : FMU_SET;
}

const char *fmu_use_word(FmuUse u) {
  static const char *const WORDS[] = {"estimate", "set", "keep"};
  return WORDS[u];
}

bool fmu_has_free_start(const FmuVariable *v) {
  bool computed = v->causality == FMU_LOCAL || v->causality == FMU_OUTPUT;
  return computed && v->type != FMU_BINARY && v->type != FMU_CLOCK &&
         v->variability != FMU_CONSTANT && v->has_start &&
         (v->initial == FMU_EXACT || v->initial == FMU_APPROX);
}

const char *fmu_initial_word(FmuInitial i) {
  static const char *const WORDS[] = {"exact", "approx", "calculated", ""};
  return WORDS[i];
}

// ---------------------------------------------------------------- cells

// A text of the FMU on one line, cut after so many characters.
static const char *clip(const FmuReport *r, const char *text, int width) {
  const char *shown = visible(r->arena, text);
  size_t end = 0;
  bool cut = listing_width(shown) > width;
  for (int left = cut ? width - 3 : width; shown[end]; end++) {
    left -= (shown[end] & 0xC0) != 0x80;
    if (left < 0) break;
  }
  char *copy = arena_print(r->arena, "%.*s%s", (int)end, shown, cut ? "..." : "");
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  return copy;
}

static const char *number(const FmuReport *r, double value) {
  char digits[32];
  number_format(value, digits);
  return arena_print(r->arena, "%s", digits);
}

static const char *item_of(const FmuReport *r, const FmuVariable *v) {
  if (v->enumeration < 0) return number(r, v->start);
  const FmuEnumeration *e = &r->d->enumerations.at[v->enumeration];
  for (int i = 0; i < e->items.count; i++)
    if ((double)e->items.at[i].value == v->start)
      return arena_print(r->arena, "%s (%s)", number(r, v->start), e->items.at[i].name);
  return number(r, v->start);
}

static const char *start_of(const FmuReport *r, const FmuVariable *v) {
  if (!v->has_start) return "";
  switch (v->type) {
  case FMU_BOOLEAN: return v->start != 0 ? "true" : "false";
  case FMU_STRING: return clip(r, arena_print(r->arena, "\"%s\"", v->start_text), CELL_WIDTH);
  case FMU_BINARY: return clip(r, v->start_text, CELL_WIDTH);
  case FMU_ENUMERATION: return clip(r, item_of(r, v), CELL_WIDTH);
  default: return number(r, v->start);
  }
}

// min .. max, or "" without bounds
static const char *range_of(const FmuReport *r, const FmuVariable *v) {
  bool least = isfinite(v->min), most = isfinite(v->max);
  if (least && most) return arena_print(r->arena, "%s .. %s", number(r, v->min), number(r, v->max));
  if (least) return arena_print(r->arena, ">= %s", number(r, v->min));
  return most ? arena_print(r->arena, "<= %s", number(r, v->max)) : "";
}

static const char *kind_of(const FmuReport *r, const FmuVariable *v) {
  return arena_print(r->arena, "%s, %s", fmu_type_word(v->type),
                     fmu_variability_word(v->variability));
}

// ---------------------------------------------------------------- lists

typedef struct FmuRow {
  const char *cell[COLUMNS_MOST];
} FmuRow;

typedef struct FmuList {
  const FmuReport *r;
  const char *title;
  const char *const *heads;
  int columns;
  ARRAY(FmuRow) rows;
  int count; // including rows beyond ROWS_MOST
} FmuList;

static void list_add(FmuList *l, FmuRow row) {
  if (l->count++ < ROWS_MOST) array_push(l->r->arena, &l->rows, row);
}

static bool is_empty(const FmuList *l, int column) {
  for (int i = 0; i < l->rows.count; i++)
    if (l->rows.at[i].cell[column][0]) return false;
  return true;
}

// Omits empty columns.
static Listing *list_table(const FmuList *l) {
  const char *heads[COLUMNS_MOST];
  int used[COLUMNS_MOST], columns = 0;
  for (int c = 0; c < l->columns; c++)
    if (!is_empty(l, c)) heads[columns] = l->heads[c], used[columns++] = c;
  Listing *t = listing_new(l->r->arena, heads, columns);
  for (int i = 0; i < l->rows.count; i++) {
    const char *cells[COLUMNS_MOST];
    for (int c = 0; c < columns; c++) cells[c] = l->rows.at[i].cell[used[c]];
    listing_add(t, cells);
  }
  return t;
}

static void list_print(const FmuList *l) {
  const FmuReport *r = l->r;
  if (!l->count) return;
  Text t;
  text_init(&t);
  listing_print(list_table(l), &t);
  text_print(r->out, "\n%s\n", l->title);
  for (const char *line = t.at; *line;) {
    size_t length = strcspn(line, "\n");
    text_print(r->out, "  %s\n", clip(r, arena_copy(r->arena, line, length), WIDTH - 2));
    line += length + (line[length] == '\n');
  }
  if (l->count > ROWS_MOST)
    text_print(r->out, "  ... and %d more, which --json shows\n", l->count - ROWS_MOST);
  text_done(&t);
}

static FmuRow row_of(const FmuReport *r, const FmuVariable *v) {
  return (FmuRow){{clip(r, v->name, NAME_WIDTH), start_of(r, v), clip(r, v->unit, CELL_WIDTH),
                   range_of(r, v), kind_of(r, v), "", clip(r, v->description, WIDTH)}};
}

static void list_parameters(const FmuReport *r) {
  static const char *const HEADS[] = {"name", ">start", "unit",       "range",
                                      "type", "can be", "description"};
  static const char *const CAN[] = {"estimated", "set", ""};
  FmuList l = {.r = r, .title = "Parameters", .heads = HEADS, .columns = 7};
  for (int i = 0; i < r->d->variables.count; i++) {
    const FmuVariable *v = &r->d->variables.at[i];
    if (!fmu_is_parameter(v)) continue;
    FmuRow row = row_of(r, v);
    row.cell[5] = CAN[fmu_use(v)];
    if (v->causality == FMU_STRUCTURAL_PARAMETER)
      row.cell[4] = arena_print(r->arena, "%s, structural", fmu_type_word(v->type));
    list_add(&l, row);
  }
  list_print(&l);
}

static void list_causality(const FmuReport *r, const char *title, FmuCausality c) {
  static const char *const HEADS[] = {"name", ">start", "unit", "range", "type", "", "description"};
  FmuList l = {.r = r, .title = title, .heads = HEADS, .columns = 7};
  for (int i = 0; i < r->d->variables.count; i++) {
    const FmuVariable *v = &r->d->variables.at[i];
    if (v->causality != c) continue;
    FmuRow row = row_of(r, v);
    if (c == FMU_OUTPUT) row.cell[1] = ""; // what it begins with is among the start values
    list_add(&l, row);
  }
  list_print(&l);
}

static const char *const START_HEADS[] = {"name",    ">start", "unit",       "range",
                                          "initial", "set by", "description"};

static void add_start(FmuList *l, const FmuVariable *v) {
  const FmuReport *r = l->r;
  FmuRow row = row_of(r, v);
  row.cell[4] = fmu_initial_word(v->initial);
  if (fmu_has_free_start(v))
    row.cell[5] = clip(r, arena_print(r->arena, "%s.start", v->name), NAME_WIDTH);
  list_add(l, row);
}

static void list_states(const FmuReport *r) {
  FmuList l = {.r = r, .title = "Continuous states", .heads = START_HEADS, .columns = 7};
  int unnamed = 0;
  for (int i = 0; i < r->d->states.count; i++) {
    if (r->d->states.at[i] >= 0)
      add_start(&l, &r->d->variables.at[r->d->states.at[i]]);
    else
      unnamed++;
  }
  list_print(&l);
  if (unnamed)
    text_print(r->out,
               "\n%d of the continuous states: the FMU does not say which variables they are.\n",
               unnamed);
}

static void list_starts(const FmuReport *r) {
  FmuList l = {.r = r, .title = "Other start values", .heads = START_HEADS, .columns = 7};
  for (int i = 0; i < r->d->variables.count; i++) {
    const FmuVariable *v = &r->d->variables.at[i];
    if (fmu_has_free_start(v) && !r->is_state[i]) add_start(&l, v);
  }
  list_print(&l);
}

// ---------------------------------------------------------------- facts

static void fact(const FmuReport *r, const char *label, const char *text) {
  if (!text[0]) return;
  Page p = page_on(r->out, (PageStyle){.width = WIDTH});
  page_paragraph(&p, LABEL_WIDTH, arena_print(r->arena, "  %-*s", LABEL_WIDTH - 2, label),
                 clip(r, text, FACT_WIDTH));
  page_done(&p);
}

static void add_part(Text *t, bool there, const char *text) {
  if (there) text_print(t, "%s%s", t->length ? "; " : "", text);
}

static void interface_fact(const FmuReport *r, const char *label, const FmuInterfaceInfo *f,
                           bool co_simulation) {
  if (!f->offered) return;
  Text t;
  text_init(&t);
  add_part(&t, true, f->identifier);
  add_part(&t, f->needs_execution_tool, "needs the tool that made it");
  add_part(&t, f->once_per_process, "one instance in each process");
  add_part(&t, f->directional_derivatives, "directional derivatives");
  add_part(&t, f->gets_and_sets_state,
           f->serializes_state ? "state can be saved and serialized" : "state can be saved");
  add_part(&t, co_simulation, f->variable_step ? "variable step" : "one step size only");
  add_part(&t, f->interpolates_inputs, "interpolates inputs");
  if (f->internal_step > 0)
    add_part(&t, true, arena_print(r->arena, "internal step %s", number(r, f->internal_step)));
  if (!co_simulation && r->d->indicators)
    add_part(&t, true,
             arena_print(r->arena, "%d event indicator%s", r->d->indicators,
                         r->d->indicators == 1 ? "" : "s"));
  fact(r, label, t.at);
  text_done(&t);
}

static void platform_fact(const FmuReport *r) {
  Text t;
  text_init(&t);
  for (int i = 0; i < r->d->platforms.count; i++)
    text_print(&t, "%s%s", i ? ", " : "", r->d->platforms.at[i]);
  if (r->d->has_sources) text_print(&t, "%ssources", t.length ? ", " : "");
  fact(r, "platforms", t.length ? t.at : "none");
  text_done(&t);
}

static void experiment_fact(const FmuReport *r) {
  const FmuDescription *d = r->d;
  Text t;
  text_init(&t);
  if (isfinite(d->start_time))
    add_part(&t, true, arena_print(r->arena, "from %s", number(r, d->start_time)));
  if (isfinite(d->stop_time))
    add_part(&t, true, arena_print(r->arena, "until %s", number(r, d->stop_time)));
  if (isfinite(d->step_size))
    add_part(&t, true, arena_print(r->arena, "step %s", number(r, d->step_size)));
  if (isfinite(d->tolerance))
    add_part(&t, true, arena_print(r->arena, "tolerance %s", number(r, d->tolerance)));
  fact(r, "default experiment", t.at);
  text_done(&t);
}

static void facts(const FmuReport *r) {
  const FmuDescription *d = r->d;
  text_add(r->out, "\n");
  fact(r, "FMI version", d->version);
  fact(r, "made by", d->tool);
  fact(r, "made on", d->date);
  fact(r, "author", d->author);
  fact(r, "model version", d->model_version);
  fact(r, "licence", d->license);
  fact(r, "copyright", d->copyright);
  interface_fact(r, "model exchange", &d->model_exchange, false);
  interface_fact(r, "co-simulation", &d->co_simulation, true);
  if (d->scheduled_execution) fact(r, "scheduled execution", "not used by entrain");
  platform_fact(r);
  experiment_fact(r);
}

// ---------------------------------------------------------------- states

typedef struct FmuSlot { // where a value is in the FMU
  unsigned reference;
  int element;
} FmuSlot;

static int by_slot(const void *a, const void *b) {
  const FmuSlot *x = a, *y = b;
  if (x->reference != y->reference) return x->reference < y->reference ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

// Aliases share the reference; in FMI 2 variables of other types may have it, too.
static void mark_states(FmuReport *r) {
  const FmuDescription *d = r->d;
  int count = 0;
  r->is_state = ARENA_ARRAY(r->arena, bool, d->variables.count);
  FmuSlot *slots = ARENA_ARRAY(r->arena, FmuSlot, d->states.count);
  for (int i = 0; i < d->states.count; i++) {
    if (d->states.at[i] < 0) continue;
    const FmuVariable *v = &d->variables.at[d->states.at[i]];
    slots[count++] = (FmuSlot){v->reference, v->element};
  }
  if (count) qsort(slots, (size_t)count, sizeof *slots, by_slot);
  for (int i = 0; count && i < d->variables.count; i++) {
    const FmuVariable *v = &d->variables.at[i];
    FmuSlot own = {v->reference, v->element};
    r->is_state[i] =
        v->type == FMU_REAL && bsearch(&own, slots, (size_t)count, sizeof *slots, by_slot) != NULL;
  }
}

// ---------------------------------------------------------------- the report

// "1 parameter", "2 parameters"
static void count_of(const FmuReport *r, int count, const char *what, const char *after) {
  text_print(r->out, "%d %s%s%s", count, what, count == 1 ? "" : "s", after);
}

static void counts(const FmuReport *r) {
  int parameters = 0, inputs = 0, outputs = 0, others = 0;
  for (int i = 0; i < r->d->variables.count; i++) {
    const FmuVariable *v = &r->d->variables.at[i];
    parameters += fmu_is_parameter(v);
    inputs += v->causality == FMU_INPUT;
    outputs += v->causality == FMU_OUTPUT;
    others +=
        (v->causality == FMU_LOCAL || v->causality == FMU_CALCULATED_PARAMETER) && !r->is_state[i];
  }
  count_of(r, parameters, "parameter", ", ");
  count_of(r, inputs, "input", ", ");
  count_of(r, outputs, "output", ", ");
  count_of(r, r->d->states.count, "continuous state", ", ");
  count_of(r, others, "other variable", "\n");
}

void fmu_report_text(const FmuDescription *d, Text *out) {
  FmuReport r = {d, out, arena_new(), NULL};
  mark_states(&r);
  const char *name = d->model_name[0] ? d->model_name : d->path;
  const char *title =
      arena_print(r.arena, "%s%s%s", name, d->description[0] ? ": " : "", d->description);
  text_print(out, "%s\n", clip(&r, title, WIDTH));
  counts(&r);
  facts(&r);
  list_parameters(&r);
  list_causality(&r, "Inputs", FMU_INPUT);
  list_causality(&r, "Outputs", FMU_OUTPUT);
  list_states(&r);
  list_starts(&r);
  arena_free(r.arena);
}
