#include "write/html.h"

#include "base/json_tree.h"
#include "html_tags.h"
#include "num/random.h"

// Text of pieces that matter to HTML, JSON and UTF-8, and of single bytes.
static const char *random_text(Arena *a, Random *r) {
  static const char *const PIECES[] = {"<",
                                       ">",
                                       "&",
                                       "\"",
                                       "'",
                                       "\\",
                                       "</script",
                                       "<!--",
                                       "]]>",
                                       "&lt;",
                                       "\n",
                                       "\t",
                                       "\x1b",
                                       "\x1b[1m",
                                       "\x1b[31m",
                                       "\x1b[0m",
                                       "\x1b[7m",
                                       "\x7f",
                                       "ä",
                                       "€",
                                       "\xF0\x9F\x98\x80",
                                       "\xc2\x9b",
                                       "\xE2\x80\xAE",
                                       "\xE2\x80\xA8",
                                       "\xed\xa0\x80",
                                       "\xf4\x90\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xef\xbf\xbd",
                                       "plain ",
                                       "\xc3"};
  enum { COUNT = sizeof PIECES / sizeof *PIECES };
  char *text = ARENA_ARRAY(a, char, 200), *at = text;
  for (int n = (int)(20 * random_uniform(r)); n > 0; n--) {
    int i = (int)(1.5 * COUNT * random_uniform(r));
    if (i < COUNT)
      at = stpcpy(at, PIECES[i]);
    else
      *at++ = (char)(1 + (int)(255 * random_uniform(r)));
  }
  return text;
}

// The bytes of the character at s, its code in *code; 0: it is none that is whole, in its shortest form, of Unicode. Written anew, to
// be compared with.
static int decode(const unsigned char *s, unsigned *code) {
  *code = s[0];
  if (s[0] < 0x80) return 1;
  for (int n = 2; n <= 4; n++) {
    unsigned mark = 0xFF00u >> n & 0xFF, mask = mark >> 1 | 0x80;
    if ((s[0] & mask) != (mark & mask) || (s[0] & (0x80 >> n))) continue;
    unsigned v = s[0] & (0x7F >> n);
    for (int i = 1; i < n; i++) {
      if (s[i] < 0x80 || s[i] > 0xBF) return 0;
      v = v * 64 + (s[i] - 0x80);
    }
    bool shortest = n == 2 ? v >= 0x80 : n == 3 ? v >= 0x800 : v >= 0x10000;
    *code = v;
    return shortest && v <= 0x10FFFF && !(v >= 0xD800 && v <= 0xDFFF) ? n : 0;
  }
  return 0;
}

static bool is_shown(unsigned c) {
  static const unsigned NOT[][2] = {{0, 8},           {0xB, 0x1F},      {0x7F, 0x9F},
                                    {0x61C, 0x61C},   {0x200E, 0x200F}, {0x2028, 0x202E},
                                    {0x2066, 0x2069}, {0xFFFE, 0xFFFF}};
  for (size_t i = 0; i < sizeof NOT / sizeof *NOT; i++)
    if (c >= NOT[i][0] && c <= NOT[i][1]) return false;
  return true;
}

static size_t tint_length(const char *s) {
  static const char *const TINTS[] = {"\x1b[1m",  "\x1b[2m",  "\x1b[31m",
                                      "\x1b[32m", "\x1b[33m", "\x1b[0m"};
  for (size_t i = 0; i < sizeof TINTS / sizeof *TINTS; i++)
    if (strncmp(s, TINTS[i], strlen(TINTS[i])) == 0) return strlen(TINTS[i]);
  return 0;
}

// What a reader shall see of s. all: in JSON only what is not UTF-8 is replaced.
static const char *expected(Arena *a, const char *s, bool all) {
  char *out = ARENA_ARRAY(a, char, 3 * strlen(s) + 1), *at = out;
  while (*s) {
    unsigned code;
    size_t tint = all ? 0 : tint_length(s);
    if (tint) {
      s += tint;
      continue;
    }
    int n = decode((const unsigned char *)s, &code);
    if (n && (all || is_shown(code)))
      at = memcpy(at, s, (size_t)n), at += n;
    else
      at = stpcpy(at, "\xEF\xBF\xBD");
    s += n ? n : 1;
  }
  return out;
}

// Without the spans, each of which is closed.
static const char *without_spans(Arena *a, const char *html) {
  char *out = ARENA_ARRAY(a, char, strlen(html) + 1), *at = out;
  int open = 0;
  while (*html) {
    bool begins = strncmp(html, "<span class=\"", 13) == 0, ends = strncmp(html, "</span>", 7) == 0;
    open += begins - ends;
    assert_true(open >= 0);
    if (begins || ends)
      html += strcspn(html, ">") + 1;
    else
      *at++ = *html++;
  }
  assert_int_equal(open, 0);
  return out;
}

static void check(Arena *a, const char *text) {
  Text t, attribute;
  text_init(&t);
  text_init(&attribute);
  html_text(&t, text);
  html_tags(a, t.at);
  const char *plain = without_spans(a, t.at);
  assert_null(strpbrk(plain, "<>\"'"));
  assert_string_equal(html_decoded(a, plain), expected(a, text, false));
  html_attribute(&attribute, text);
  assert_string_equal(attribute.at, plain);
  text_done(&t);
  text_done(&attribute);
}

static void any_text_is_shown_and_nothing_of_it_is_markup(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 1);
  for (int i = 0; i < 20000; i++) {
    Arena *a = arena_new();
    check(a, random_text(a, &r));
    arena_free(a);
  }
  Arena *a = arena_new();
  for (int i = 0; i < HOSTILE_COUNT; i++) check(a, HOSTILE[i]);
  char *bytes = ARENA_ARRAY(a, char, 256), *much = ARENA_ARRAY(a, char, 10001);
  for (int i = 0; i < 255; i++) bytes[i] = (char)(i + 1);
  check(a, bytes);
  memset(much, '<', 10000);
  check(a, much);
  arena_free(a);
}

static void tints_become_elements_with_a_class(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  html_text(&t, "a \033[32mgood\033[0m, \033[31m<bad>\033[0m, \033[1mopen");
  assert_string_equal(t.at, "a <span class=\"good\">good</span>, <span "
                            "class=\"bad\">&lt;bad&gt;</span>, <span class=\"strong\">open</span>");
  text_clear(&t);
  html_attribute(&t, "a \033[32mgood\033[0m");
  assert_string_equal(t.at, "a good");
  text_done(&t);
}

static void check_json(Arena *a, const char *text) {
  Text t;
  Err err = {0};
  text_init(&t);
  html_json_string(&t, text);
  assert_null(strpbrk(t.at, "<>&"));
  for (const char *s = t.at; *s; s += character_at(s).bytes) assert_false(character_at(s).hidden);
  const JsonTree *tree = json_parse(a, "test", t.at, &err);
  if (!tree) fail_msg("%s: %s", t.at, err.text);
  assert_int_equal(tree->kind, JSON_TEXT);
  assert_string_equal(tree->text, expected(a, text, true));
  text_done(&t);
}

static void strings_of_json_are_read_back_and_end_no_script(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 2);
  for (int i = 0; i < 20000; i++) {
    Arena *a = arena_new();
    check_json(a, random_text(a, &r));
    arena_free(a);
  }
  Arena *a = arena_new();
  for (int i = 0; i < HOSTILE_COUNT; i++) check_json(a, HOSTILE[i]);
  arena_free(a);
}

static void names_of_elements_are_letters_digits_and_single_dashes(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 3);
  for (int i = 0; i < 5000; i++) {
    Arena *a = arena_new();
    Text t;
    text_init(&t);
    html_id(&t, random_text(a, &r));
    assert_true(t.length > 0);
    assert_int_equal(strspn(t.at, "abcdefghijklmnopqrstuvwxyz0123456789-"), t.length);
    assert_true(t.at[0] != '-' && t.at[t.length - 1] != '-');
    assert_null(strstr(t.at, "--"));
    text_done(&t);
    arena_free(a);
  }
  static const char *const CASES[][2] = {{"How it was found", "how-it-was-found"},
                                         {"Validation (not fitted)", "validation-not-fitted"},
                                         {"95 % intervals", "95-intervals"},
                                         {"  \"", "part"},
                                         {"", "part"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Text t;
    text_init(&t);
    text_add(&t, "id-");
    html_id(&t, CASES[i][0]);
    assert_string_equal(t.at + 3, CASES[i][1]);
    text_done(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_text_is_shown_and_nothing_of_it_is_markup),
      cmocka_unit_test(tints_become_elements_with_a_class),
      cmocka_unit_test(strings_of_json_are_read_back_and_end_no_script),
      cmocka_unit_test(names_of_elements_are_letters_digits_and_single_dashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
