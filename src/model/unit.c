#include "model/unit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

// ---- arithmetic ----

enum { EXPONENT_MOST = 100 * UNIT_FRACTION };

Unit unit_one(void) {
  return (Unit){.scale = 1};
}

bool unit_times_power(const Unit *a, const Unit *b, double power, Unit *out) {
  Unit u = {.any_scale = a->any_scale || b->any_scale};
  for (int i = 0; i < UNIT_BASES; i++) {
    double exponent = a->exponent[i] + b->exponent[i] * power, nearest = rint(exponent);
    // 1.0 / 3 and its kin miss the nearest 60th by rounding only
    if (!(fabs(exponent - nearest) < 1e-9 * UNIT_FRACTION) || fabs(nearest) > EXPONENT_MOST)
      return false;
    u.exponent[i] = (int16_t)nearest;
  }
  u.scale = a->scale * pow(b->scale, power);
  *out = u;
  return u.scale > 0 && isfinite(u.scale);
}

bool unit_same_dimension(const Unit *a, const Unit *b) {
  return memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0;
}

bool unit_same(const Unit *a, const Unit *b) {
  if (!unit_same_dimension(a, b)) return false;
  return a->any_scale || b->any_scale || fabs(a->scale - b->scale) <= 1e-9 * b->scale;
}

bool unit_is_number(const Unit *u) {
  Unit one = unit_one();
  return unit_same_dimension(u, &one);
}

// ---- symbols ----

typedef struct Symbol {
  const char *text;
  bool has_prefix; // may have one
  double scale;
  signed char exponent[UNIT_BASES];
} Symbol;

static const Symbol SYMBOLS[] = {
#define SYMBOL(text, prefix, scale, kg, m, s, A, K, mol, cd)                                       \
  {text, prefix, scale, {kg, m, s, A, K, mol, cd}},
#include "model/unit_symbols.def"
#undef SYMBOL
};
enum { SYMBOL_COUNT = sizeof SYMBOLS / sizeof *SYMBOLS };

static const struct {
  const char *text;
  double scale;
} PREFIXES[] = {
    {"Y", 1e24},  {"Z", 1e21},  {"E", 1e18},      {"P", 1e15},      {"T", 1e12},  {"G", 1e9},
    {"M", 1e6},   {"k", 1e3},   {"h", 1e2},       {"da", 1e1},      {"d", 1e-1},  {"c", 1e-2},
    {"m", 1e-3},  {"u", 1e-6},  {"n", 1e-9},      {"p", 1e-12},     {"f", 1e-15}, {"a", 1e-18},
    {"z", 1e-21}, {"y", 1e-24}, {"\u00b5", 1e-6}, {"\u03bc", 1e-6},
};
enum { PREFIX_COUNT = sizeof PREFIXES / sizeof *PREFIXES };

static bool is_text(const char *word, size_t length, const char *text) {
  return strlen(text) == length && memcmp(word, text, length) == 0;
}

static const Symbol *find_exact(const char *word, size_t length) {
  for (int i = 0; i < SYMBOL_COUNT; i++)
    if (is_text(word, length, SYMBOLS[i].text)) return &SYMBOLS[i];
  return NULL;
}

// A symbol counts before a prefix with a symbol: min is a minute, cd a candela.
static const Symbol *find_symbol(const char *word, size_t length, double *prefix) {
  *prefix = 1;
  const Symbol *found = find_exact(word, length);
  for (int i = 0; i < PREFIX_COUNT && !found; i++) {
    size_t n = strlen(PREFIXES[i].text);
    if (n >= length || memcmp(word, PREFIXES[i].text, n) != 0) continue;
    found = find_exact(word + n, length - n);
    if (found && !found->has_prefix) found = NULL;
    *prefix = PREFIXES[i].scale;
  }
  return found;
}

static Unit symbol_unit(const Symbol *s, double prefix) {
  Unit u = {.scale = s->scale > 0 ? prefix * s->scale : 1, .any_scale = s->scale == 0};
  for (int i = 0; i < UNIT_BASES; i++) u.exponent[i] = (int16_t)(UNIT_FRACTION * s->exponent[i]);
  return u;
}

// ---- sentences about words that are no symbols ----

static const struct {
  const char *word, *instead;
} INSTEAD[] = {
    {"sec", "s"},           {"second", "s"},   {"seconds", "s"},    {"minute", "min"},
    {"minutes", "min"},     {"hr", "h"},       {"hour", "h"},       {"hours", "h"},
    {"day", "d"},           {"days", "d"},     {"ohm", "Ohm"},      {"\u2126", "Ohm"},
    {"\u03a9", "Ohm"},      {"\u00b0", "deg"}, {"\u00b0C", "degC"}, {"degree", "deg"},
    {"degrees", "deg"},     {"radian", "rad"}, {"radians", "rad"},  {"rads", "rad/s"},
    {"meter", "m"},         {"metre", "m"},    {"percent", "%"},    {"kmh", "km/h"},
    {"kph", "km/h"},        {"mph", "mi/h"},   {"sqm", "m2"},       {"gram", "g"},
    {"Kelvin", "K"},        {"Volt", "V"},     {"Newton", "N"},     {"Celsius", "degC"},
    {"dimensionless", "1"}, {"Kg", "kg"},      {"KN", "kN"},        {"hz", "Hz"},
};

static bool fail_word(const char *word, size_t length, Err *err) {
  int n = length < 40 ? (int)length : 40;
  for (size_t i = 0; i < sizeof INSTEAD / sizeof *INSTEAD; i++)
    if (is_text(word, length, INSTEAD[i].word))
      return fail(err, ERR_VALUE, "'%.*s' is not a unit; write '%s'", n, word, INSTEAD[i].instead);
  double prefix;
  for (size_t i = 1; i < length; i++)
    if (find_symbol(word, i, &prefix) && find_symbol(word + i, length - i, &prefix))
      return fail(err, ERR_VALUE, "'%.*s' is not a unit; a product is written '%.*s.%.*s'", n, word,
                  (int)i, word, (int)(length - i), word + i);
  return fail(err, ERR_VALUE, "'%.*s' is not a known unit", n, word);
}

static bool fail_character(const char *at, Err *err) {
  switch (*at) {
  case 0: return fail(err, ERR_VALUE, "it ends where a unit should follow");
  case '^': return fail(err, ERR_VALUE, "an exponent follows without '^', as in 'm/s2'");
  case '*': return fail(err, ERR_VALUE, "a product is written with a dot, as in 'N.m'");
  case ' ': return fail(err, ERR_VALUE, "blanks are not allowed; a product is written 'N.m'");
  case '/':
  case '.':
    return fail(err, ERR_VALUE, "what stands behind a '/' needs parentheses, as in 'J/(kg.K)'");
  default: break;
  }
  if (isdigit((unsigned char)*at))
    return fail(err, ERR_VALUE, "a number other than 1 is not a unit");
  int bytes = 1;
  while (((unsigned char)at[bytes] & 0xC0) == 0x80) bytes++;
  return fail(err, ERR_VALUE, "'%.*s' cannot stand here", bytes, at);
}

// ---- reading ----

typedef struct UnitReader {
  const char *at;
  int depth;
  Err *err;
} UnitReader;

enum { DEPTH_MOST = 20 };

static bool read_unit(UnitReader *r, Unit *out);

static bool read_integer(UnitReader *r, int *out) {
  int sign = *r->at == '-' ? -1 : 1, value = 0;
  if (*r->at == '-' || *r->at == '+') r->at++;
  if (!isdigit((unsigned char)*r->at)) return fail(r->err, ERR_VALUE, "an exponent has no digits");
  for (; isdigit((unsigned char)*r->at); r->at++)
    if (value < 1000) value = 10 * value + (*r->at - '0');
  *out = sign * value;
  return true;
}

static bool has_integer(const UnitReader *r) {
  return isdigit((unsigned char)*r->at) || *r->at == '-' || *r->at == '+';
}

static bool read_ratio(UnitReader *r, double *out) {
  int above = 1, below = 1;
  r->at++;
  if (!read_integer(r, &above)) return false;
  if (*r->at == '/') {
    r->at++;
    if (!read_integer(r, &below)) return false;
  }
  if (*r->at != ')') return fail(r->err, ERR_VALUE, "a ')' is missing after an exponent");
  r->at++;
  *out = (double)above / below; // a division by 0 is found as an exponent too large
  return true;
}

// exponent = [ sign ] digits | "(" [ sign ] digits [ "/" digits ] ")" | nothing
static bool read_exponent(UnitReader *r, double *out) {
  *out = 1;
  if (*r->at == '(') return read_ratio(r, out);
  if (!has_integer(r)) return true;
  int power = 1;
  if (!read_integer(r, &power)) return false;
  *out = power;
  return true;
}

static bool is_word_byte(char c) {
  return isalpha_l((unsigned char)c, c_locale()) || c == '%' || (unsigned char)c >= 0x80;
}

static bool read_symbol(UnitReader *r, Unit *out) {
  const char *word = r->at;
  while (is_word_byte(*r->at)) r->at++;
  size_t length = (size_t)(r->at - word);
  if (!length) return fail_character(r->at, r->err);
  double prefix;
  const Symbol *symbol = find_symbol(word, length, &prefix);
  if (!symbol) return fail_word(word, length, r->err);
  *out = symbol_unit(symbol, prefix);
  return true;
}

static bool read_group(UnitReader *r, Unit *out) {
  if (++r->depth > DEPTH_MOST) return fail(r->err, ERR_VALUE, "too many parentheses");
  r->at++;
  if (!read_unit(r, out)) return false;
  if (!*r->at) return fail(r->err, ERR_VALUE, "a ')' is missing");
  if (*r->at != ')') return fail_character(r->at, r->err);
  r->at++;
  r->depth--;
  return true;
}

// factor = "1" | ( symbol | "(" unit ")" ) exponent
static bool read_factor(UnitReader *r, Unit *out) {
  Unit base = {0}, one = unit_one();
  double power = 1;
  if (r->at[0] == '1' && !isdigit((unsigned char)r->at[1])) {
    r->at++;
    *out = one;
    return true;
  }
  if (!(*r->at == '(' ? read_group(r, &base) : read_symbol(r, &base))) return false;
  if (!read_exponent(r, &power)) return false;
  if (unit_times_power(&one, &base, power, out)) return true;
  return fail(r->err, ERR_VALUE, "an exponent is not allowed");
}

static bool multiply_next(UnitReader *r, double power, Unit *out) {
  Unit next = {0};
  if (!read_factor(r, &next)) return false;
  if (unit_times_power(out, &next, power, out)) return true;
  return fail(r->err, ERR_VALUE, "its exponents or its scale are too large");
}

// unit = factor { "." factor } [ "/" factor ]
static bool read_unit(UnitReader *r, Unit *out) {
  *out = unit_one();
  if (!multiply_next(r, 1, out)) return false;
  while (*r->at == '.') {
    r->at++;
    if (!multiply_next(r, 1, out)) return false;
  }
  if (*r->at != '/') return true;
  r->at++;
  return multiply_next(r, -1, out);
}

bool unit_parse(const char *text, Unit *out, Err *err) {
  UnitReader r = {.at = text, .err = err};
  if (!read_unit(&r, out)) return false;
  return *r.at ? fail_character(r.at, err) : true;
}

// ---- printing ----

static const char *const NAMED[] = {"N", "Pa",  "J", "W",  "C", "V",
                                    "F", "Ohm", "S", "Wb", "T", "H"}; // read better than kg.m/s2

static const char *const BASES[UNIT_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd"};

static const char *find_name(const Unit *u) {
  for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++) {
    Unit named = symbol_unit(find_exact(NAMED[i], strlen(NAMED[i])), 1);
    if (unit_same_dimension(u, &named)) return NAMED[i];
  }
  return NULL;
}

static int common_divisor(int a, int b) {
  return b ? common_divisor(b, a % b) : a;
}

static void print_power(Text *out, int base, int exponent) {
  int divisor = common_divisor(exponent, UNIT_FRACTION);
  int above = exponent / divisor, below = UNIT_FRACTION / divisor;
  text_add(out, BASES[base]);
  if (below != 1)
    text_print(out, "(%d/%d)", above, below);
  else if (above != 1)
    text_print(out, "%d", above);
}

// All powers of one sign, with dots between them.
static void print_powers(Text *out, const Unit *u, int sign) {
  const char *dot = "";
  for (int i = 0; i < UNIT_BASES; i++) {
    if (sign * u->exponent[i] <= 0) continue;
    text_add(out, dot);
    print_power(out, i, abs(u->exponent[i]));
    dot = ".";
  }
}

static int count_powers(const Unit *u, int sign) {
  int count = 0;
  for (int i = 0; i < UNIT_BASES; i++) count += sign * u->exponent[i] > 0;
  return count;
}

void unit_print(Text *out, const Unit *u) {
  if (!u->any_scale && fabs(u->scale - 1) > 1e-9) text_print(out, "%.6g ", u->scale);
  const char *name = find_name(u);
  if (name) {
    text_add(out, name);
    return;
  }
  if (!count_powers(u, 1)) text_add(out, "1");
  print_powers(out, u, 1);
  int below = count_powers(u, -1);
  if (!below) return;
  text_add(out, below > 1 ? "/(" : "/");
  print_powers(out, u, -1);
  if (below > 1) text_add(out, ")");
}
