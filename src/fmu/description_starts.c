#include "fmu/description_starts.h"

#include <math.h>
#include <string.h>

static const char BLANKS[] = " \t\r\n";

static int count_words(const char *text) {
  int count = 0;
  for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
    text += strcspn(text, BLANKS);
    count++;
  }
  return count;
}

static const char *wanted(FmuType type) {
  return type == FMU_BOOLEAN ? "true or false" : type == FMU_REAL ? "a number" : "a whole number";
}

static bool value_of(const FmuTypeRow *row, const char *word, double *value) {
  bool flag;
  if (row->type == FMU_BOOLEAN) {
    bool right = reading_is_flag(word, &flag);
    *value = flag;
    return right;
  }
  if (!reading_is_number(word, value)) return false;
  return row->type == FMU_REAL || *value == floor(*value);
}

// The word of a list that begins here, as a number. Words that are too long are none.
static double read_value(DescriptionReader *r, const Declared *d, const char *text, size_t length) {
  char word[64] = "";
  double value = 0;
  if (length < sizeof word) memcpy(word, text, length);
  if (!value_of(d->row, word, &value))
    reading_fail(r, d->typed, ERR_SYNTAX, "start '%.*s' is not %s", length < 60 ? (int)length : 60,
                 text, wanted(d->row->type));
  else if (value < d->row->least || value > d->row->most)
    reading_fail(r, d->typed, ERR_VALUE, "start %.*s is outside of what %s can hold, %.0f to %.0f",
                 (int)length, text, d->row->word, d->row->least, d->row->most);
  return value;
}

static FmuStarts read_numbers(DescriptionReader *r, const Declared *d) {
  FmuStarts s = {0};
  const char *text = xml_attribute(d->typed, "start");
  if (!text) return s;
  int count = count_words(text);
  if (count != 1 && count != d->count) return (FmuStarts){.count = count};
  double *numbers = ARENA_ARRAY(r->scratch, double, count);
  for (text += strspn(text, BLANKS); *text && !reading_failed(r); text += strspn(text, BLANKS)) {
    size_t length = strcspn(text, BLANKS);
    numbers[s.count++] = read_value(r, d, text, length);
    text += length;
  }
  s.numbers = numbers;
  return s;
}

// FMI 2: the attribute start; FMI 3: elements Start.
static FmuStarts read_texts(DescriptionReader *r, const Declared *d) {
  ARRAY(const char *) texts = {0};
  if (r->d->fmi == 2 && xml_attribute(d->typed, "start"))
    array_push(r->scratch, &texts, reading_text(r, d->typed, "start"));
  for (const XmlElement *e = d->typed->first; r->d->fmi == 3 && e; e = e->next)
    if (strcmp(e->name, "Start") == 0) array_push(r->scratch, &texts, reading_text(r, e, "value"));
  return (FmuStarts){.count = texts.count, .texts = texts.at};
}

FmuStarts starts_read(DescriptionReader *r, const Declared *d) {
  FmuType type = d->row->type;
  if (type == FMU_CLOCK) return (FmuStarts){0};
  bool is_text = type == FMU_STRING || type == FMU_BINARY;
  FmuStarts s = is_text ? read_texts(r, d) : read_numbers(r, d);
  bool given = is_text ? s.count > 0 : xml_attribute(d->typed, "start") != NULL;
  if (given && s.count != 1 && s.count != d->count)
    reading_fail(r, d->typed, ERR_VALUE, "there are %d start values for %d element%s", s.count,
                 d->count, d->count == 1 ? "" : "s");
  return s;
}

void starts_apply(const FmuStarts *s, int element, FmuVariable *v) {
  if (s->count == 0) return;
  int i = s->count == 1 ? 0 : element;
  v->has_start = true;
  if (s->numbers)
    v->start = s->numbers[i];
  else
    v->start_text = s->texts[i];
}
