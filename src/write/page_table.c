// Tables of a page. A table that is too wide gets narrower in this order: numbers are no longer aligned at their points, texts
// are wrapped, names and heads are shortened, and if not even the least widths fit, columns are dropped. Before one is dropped
// that matters more than whole names, these are shortened further. Numbers are never shortened.
#include <string.h>

#include "base/array.h"
#include "base/character.h"
#include "write/html.h"
#include "write/page.h"

enum { INDENT = 2, HEAD_LEAST = 16, TEXT_LEAST = 20, NAME_LEAST = 12, KEY_LEAST = 6 };
enum { LINES_MOST = 3 };       // about, of a wrapped text
enum { TERMINAL_MOST = 1000 }; // COLUMNS beyond that are not believed
static const char BLANKS[] = " \n\t", DIGITS[] = "0123456789";

typedef struct TableColumn {
  bool shown, dropped;
  bool right, key;
  const char *head;   // without '>'
  int widest;         // of its cells
  int natural, least; // widths without and with all wrapping and shortening
  int width;          // the one that is printed
  int tail;           // of its numbers, from the decimal point on; 0: they are not aligned
} TableColumn;

struct PageTable {
  Page *page;
  TableColumn *columns;
  const PageColumn *given;
  const char *elsewhere;
  int count, name; // columns; width below which names are whole unless they must be shortened
  ARRAY(const char **) rows;
};

PageTable *page_table_new(Page *p, const PageColumn *columns, int count) {
  PageTable *t = ARENA_NEW(p->arena, PageTable);
  t->page = p;
  t->given = columns;
  t->count = count;
  t->name = p->style.width * 3 / 8;
  t->columns = ARENA_ARRAY(p->arena, TableColumn, count + 1);
  t->elsewhere = "--json FILE";
  return t;
}

void page_table_elsewhere(PageTable *t, const char *flag) {
  t->elsewhere = flag;
}

// A copy on one line.
static const char *cell_of(Arena *a, const char *text) {
  char *copy = arena_copy(a, text, strlen(text));
  for (char *s = copy; (s = strpbrk(s, "\n\t"));) *s = ' ';
  return copy;
}

void page_table_add(PageTable *t, const char *const *cells) {
  Arena *a = t->page->arena;
  const char **row = ARENA_ARRAY(a, const char *, t->count + 1);
  for (int c = 0; c < t->count; c++) {
    row[c] = cells[c] ? cell_of(a, cells[c]) : "";
    if (row[c][0]) t->columns[c].shown = true;
  }
  array_push(a, &t->rows, row);
}

// ---------------------------------------------------------------- widths

// Characters of a number, or of an interval "1 .. 2", from its point, or its dots, on; -1: it is none.
static int tail_of(const char *cell) {
  const char *dots = strstr(cell, " .. ");
  if (dots) return characters_width(dots);
  const char *whole = cell + (*cell == '-' || *cell == '+');
  const char *point = whole + strspn(whole, DIGITS), *end = point;
  if (end == whole) return -1;
  if (*end == '.') end += 1 + strspn(end + 1, DIGITS);
  if (*end == 'e') {
    end += 1 + (end[1] == '-' || end[1] == '+');
    end += strspn(end, DIGITS);
  }
  return *end ? -1 : (int)(end - point);
}

static bool is_quantity(const char *cell) { // "3 ms", "5 %"
  return tail_of(cell) < 0 && strspn(cell + (*cell == '-'), DIGITS) > 0;
}

// Aligns the numbers of a column at their points unless that makes it much wider, or some of them have units.
static void align_numbers(PageTable *t, int c) {
  enum { WIDER_MOST = 4 };
  TableColumn *column = &t->columns[c];
  int before = 0, tail = 0;
  for (int r = 0; r < t->rows.count; r++) {
    const char *cell = t->rows.at[r][c];
    int own = tail_of(cell), rest = characters_width(cell) - own;
    if (is_quantity(cell)) return;
    if (own < 0) continue;
    if (own > tail) tail = own;
    if (rest > before) before = rest;
  }
  if (before + tail > column->widest + WIDER_MOST) return;
  column->tail = tail;
  if (before + tail > column->widest) column->widest = before + tail;
}

static int smaller(int a, int b) {
  return a < b ? a : b;
}
static int larger(int a, int b) {
  return a > b ? a : b;
}

static void measure(PageTable *t, int c, bool aligns) {
  TableColumn *column = &t->columns[c];
  column->widest = column->tail = 0;
  column->right = t->given[c].head[0] == '>';
  column->key = t->given[c].spare == 0;
  column->head = cell_of(t->page->arena, t->given[c].head + column->right);
  for (int r = 0; r < t->rows.count; r++)
    column->widest = larger(column->widest, characters_width(t->rows.at[r][c]));
  if (column->right && aligns) align_numbers(t, c);
  int head = characters_width(column->head);
  column->natural = larger(head, column->widest);
  int narrowest = column->key ? t->name : larger(TEXT_LEAST, column->widest / LINES_MOST + 1);
  column->least = column->right ? larger(column->widest, smaller(head, HEAD_LEAST))
                                : smaller(column->natural, narrowest);
}

static int sum_of(const PageTable *t, int (*width)(const TableColumn *)) {
  int sum = 0;
  for (int c = 0; c < t->count; c++)
    if (t->columns[c].shown) sum += INDENT + width(&t->columns[c]);
  return sum;
}

static int natural_of(const TableColumn *c) {
  return c->natural;
}
static int least_of(const TableColumn *c) {
  return c->least;
}
static int width_of(const TableColumn *c) {
  return c->width;
}

// The column to drop next, -1: none can be dropped.
static int most_spare(const PageTable *t) {
  int best = -1;
  for (int c = 0; c < t->count; c++) {
    if (!t->columns[c].shown || t->columns[c].key) continue;
    if (best < 0 || t->given[c].spare >= t->given[best].spare) best = c;
  }
  return best;
}

// What may become narrower: texts, which are wrapped; names and heads, which are shortened; at last keys, as far as it takes.
typedef enum Narrowing { NARROW_TEXTS, NARROW_NAMES, NARROW_KEYS } Narrowing;

static int floor_of(const TableColumn *c, Narrowing how) {
  bool text = !c->right && !c->key;
  if (how == NARROW_TEXTS) return text ? c->least : c->width;
  if (how == NARROW_NAMES) return c->least;
  return c->right ? smaller(c->width, larger(c->widest, KEY_LEAST)) : smaller(c->width, KEY_LEAST);
}

// Takes from the widest until it fits.
static void narrow(PageTable *t, Narrowing how) {
  for (int excess = sum_of(t, width_of) - t->page->style.width; excess > 0; excess--) {
    TableColumn *widest = NULL;
    for (int c = 0; c < t->count; c++) {
      TableColumn *column = &t->columns[c];
      if (!column->shown || column->width <= floor_of(column, how)) continue;
      if (!widest || column->width > widest->width) widest = column;
    }
    if (!widest) return;
    widest->width--;
  }
}

static void measure_all(PageTable *t, bool aligns) {
  for (int c = 0; c < t->count; c++) measure(t, c, aligns);
}

static void choose_widths(PageTable *t) {
  int spare;
  while (sum_of(t, least_of) > t->page->style.width && (spare = most_spare(t)) >= 0) {
    if (t->given[spare].spare < 0 && t->name > NAME_LEAST) {
      t->name = NAME_LEAST;
      measure_all(t, false);
    } else
      t->columns[spare].shown = !(t->columns[spare].dropped = true);
  }
  measure_all(t, true);
  if (sum_of(t, natural_of) > t->page->style.width) measure_all(t, false);
  for (int c = 0; c < t->count; c++) t->columns[c].width = t->columns[c].natural;
  for (int how = NARROW_TEXTS; how <= NARROW_KEYS; how++) narrow(t, (Narrowing)how);
}

// ---------------------------------------------------------------- rows

// A cell without the colour around it, which each of its lines gets again.
typedef struct TintedCell {
  const char *begin, *text, *end;
} TintedCell;

static TintedCell without_tint(Arena *a, const char *cell) {
  static const char END[] = "\033[0m";
  size_t begin = cell[0] == '\033' ? strcspn(cell, "m") + 1 : 0, length = strlen(cell),
         end = sizeof END - 1;
  if (!begin || length < begin + end || strcmp(cell + length - end, END) != 0)
    return (TintedCell){"", cell, ""};
  return (TintedCell){arena_copy(a, cell, begin), arena_copy(a, cell + begin, length - begin - end),
                      END};
}

// The next line of a text, at most so wide; returns the rest.
static const char *take_line(Arena *a, const char *text, int width, const char **line) {
  const char *begin = text += strspn(text, BLANKS), *end = text;
  while (*text) {
    const char *next = text + strcspn(text, BLANKS);
    if (end > begin && characters_width(arena_copy(a, begin, (size_t)(next - begin))) > width)
      break;
    end = next;
    text = next + strspn(next, BLANKS);
  }
  *line = characters_shortened(a, arena_copy(a, begin, (size_t)(end - begin)), width);
  return end;
}

// The next line of a cell; what is left of it replaces *cell.
static const char *next_line(const PageTable *t, int c, const char **cell) {
  const TableColumn *column = &t->columns[c];
  Arena *a = t->page->arena;
  const char *line = *cell;
  if (characters_width(line) <= column->width || column->right) {
    *cell = "";
    return line;
  }
  TintedCell whole = without_tint(a, line);
  const char *rest = "";
  if (column->key)
    line = characters_shortened(a, whole.text, column->width);
  else
    rest = take_line(a, whole.text, column->width, &line);
  rest += strspn(rest, BLANKS);
  *cell = rest[0] ? arena_print(a, "%s%s%s", whole.begin, rest, whole.end) : "";
  return arena_print(a, "%s%s%s", whole.begin, line, whole.end);
}

static void add_cell(const TableColumn *c, const char *cell, bool head, int *owed, Text *line) {
  int pad = c->width - characters_width(cell), tail = c->tail && !head ? tail_of(cell) : -1;
  int behind = !c->right ? pad : tail >= 0 ? c->tail - tail : 0;
  if (cell[0]) {
    text_print(line, "%*s%s", *owed + pad - behind, "", cell);
    *owed = behind + INDENT;
  } else
    *owed += pad + INDENT;
}

// As many lines as the longest of its wrapped cells needs.
static void print_row(PageTable *t, const char *const *cells, bool head) {
  const char **left = ARENA_ARRAY(t->page->arena, const char *, t->count + 1);
  for (int c = 0; c < t->count; c++) left[c] = cells[c];
  for (bool more = true; more;) {
    Text line;
    int owed = INDENT; // blanks are written only when something follows
    text_init(&line);
    more = false;
    for (int c = 0; c < t->count; c++) {
      if (!t->columns[c].shown) continue;
      add_cell(&t->columns[c], next_line(t, c, &left[c]), head, &owed, &line);
      more = more || left[c][0];
    }
    text_print(t->page->out, "%s\n", head ? page_tinted(t->page, TINT_FAINT, line.at) : line.at);
    text_done(&line);
  }
}

static void name_dropped(const PageTable *t, int wanted) {
  enum { NAMED_MOST = 24 };
  Page *p = t->page;
  const char *list = "";
  int count = 0;
  for (int c = 0; c < t->count; c++) {
    const TableColumn *column = &t->columns[c];
    if (!column->dropped || count++ >= NAMED_MOST) continue;
    list = arena_print(p->arena, "%s%s%s", list, count > 1 ? ", " : "",
                       column->head[0] ? column->head : "remarks");
  }
  if (!count) return;
  const char *more =
      count > NAMED_MOST ? arena_print(p->arena, " and %d more", count - NAMED_MOST) : "";
  bool wider = wanted <= TERMINAL_MOST || !t->elsewhere;
  const char *terminal =
      wider ? arena_print(p->arena, "a wider terminal (COLUMNS=%d)", wanted) : "";
  const char *text = arena_print(p->arena, "No room for %s%s: %s%s%s shows %s.", list, more,
                                 terminal, wider && t->elsewhere ? " or " : "",
                                 t->elsewhere ? t->elsewhere : "", count == 1 ? "it" : "them");
  page_paragraph(p, INDENT, "", page_tinted(p, TINT_FAINT, text));
}

static void print_text(PageTable *t) {
  const char **heads = ARENA_ARRAY(t->page->arena, const char *, t->count + 1);
  if (!t->rows.count) return;
  int wanted = sum_of(t, natural_of);
  choose_widths(t);
  for (int c = 0; c < t->count; c++)
    heads[c] = characters_shortened(t->page->arena, t->columns[c].head, t->columns[c].width);
  print_row(t, heads, true);
  for (int r = 0; r < t->rows.count; r++) print_row(t, t->rows.at[r], false);
  name_dropped(t, wanted);
}

// ---------------------------------------------------------------- HTML

static void html_row(PageTable *t, const char *const *cells, const char *kind) {
  Text *out = t->page->out;
  bool head = strcmp(kind, "th") == 0;
  text_add(out, "<tr>");
  for (int c = 0; c < t->count; c++) {
    if (!t->columns[c].shown) continue;
    text_print(out, "<%s%s%s>", kind, head ? " scope=\"col\"" : "",
               t->columns[c].right ? " class=\"n\"" : "");
    html_text(out, cells[c]);
    text_print(out, "</%s>", kind);
  }
  text_add(out, "</tr>\n");
}

static void print_html(PageTable *t) {
  Text *out = t->page->out;
  const char **heads = ARENA_ARRAY(t->page->arena, const char *, t->count + 1);
  for (int c = 0; c < t->count; c++) heads[c] = t->columns[c].head;
  page_end_list(t->page);
  text_add(out, "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>");
  html_row(t, heads, "th");
  text_add(out, "</thead>\n<tbody>\n");
  for (int r = 0; r < t->rows.count; r++) html_row(t, t->rows.at[r], "td");
  text_add(out, "</tbody></table></div>\n");
}

void page_table_print(PageTable *t) {
  measure_all(t, false);
  if (t->page->html)
    print_html(t);
  else
    print_text(t);
}
