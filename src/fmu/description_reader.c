#include "fmu/description_reader.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

bool reading_fail(DescriptionReader *r, const XmlElement *e, ErrCode code, const char *format,
                  ...) {
  va_list args;
  va_start(args, format);
  fail_args(r->err, code, (Place){r->file, e->line, e->column}, format, args);
  va_end(args);
  return false;
}

const char *reading_text(DescriptionReader *r, const XmlElement *e, const char *name) {
  const char *value = xml_attribute(e, name);
  return value ? arena_copy(r->arena, value, strlen(value)) : "";
}

bool reading_is_number(const char *text, double *value) {
  return number_parse(text, value);
}

double reading_number(DescriptionReader *r, const XmlElement *e, const char *name,
                      double otherwise) {
  const char *text = xml_attribute(e, name);
  double value;
  if (!text) return otherwise;
  if (reading_is_number(text, &value)) return value;
  reading_fail(r, e, ERR_SYNTAX, "%s '%.60s' is not a number", name, text);
  return otherwise;
}

// The text without blanks around it equals the word.
static bool is_word(const char *text, const char *word) {
  size_t length = strlen(word);
  text += strspn(text, " \t\r\n");
  return strncmp(text, word, length) == 0 && !text[length + strspn(text + length, " \t\r\n")];
}

bool reading_is_flag(const char *text, bool *value) {
  *value = is_word(text, "true") || is_word(text, "1");
  return *value || is_word(text, "false") || is_word(text, "0");
}

bool reading_flag(DescriptionReader *r, const XmlElement *e, const char *name, bool otherwise) {
  const char *text = xml_attribute(e, name);
  bool value;
  if (!text) return otherwise;
  if (reading_is_flag(text, &value)) return value;
  reading_fail(r, e, ERR_SYNTAX, "%s '%.60s' must be true or false", name, text);
  return otherwise;
}

int reading_word(DescriptionReader *r, const XmlElement *e, const char *name,
                 const char *const *words, int otherwise) {
  const char *text = xml_attribute(e, name);
  if (!text) return otherwise;
  for (int i = 0; words[i]; i++)
    if (is_word(text, words[i])) return i;
  Text list;
  text_init(&list);
  for (int i = 0; words[i]; i++)
    text_print(&list, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
  reading_fail(r, e, ERR_VALUE, "%s '%.60s' is unknown; it must be %s", name, text, list.at);
  text_done(&list);
  return otherwise;
}

bool reading_count(DescriptionReader *r, const XmlElement *e, const char *name, double most,
                   double *value) {
  const char *text = xml_attribute(e, name);
  if (!text) return false;
  if (reading_is_number(text, value) && *value >= 0 && *value <= most && *value == floor(*value))
    return true;
  return reading_fail(r, e, ERR_VALUE, "%s '%.60s' must be a whole number from 0 to %.0f", name,
                      text, most);
}

double reading_required_count(DescriptionReader *r, const XmlElement *e, const char *name,
                              double most) {
  double value = 0;
  if (!reading_count(r, e, name, most, &value))
    reading_fail(r, e, ERR_SYNTAX, "%.60s needs the attribute %s", e->name, name);
  return value;
}
