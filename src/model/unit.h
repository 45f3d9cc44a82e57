// One unit: reads strings as Modelica writes them ("N.m", "kg/(m.s2)", "rev/min"), multiplies, compares, prints.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum {
  UNIT_BASES = 7,     // kg m s A K mol cd; angles are numbers
  UNIT_FRACTION = 60, // exponents count 60ths: roots and most other fractions are exact
};

typedef struct Unit {
  double scale;   // how many of the SI unit: 1e-3 for mm; > 0
  bool any_scale; // the scale is not known and agrees with every other
  int16_t exponent[UNIT_BASES];
} Unit;

Unit unit_one(void); // that of a plain number
// False and a sentence in err (without place) when the text is no unit. "" is no unit.
bool unit_parse(const char *text, Unit *out, Err *err);
// a * b^power. False when an exponent or the scale gets too large, or is no multiple of 1/60.
bool unit_times_power(const Unit *a, const Unit *b, double power, Unit *out);
bool unit_same_dimension(const Unit *a, const Unit *b);
bool unit_same(const Unit *a, const Unit *b); // dimension and scale
bool unit_is_number(const Unit *u);           // no dimension; the scale may be any
// "kg.m/s2", "N", "m(1/2)", "1"; with a scale other than 1: "0.001 kg.m/s".
void unit_print(Text *out, const Unit *u);
