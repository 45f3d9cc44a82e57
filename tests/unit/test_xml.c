#include "fmu/xml.h"

#include <string.h>

#include "base/text.h"
#include "test.h"

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

static const char *const SKIPPED[] = {"Annotations", NULL};

static XmlElement *parse(void **state, const char *text) {
  Err err = {0};
  XmlElement *e = xml_parse(*state, "a.xml", text, strlen(text), SKIPPED, &err);
  if (!e) print_error("%d:%d: %s\n", err.line, err.column, err.text);
  assert_non_null(e);
  return e;
}

static void assert_fails(void **state, const char *text, size_t length, int line, int column,
                         ErrCode code, const char *why) {
  Err err = {0};
  assert_null(xml_parse(*state, "a.xml", text, length, SKIPPED, &err));
  assert_string_equal(err.text, why);
  assert_int_equal(err.code, code);
  assert_int_equal(err.line, line);
  assert_int_equal(err.column, column);
  assert_string_equal(err.file, "a.xml");
}

static void elements_have_attributes_children_and_places(void **state) {
  const XmlElement *e = parse(state, "<?xml version='1.0'?>\n<a x='1' y='&lt;&#228;'>\n  <b/> text"
                                     "\n  <c z='2'><d/></c>\n</a>");
  assert_string_equal(e->name, "a");
  assert_string_equal(xml_attribute(e, "x"), "1");
  assert_string_equal(xml_attribute(e, "y"), "<\xc3\xa4");
  assert_null(xml_attribute(e, "z"));
  const XmlElement *c = xml_child(e, "c");
  assert_ptr_equal(e->first->next, c);
  assert_null(c->next);
  assert_int_equal(c->line, 4);
  assert_int_equal(c->column, 3);
  assert_string_equal(xml_child(c, "d")->name, "d");
  assert_null(xml_child(e, "d"));
  assert_null(xml_child(NULL, "d"));
}

static void skipped_elements_are_left_out_with_all_inside(void **state) {
  const XmlElement *e =
      parse(state, "<a><Annotations><b><Annotations/></b></Annotations><c/><Annotations/><d/></a>");
  assert_string_equal(e->first->name, "c");
  assert_string_equal(e->first->next->name, "d");
  assert_null(e->first->next->next);
  assert_string_equal(parse(state, "<Annotations/>")->name, "Annotations"); // the root stays
}

static void encodings_of_the_declaration_are_followed(void **state) {
  const XmlElement *e = parse(state, "<?xml version='1.0' encoding='ISO-8859-1'?><a x='\xe4'/>");
  assert_string_equal(xml_attribute(e, "x"), "\xc3\xa4");
  const char *bad = "<a>\n<b x='\xe4'/></a>";
  assert_fails(state, bad, strlen(bad), 2, 7, ERR_SYNTAX,
               "this is not well-formed XML: not well-formed (invalid token)");
}

static void mistakes_are_reported_with_their_place(void **state) {
  const char *texts[] = {"<a>\n <b></c></a>", "<a x='1' x='2'/>", "", "<a/><b/>", "<a>&no;</a>"};
  const char *why[] = {"mismatched tag", "duplicate attribute", "no element found",
                       "junk after document element", "undefined entity"};
  const int line[] = {2, 1, 1, 1, 1}, column[] = {7, 10, 1, 5, 4};
  for (int i = 0; i < 5; i++)
    assert_fails(state, texts[i], strlen(texts[i]), line[i], column[i], ERR_SYNTAX,
                 arena_print(*state, "this is not well-formed XML: %s", why[i]));
}

// Entities that expand to entities grow without limit; files that they name are not read.
static void document_types_and_entities_are_refused(void **state) {
  const char *texts[] = {
      "<!DOCTYPE a>\n<a/>",
      "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
      "<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;&b;'>]><a x='&c;'>&c;</a>",
      "<!DOCTYPE a [<!ENTITY b SYSTEM '/etc/passwd'>]><a>&b;</a>",
      "<!DOCTYPE a [<!ENTITY % p SYSTEM 'http://x/y'> %p;]><a/>",
  };
  for (int i = 0; i < 5; i++) {
    Err err = {0};
    assert_null(xml_parse(*state, "a.xml", texts[i], strlen(texts[i]), NULL, &err));
    assert_string_equal(err.text,
                        "a document type (<!DOCTYPE) and entity declarations are not allowed");
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    assert_int_equal(err.line, 1);
  }
}

static void nesting_is_limited(void **state) {
  for (int over = 0; over < 2; over++) {
    Text t;
    text_init(&t);
    for (int i = 0; i < XML_DEPTH_MOST + over; i++) text_add(&t, "<a>");
    for (int i = 0; i < XML_DEPTH_MOST + over; i++) text_add(&t, "</a>");
    if (over)
      assert_fails(state, t.at, t.length, 1, 3 * XML_DEPTH_MOST + 1, ERR_LIMIT,
                   "more than 100 elements inside each other");
    else
      parse(state, t.at);
    text_done(&t);
  }
}

static void attributes_are_limited(void **state) {
  for (int over = 0; over < 2; over++) {
    size_t length = XML_VALUE_MOST + 9 + (size_t)over; // with <a x=''/>
    char *text = arena_alloc_raw(*state, length + 1, 1);
    memset(text, 'x', length);
    memcpy(text, "<a x='", 6);
    memcpy(text + length - 3, "'/>", 4);
    if (over)
      assert_fails(state, text, length, 1, 1, ERR_LIMIT, "an attribute has more than 64 MiB");
    else
      parse(state, text);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(elements_have_attributes_children_and_places),
      TEST(skipped_elements_are_left_out_with_all_inside),
      TEST(encodings_of_the_declaration_are_followed),
      TEST(mistakes_are_reported_with_their_place),
      TEST(document_types_and_entities_are_refused),
      TEST(nesting_is_limited),
      TEST(attributes_are_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
