// The room that texts need in any usual font, and how texts are shortened to fit.
#include <string.h>

#include "draw/figure.h"

// Widths of printable ASCII in DejaVu Sans, one of the widest usual fonts, in hundredths of the size. (Helvetica and Arial are
// narrower.)
static const unsigned char WIDTH[95] = {
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};
static const double ACCENTED = 0.7, OTHER = 1, BOLD = 1.16;
static const char ELLIPSIS[] = "…";

static size_t letter_length(const char *at) {
  size_t length = 1;
  while (((unsigned char)at[length] & 0xC0) == 0x80) length++;
  return length;
}

static double letter_room(const char *at) {
  unsigned char lead = (unsigned char)*at;
  if (lead < 0x80) return lead >= ' ' && lead < ' ' + 95 ? WIDTH[lead - ' '] / 100.0 : OTHER;
  return lead < 0xE0 ? ACCENTED : OTHER;
}

static double letters_room(const char *utf8, size_t length) { // of size 1
  double room = 0;
  for (const char *end = utf8 + length; utf8 < end; utf8 += letter_length(utf8))
    room += letter_room(utf8);
  return room;
}

double figure_text_room(const char *utf8, double size, bool bold) {
  return letters_room(utf8, strlen(utf8)) * size * (bold ? BOLD : 1);
}

static const double HEAD_MOST = 0.75; // share of the room

// The bytes of "Convergence: " in a text of something long: they stay whole.
static size_t head_length(const char *utf8, double room) {
  const char *colon = strstr(utf8, ": ");
  size_t length = colon ? (size_t)(colon + 2 - utf8) : 0;
  return letters_room(utf8, length) <= HEAD_MOST * room ? length : 0;
}

static size_t last_letter(const char *text, size_t end) {
  do end--;
  while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80);
  return end;
}

const char *figure_shortened(Arena *a, const char *utf8, double size, bool bold, double room) {
  if (figure_text_room(utf8, size, bold) <= room) return utf8;
  double left = room / (size * (bold ? BOLD : 1)) - letter_room(ELLIPSIS), head = 0, tail = 0;
  size_t first = head_length(utf8, left), last = strlen(utf8);
  left -= letters_room(utf8, first);
  while (first < last) { // the shorter side gets the next letter
    size_t before = last_letter(utf8, last);
    bool front = head <= tail;
    double more = letter_room(utf8 + (front ? first : before));
    if (head + tail + more > left) break;
    *(front ? &head : &tail) += more;
    if (front)
      first += letter_length(utf8 + first);
    else
      last = before;
  }
  return arena_print(a, "%.*s%s%s", (int)first, utf8, ELLIPSIS, utf8 + last);
}

void figure_text_within(Figure *f, Spot at, const char *text, Lettering lettering, double room) {
  if (!text || !text[0]) return;
  const char *whole = figure_letters(f->arena, text);
  const char *shown = figure_shortened(f->arena, whole, lettering.size, lettering.bold, room);
  figure_text(f, at, shown, lettering);
  if (shown != whole) f->shapes.at[f->shapes.count - 1].whole = whole;
}
