#include "lang/lex.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "test.h"

typedef struct Reader {
  Arena *arena;
  Err err;
  Lexer lexer;
  Token token;
} Reader;

static void begin(Reader *r, const char *text) {
  *r = (Reader){.arena = arena_new()};
  const Source *s = source_new(r->arena, "<text>", text, strlen(text), &r->err);
  assert_non_null(s);
  lex_begin(&r->lexer, r->arena, s, &r->err);
  lex_next(&r->lexer, &r->token);
}

static void next(Reader *r) {
  lex_next(&r->lexer, &r->token);
}

static void done(Reader *r) {
  arena_free(r->arena);
}

static void every_symbol_and_keyword_reads_as_itself(void **state) {
  (void)state;
  for (int kind = TOKEN_LEFT_PAREN; kind < TOKEN_COUNT; kind++) {
    Reader r;
    begin(&r, token_text((TokenKind)kind));
    assert_int_equal(r.token.kind, kind);
    assert_int_equal(token_is_keyword(r.token.kind), kind >= TOKEN_ALGORITHM);
    next(&r);
    assert_int_equal(r.token.kind, TOKEN_END_OF_TEXT);
    assert_int_equal(r.err.code, ERR_NONE);
    done(&r);
  }
}

static void tokens_need_no_blanks_between_them(void **state) {
  (void)state;
  Reader r;
  begin(&r, "a<=b<>c:=d==e=f.+g");
  const TokenKind want[] = {TOKEN_NAME, TOKEN_LESS_EQUAL, TOKEN_NAME, TOKEN_NOT_SAME,
                            TOKEN_NAME, TOKEN_ASSIGN,     TOKEN_NAME, TOKEN_SAME,
                            TOKEN_NAME, TOKEN_EQUALS,     TOKEN_NAME, TOKEN_DOT_PLUS,
                            TOKEN_NAME, TOKEN_END_OF_TEXT};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++, next(&r))
    assert_int_equal(r.token.kind, want[i]);
  done(&r);
}

static void equal_names_are_one_pointer(void **state) {
  (void)state;
  Reader r;
  begin(&r, "alpha beta alpha a_name_of_more_than_8_letters a_name_of_more_than_8_letterz "
            "a_name_of_more_than_8_letters 'alpha'");
  const char *seen[7];
  for (int i = 0; i < 7; i++, next(&r)) seen[i] = r.token.name;
  assert_ptr_equal(seen[0], seen[2]);
  assert_ptr_equal(seen[3], seen[5]);
  assert_string_equal(seen[1], "beta");
  assert_string_not_equal(seen[3], seen[4]);
  assert_string_equal(seen[6], "'alpha'");
  done(&r);
}

static void many_names_stay_apart(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  char *text = malloc(COUNT * 20 + 1);
  size_t length = 0;
  for (int i = 0; i < COUNT; i++)
    length += (size_t)sprintf(text + length, "%s%d ", i % 2 ? "x" : "state_", i);
  Reader r;
  begin(&r, text);
  for (int i = 0; i < COUNT; i++, next(&r)) {
    char want[40];
    sprintf(want, "%s%d", i % 2 ? "x" : "state_", i);
    assert_string_equal(r.token.name, want);
  }
  assert_int_equal(r.token.kind, TOKEN_END_OF_TEXT);
  done(&r);
  free(text);
}

static void places_count_lines_and_characters(void **state) {
  (void)state;
  Reader r;
  begin(&r, "a /* \u03b1\n \u03b2\u03b3 */ bc \"\u03b4\n\u03b5\" d // \u03b6\n\te");
  const int want[][4] = {{1, 1, 1, 2}, {2, 8, 2, 10}, {2, 11, 3, 3},
                         {3, 4, 3, 5}, {4, 2, 4, 3},  {4, 3, 4, 3}};
  for (int i = 0; i < 6; i++, next(&r)) {
    assert_int_equal(r.token.line, want[i][0]);
    assert_int_equal(r.token.column, want[i][1]);
    assert_int_equal(r.token.end_line, want[i][2]);
    assert_int_equal(r.token.end_column, want[i][3]);
  }
  done(&r);
}

static void check_number(const char *text, double want) {
  Reader r;
  begin(&r, text);
  assert_int_equal(r.token.kind, TOKEN_NUMBER);
  if (r.token.number != want) print_error("%s reads as %.17g\n", text, r.token.number);
  assert_true(r.token.number == want);
  next(&r);
  assert_int_equal(r.token.kind, TOKEN_END_OF_TEXT);
  assert_int_equal(r.err.code, ERR_NONE);
  done(&r);
}

static void numbers_have_the_forms_of_modelica(void **state) {
  (void)state;
  check_number("0", 0);
  check_number("007", 7);
  check_number("2.", 2);
  check_number(".5", 0.5);
  check_number("2.5e-3", 2.5e-3);
  check_number("1E+3", 1000);
  check_number("1.e3", 1000);
  check_number("0e999", 0);
  check_number("0.000", 0);
  check_number("9007199254740992", 9007199254740992.0);
  check_number("1.7976931348623157e308", 1.7976931348623157e308);
  check_number("4.9406564584124654e-324", 4.9406564584124654e-324);
  check_number("00000000000000000000000000000000000000001.5", 1.5);
  check_number("1000000000000000000000000.0e-20", 10000);
  check_number("0.1000000000000000055511151231257827021181583404541015625", 0.1);
}

static double random_double(void) {
  uint64_t bits = 0;
  for (int i = 0; i < 5; i++) bits = bits << 15 ^ (uint64_t)rand();
  bits &= ~(1ull << 63);
  double value;
  memcpy(&value, &bits, 8);
  return isfinite(value) ? value : 1.5;
}

static void printed_numbers_read_back_exactly(void **state) {
  (void)state;
  srand(1);
  for (int i = 0; i < 3000; i++) {
    double value = i % 3 == 0 ? random_double() : (double)rand() / (1 + rand() % 100000);
    char text[64];
    snprintf(text, sizeof text, "%.*e", 16 + i % 5, value);
    check_number(text, value);
    snprintf(text, sizeof text, "%.*g", 1 + i % 17, value);
    if (strpbrk(text, ".e") || value < 1e15) check_number(text, strtod(text, NULL));
  }
}

static void strings_are_decoded(void **state) {
  (void)state;
  Reader r;
  begin(&r, "\"a \\\"b\\\" \\\\ \\n\\t\\a\\'\\? \u03b1\" \"\" \"two\nlines\"");
  assert_string_equal(r.token.name, "a \"b\" \\ \n\t\\x07'? \u03b1");
  next(&r);
  assert_string_equal(r.token.name, "");
  next(&r);
  assert_string_equal(r.token.name, "two\nlines");
  done(&r);
}

static void quoted_names_keep_their_quotes(void **state) {
  (void)state;
  Reader r;
  begin(&r, "'a b' 'it\\'s' 'end' '+'");
  const char *want[] = {"'a b'", "'it\\'s'", "'end'", "'+'"};
  for (int i = 0; i < 4; i++, next(&r)) {
    assert_int_equal(r.token.kind, TOKEN_NAME);
    assert_string_equal(r.token.name, want[i]);
  }
  done(&r);
}

static void comments_and_blanks_are_skipped(void **state) {
  (void)state;
  Reader r;
  begin(&r, "// one\n/* two * / **/ a/**/b//\n\f\v\r\n// last");
  assert_string_equal(r.token.name, "a");
  next(&r);
  assert_string_equal(r.token.name, "b");
  next(&r);
  assert_int_equal(r.token.kind, TOKEN_END_OF_TEXT);
  assert_int_equal(r.err.code, ERR_NONE);
  done(&r);
}

static const struct {
  const char *text;
  ErrCode code;
  int line, column;
  const char *message;
} ERRORS[] = {
    {"a /* b", ERR_SYNTAX, 1, 3, "the comment that starts here has no closing */"},
    {"\n \"ab\n", ERR_SYNTAX, 2, 2, "the string that starts here has no closing \""},
    {"\"a\\qb\"", ERR_SYNTAX, 1, 3, "unknown escape in a string; a backslash is written \\\\"},
    {"\"a\\", ERR_SYNTAX, 1, 3, "unknown escape in a string; a backslash is written \\\\"},
    {"'ab\n'", ERR_SYNTAX, 1, 1, "the quoted name that starts here has no closing ' on its line"},
    {"'ab", ERR_SYNTAX, 1, 1, "the quoted name that starts here has no closing ' on its line"},
    {"'ab\\", ERR_SYNTAX, 1, 1, "the quoted name that starts here has no closing ' on its line"},
    {"''", ERR_SYNTAX, 1, 1, "the quoted name is empty"},
    {"'a\u03b1'", ERR_SYNTAX, 1, 3, "a quoted name may contain only ASCII characters"},
    {"1e400", ERR_LIMIT, 1, 1, "the number '1e400' is too large"},
    {"1e99999999999999999999", ERR_LIMIT, 1, 1, "the number '1e99999999999999999999' is too large"},
    {"1e-400", ERR_LIMIT, 1, 1, "the number '1e-400' is too small: it would become 0"},
    {"9007199254740993000", ERR_LIMIT, 1, 1,
     "the integer '9007199254740993000' is larger than 2^53 and may not be exact; write a Real, as "
     "in 1.0e20"},
    {"2x", ERR_SYNTAX, 1, 1, "'2x' is neither a number nor a name; a product is written 2*x"},
    {"0x1F", ERR_SYNTAX, 1, 1, "'0x1F' is neither a number nor a name; a product is written 0*x1F"},
    {"1e", ERR_SYNTAX, 1, 1, "the exponent of '1e' has no digits"},
    {"1e+", ERR_SYNTAX, 1, 1, "the exponent of '1e' has no digits"},
    {"a && b", ERR_SYNTAX, 1, 3, "'&&' has no meaning in Modelica; write and"},
    {"a != b", ERR_SYNTAX, 1, 3, "'!=' has no meaning in Modelica; write <>"},
    {"!a", ERR_SYNTAX, 1, 1, "'!' has no meaning in Modelica; write not"},
    {"a**b", ERR_SYNTAX, 1, 2, "'**' has no meaning in Modelica; write ^"},
    {"# text", ERR_SYNTAX, 1, 1, "'#' has no meaning in Modelica; write // for comments"},
    {"a \u2212 b", ERR_SYNTAX, 1, 3, "'\u2212' has no meaning in Modelica; write -"},
    {"a @ b", ERR_SYNTAX, 1, 3, "unexpected character '@'"},
    {"\u03b1", ERR_SYNTAX, 1, 1, "unexpected character '\u03b1'"},
    {"a \x01", ERR_SYNTAX, 1, 3, "unexpected control character 0x01"},
};

static void errors_name_the_thing_and_its_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
    Reader r;
    begin(&r, ERRORS[i].text);
    while (r.token.kind) next(&r);
    assert_string_equal(r.err.text, ERRORS[i].message);
    assert_int_equal(r.err.code, ERRORS[i].code);
    assert_int_equal(r.err.line, ERRORS[i].line);
    assert_int_equal(r.err.column, ERRORS[i].column);
    done(&r);
  }
}

static void after_an_error_the_text_ends(void **state) {
  (void)state;
  Reader r;
  begin(&r, "a @ b c d");
  next(&r);
  for (int i = 0; i < 5; i++, next(&r)) assert_int_equal(r.token.kind, TOKEN_END_OF_TEXT);
  assert_true(r.lexer.failed);
  done(&r);
}

static void names_have_a_greatest_length(void **state) {
  (void)state;
  char text[LEX_NAME_MOST + 2];
  memset(text, 'a', sizeof text);
  text[LEX_NAME_MOST + 1] = 0;
  Reader r;
  begin(&r, text + 1);
  assert_int_equal(r.token.kind, TOKEN_NAME);
  assert_int_equal(strlen(r.token.name), LEX_NAME_MOST);
  done(&r);
  begin(&r, text);
  assert_int_equal(r.err.code, ERR_LIMIT);
  done(&r);
}

static void a_copy_of_the_lexer_looks_ahead(void **state) {
  (void)state;
  Reader r;
  begin(&r, "a b c");
  Lexer ahead = r.lexer;
  Token token;
  lex_next(&ahead, &token);
  lex_next(&ahead, &token);
  assert_string_equal(token.name, "c");
  next(&r);
  assert_string_equal(r.token.name, "b");
  done(&r);
}

static void long_tokens_are_cut_in_messages(void **state) {
  (void)state;
  char text[201], quoted[TOKEN_QUOTE];
  memset(text, 'a', 200);
  text[200] = 0;
  Reader r;
  begin(&r, text);
  assert_true(strlen(token_quote(&r.token, quoted)) < TOKEN_QUOTE);
  assert_non_null(strstr(quoted, "aaa...'"));
  done(&r);
  begin(&r, "\"text\"");
  assert_string_equal(token_quote(&r.token, quoted), "a string");
  done(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_symbol_and_keyword_reads_as_itself),
      cmocka_unit_test(tokens_need_no_blanks_between_them),
      cmocka_unit_test(equal_names_are_one_pointer),
      cmocka_unit_test(many_names_stay_apart),
      cmocka_unit_test(places_count_lines_and_characters),
      cmocka_unit_test(numbers_have_the_forms_of_modelica),
      cmocka_unit_test(printed_numbers_read_back_exactly),
      cmocka_unit_test(strings_are_decoded),
      cmocka_unit_test(quoted_names_keep_their_quotes),
      cmocka_unit_test(comments_and_blanks_are_skipped),
      cmocka_unit_test(errors_name_the_thing_and_its_place),
      cmocka_unit_test(after_an_error_the_text_ends),
      cmocka_unit_test(names_have_a_greatest_length),
      cmocka_unit_test(a_copy_of_the_lexer_looks_ahead),
      cmocka_unit_test(long_tokens_are_cut_in_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
