#include "draw/figure_font.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// A stroke is a row of spots, each a digit (x: 0 to 9, then A to F) and a letter (y: a is 4 below the base line, e on it, m
// the height of small letters, q that of capitals); '~' in front: a smooth curve through them, which is closed when its
// last spot is the first.
static const Glyph ASCII[95] = {
    {2.5, ""},                                                // space
    {0, "0q0i 0e"},                                           // !
    {3, "0q0n 3q3n"},                                         // "
    {8, "2e4q 5e7q 0i8i 0m8m"},                               // #
    {7, "~7n5p3p0n1l3k5j7h5f3f0g 3r3d"},                      // $
    {10, "~2q0p0n2l4n4p2q ~8k6j6g8eAgAj8k 1e9q"},             // %
    {9, "9e2m ~2m1o2q4q5o4m2k0h1f3e5e7g8j"},                  // &
    {0, "0q0n"},                                              // '
    {3, "~3r1o0k0i1e3b"},                                     // (
    {3, "~0r2o3k3i2e0b"},                                     // )
    {6, "3q3k 0p6l 6p0l"},                                    // *
    {8, "4e4m 0i8i"},                                         // +
    {1, "1f1e0c"},                                            // ,
    {5, "0i5i"},                                              // -
    {0, "0e"},                                                // .
    {5, "0c5r"},                                              // /
    {7, "~3e1g0k1o3q4q6o7k6g4e3e"},                           // 0
    {4, "0o4q4e"},                                            // 1
    {7, "~0n1p3q5q7o6l4j1g0e 0e7e"},                          // 2
    {7, "~0o2q5q6o5l3k ~3k6j7h5e2e0g"},                       // 3
    {7, "5e5q0h7h"},                                          // 4
    {7, "6q1q0k ~0k3l6k7i6f3e0f"},                            // 5
    {7, "~6p4q2o0j0h1f3e5e7g6j4k2k0h"},                       // 6
    {7, "0q7q3e"},                                            // 7
    {7, "~3k1l0n1p3q4q6p7n6l4k3k ~3k0i0g2e5e7g7i4k"},         // 8
    {7, "~1f3e5g7l7n6p4q2q0o1l3k5k7n"},                       // 9
    {0, "0l 0e"},                                             // :
    {1, "1l 1f1e0c"},                                         // ;
    {7, "7m0i7e"},                                            // <
    {8, "0k8k 0g8g"},                                         // =
    {7, "0m7i0e"},                                            // >
    {6, "~0o1q4q6o5l3j3h 3e"},                                // ?
    {11, "~8k6m4k4h6g8i ~8l8h9g AhBk ~AhBkAn7q3p0l0h2d5b8c"}, // @
    {9, "0e4q5q9e 2i7i"},                                     // A
    {7, "0e0q3q 3e0e 0k4k ~3q6p6l4k ~4k7i7g6e3e"},            // B
    {9, "~9o7q4q1o0k1g4e7e9g"},                               // C
    {8, "0e0q3q ~3q7o8k7g3e 3e0e"},                           // D
    {7, "7q0q0e7e 0k6k"},                                     // E
    {7, "7q0q0e 0k6k"},                                       // F
    {9, "~9o7q4q1o0k1g4e7e9f 9f9j5j"},                        // G
    {8, "0e0q 8e8q 0k8k"},                                    // H
    {0, "0e0q"},                                              // I
    {5, "5q5h ~5h4e2e0g"},                                    // J
    {8, "0e0q 8q0i 3l8e"},                                    // K
    {6, "0q0e6e"},                                            // L
    {10, "0e0q5hAqAe"},                                       // M
    {8, "0e0q8e8q"},                                          // N
    {10, "~4e1g0k1o4q6q9oAk9g6e4e"},                          // O
    {7, "0e0q4q ~4q7p7l4j 4j0j"},                             // P
    {10, "~4e1g0k1o4q6q9oAk9g6e4e 6hAd"},                     // Q
    {8, "0e0q4q ~4q7p7l4k 4k0k 4k8e"},                        // R
    {7, "~7o5q3q0o1l3k5j7h5e3e0g"},                           // S
    {8, "0q8q 4q4e"},                                         // T
    {8, "0q0i ~0i1f4e7f8i 8i8q"},                             // U
    {9, "0q4e5e9q"},                                          // V
    {12, "0q3e6p9eCq"},                                       // W
    {8, "0e8q 0q8e"},                                         // X
    {8, "0q4k8q 4k4e"},                                       // Y
    {8, "0q8q0e8e"},                                          // Z
    {3, "3r0r0b3b"},                                          // [
    {5, "0r5c"},                                              // backslash
    {3, "0r3r3b0b"},                                          // ]
    {6, "0n3q6n"},                                            // ^
    {7, "0c7c"},                                              // _
    {2, "0q2o"},                                              // `
    {6, "6m6e ~6k4m2m0j0h2e4e6g"},                            // a
    {6, "0q0e ~0k2m4m6k6g4e2e0g"},                            // b
    {6, "~6l4m2m0k0g2e4e6f"},                                 // c
    {6, "6q6e ~6k4m2m0k0g2e4e6g"},                            // d
    {7, "0i7i ~7i6l4m2m0k0g2e5e6f"},                          // e
    {4, "~4q2p2m 2m2e 0m4m"},                                 // f
    {6, "6m6d ~6d4a2a0b ~6k4m2m0k0g2e4e6g"},                  // g
    {6, "0q0e ~0j2m4m6j 6j6e"},                               // h
    {0, "0m0e 0p"},                                           // i
    {2, "2m2d ~2d1b0a 2p"},                                   // j
    {6, "0q0e 5m0h 2j6e"},                                    // k
    {0, "0q0e"},                                              // l
    {10, "0m0e ~0j2m4m5j 5j5e ~5j7m9mAj AjAe"},               // m
    {6, "0m0e ~0j2m4m6j 6j6e"},                               // n
    {7, "~3e1f0i1l3m4m6l7i6f4e3e"},                           // o
    {6, "0m0a ~0k2m4m6k6g4e2e0g"},                            // p
    {6, "6m6a ~6k4m2m0k0g2e4e6g"},                            // q
    {3, "0m0e ~0j1l3m"},                                      // r
    {6, "~6l4m2m0k1j3i5h6g4e2e0f"},                           // s
    {4, "1p1h ~1h2e4e 0m4m"},                                 // t
    {6, "0m0h ~0h2e4e6h 6m6e"},                               // u
    {6, "0m3e6m"},                                            // v
    {10, "0m3e5l7eAm"},                                       // w
    {6, "0e6m 0m6e"},                                         // x
    {6, "0m3e 6m2b ~2b1a0a"},                                 // y
    {6, "0m6m0e6e"},                                          // z
    {4, "~4r2q2n2l0j ~0j2h2f2c4b"},                           // {
    {0, "0r0b"},                                              // |
    {4, "~0r2q2n2l4j ~4j2h2f2c0b"},                           // }
    {8, "~0h2k4i6g8j"},                                       // ~
};

// Symbols that occur in names, units and reports.
static const struct {
  const char *utf8;
  Glyph glyph;
} SIGNS[] = {
    {"°", {3, "~1n0o1q2q3o2n1n"}},
    {"²", {4, "~0p2q4p3n0l 0l4l"}},
    {"³", {4, "~0p2q3p2o ~2o4n2l0l"}},
    {"·", {0, "0i"}},
    {"×", {6, "0f6l 0l6f"}},
    {"±", {8, "4g4o 0k8k 0e8e"}},
    {"¹", {2, "0p2q2l"}},
    {"ß", {6, "0e0n ~0n1q4q5n3l ~3l6j6g4e2e"}},
    {"µ", {6, "0m0a ~0h2e4e6h 6m6e"}}, // micro sign
    {"μ", {6, "0m0a ~0h2e4e6h 6m6e"}}, // Greek letter
    {"α", {8, "~8m5g3e1f0i1l3m5l6h8e"}},
    {"β", {6, "0a0n ~0n1q3q5o4l2k ~2k6j6g4e2e0g"}},
    {"γ", {7, "~0l1m3i4e 7m4e3a"}},
    {"δ", {6, "~5p3q1o3m5k6h4e2e0g0i2l4l"}},
    {"ε", {6, "~6l4m1m0k2i4i ~2i0h0f2e4e6f"}},
    {"ζ", {6, "1q5q ~5q1m0i2f5e5c3b"}},
    {"η", {6, "0m0e ~0j2m4m6j 6j6a"}},
    {"θ", {6, "~3e1f0k1p3q5p6k5f3e 0k6k"}},
    {"κ", {6, "0m0e 6m0h 2j6e"}},
    {"λ", {6, "~0q2p3l6e 3k0e"}},
    {"ξ", {6, "1q5q ~5q1p1m4m ~4m0k0g4e5c3b"}},
    {"π", {8, "0m8m 2m2e 6m6e"}},
    {"ρ", {6, "0a0i ~0i2m4m6k6g4e2e0g"}},
    {"σ", {8, "8m3m ~3m0k0g2e4e6g6k3m"}},
    {"τ", {6, "0m6m 3m3g ~3g4e5e"}},
    {"φ", {8, "4q4a ~4m1l0i1f4e7f8i7l4m"}},
    {"χ", {6, "0a6m ~0m2l4b6a"}},
    {"ψ", {8, "4q4a 0m0j ~0j1f4e7f8j 8j8m"}},
    {"ω", {10, "~1m0j0g2e4f5i ~5i6f8eAgAj9m"}},
    {"Γ", {7, "0e0q7q"}},
    {"Δ", {9, "0e4q5q9e0e"}},
    {"Θ", {10, "~4e1g0k1o4q6q9oAk9g6e4e 3k7k"}},
    {"Λ", {9, "0e4q5q9e"}},
    {"Ξ", {8, "0q8q 1k7k 0e8e"}},
    {"Π", {8, "0e0q8q8e"}},
    {"Σ", {7, "7q0q4k0e7e"}},
    {"Φ", {10, "5q5e ~5o1n0k1h5g9hAk9n5o"}},
    {"Ψ", {10, "5q5e 0q0n ~0n1j5h9jAn AnAq"}},
    {"Ω", {10, "0e4e ~4e1h0k1o4q6q9oAk9h6e 6eAe"}}, // Greek letter
    {"Ω", {10, "0e4e ~4e1h0k1o4q6q9oAk9h6e 6eAe"}}, // ohm
    {"√", {8, "0j2e6q8q"}},
    {"∞", {10, "~5i3k1k0i1g3f5i7k9kAi9g7f5i"}},
    {"→", {10, "0iAi 7lAi7f"}},
    {"’", {0, "0q0n"}},
    {"–", {6, "0i6i"}},
    {"—", {9, "0i9i"}},
    {"−", {8, "0i8i"}},
    {"…", {8, "0e 4e 8e"}},
    {"≤", {7, "7o0k7g 0e7e"}},
    {"≥", {7, "0o7k0g 0e7e"}},
};

// Letters drawn as others: accented letters without the accent, Greek letters that look like Latin ones as these. Each row
// begins at a code point; a space: no such letter.
static const struct {
  unsigned first;
  const char *letters;
} LIKE[] = {
    {0xC0, "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy"
           "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL"
           "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs"},
    {0x391, "AB  EZH IK MN O P  TY X  "},
    {0x3B1, "        i   v o  s  u    "},
};

static const Glyph UNKNOWN = {6, "0e6e6q0q0e"};
static const double NARROW = 0.5; // additional room on both sides of thin letters
enum { CURVE_PARTS = 6 };         // of the curve between two spots

static int sequence_length(unsigned char lead) {
  return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static Glyph ascii_glyph(unsigned char c) {
  return c >= ' ' && c < ' ' + 95 ? ASCII[c - ' '] : UNKNOWN;
}

static Glyph alike_glyph(unsigned letter) {
  for (size_t i = 0; i < sizeof LIKE / sizeof *LIKE; i++) {
    size_t at = letter - LIKE[i].first;
    if (letter < LIKE[i].first || at >= strlen(LIKE[i].letters)) continue;
    if (LIKE[i].letters[at] != ' ') return ascii_glyph((unsigned char)LIKE[i].letters[at]);
  }
  return UNKNOWN;
}

Glyph font_glyph(const char **utf8) {
  unsigned char lead = (unsigned char)**utf8;
  if (lead < 0x80) {
    ++*utf8;
    return ascii_glyph(lead);
  }
  for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
    size_t length = strlen(SIGNS[i].utf8);
    if (strncmp(*utf8, SIGNS[i].utf8, length) != 0) continue;
    *utf8 += length;
    return SIGNS[i].glyph;
  }
  bool two = sequence_length(lead) == 2 && (*utf8)[1];
  unsigned letter = two ? (lead & 0x1Fu) << 6 | ((unsigned char)(*utf8)[1] & 0x3Fu) : 0;
  for (int left = sequence_length(lead); left > 0 && **utf8; left--) ++*utf8;
  return alike_glyph(letter);
}

double font_advance(const Glyph *g) {
  return g->width + FONT_BETWEEN + 2 * font_bearing(g);
}

double font_bearing(const Glyph *g) {
  return g->width < 1 ? NARROW : 0;
}

static FontSpot read_spot(const char *s) {
  double x = s[0] >= 'A' ? s[0] - 'A' + 10 : s[0] - '0';
  return (FontSpot){x, s[1] - 'e'};
}

// Catmull and Rom (1974): the cubic through b and c with slopes from their neighbours.
static FontSpot on_curve(FontSpot a, FontSpot b, FontSpot c, FontSpot d, double u) {
  double wa = u * (-1 + u * (2 - u)), wb = 2 + u * u * (-5 + 3 * u);
  double wc = u * (1 + u * (4 - 3 * u)), wd = u * u * (u - 1);
  return (FontSpot){(wa * a.x + wb * b.x + wc * c.x + wd * d.x) / 2,
                    (wa * a.y + wb * b.y + wc * c.y + wd * d.y) / 2};
}

static int smooth(const FontSpot *given, int count, FontSpot *out) {
  bool closed = given[0].x == given[count - 1].x && given[0].y == given[count - 1].y;
  int n = 0;
  for (int i = 0; i + 1 < count; i++) {
    FontSpot before = i ? given[i - 1] : closed ? given[count - 2] : given[0];
    FontSpot after = i + 2 < count ? given[i + 2] : closed ? given[1] : given[count - 1];
    for (int k = 0; k < CURVE_PARTS; k++)
      out[n++] = on_curve(before, given[i], given[i + 1], after, (double)k / CURVE_PARTS);
  }
  out[n++] = given[count - 1];
  return n;
}

int font_stroke(const char **strokes, FontSpot spots[FONT_SPOTS_MOST]) {
  FontSpot given[FONT_SPOTS_MOST / CURVE_PARTS];
  const char *s = *strokes;
  while (*s == ' ') s++;
  bool curved = *s == '~';
  if (curved) s++;
  int count = 0;
  for (; *s && *s != ' '; s += 2) given[count++] = read_spot(s);
  *strokes = s;
  if (curved) return smooth(given, count, spots);
  if (count) memcpy(spots, given, (size_t)count * sizeof *spots);
  return count;
}
