#include "base/record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/patience.h"

static _Thread_local RecordPlace here;

void record_begin(Record *r) {
  assert(!here.record);
  here = (RecordPlace){.record = r, .item = -1, .job = -1};
  r->cut = false;
  patience_forget_cut();
}

void record_end(Record *r) {
  assert(here.record == r);
  here = (RecordPlace){0};
}

static bool is_cut(Record *r) {
  if (patience_was_cut()) r->cut = true;
  return r->cut;
}

Record *record_here(void) {
  return here.record && here.item < 0 && !is_cut(here.record) ? here.record : NULL;
}

int64_t record_next(Record *r) {
  int64_t item = r->next++;
  if (r->follows && !r->gate(r, item)) return -1;
  return item;
}

// ---------------------------------------------------------------- items

// What stands before the bytes of an answer.
typedef struct ItemHead {
  uint64_t inside; // numbers that were used up by items inside of it
} ItemHead;

RecordAsked record_ask(RecordItem *item, const char *kind, uint64_t digest, Text *answer) {
  Record *r = record_here();
  *item = (RecordItem){.record = r, .kind = kind, .digest = digest};
  if (!r) return RECORD_COMPUTE;
  item->number = record_next(r);
  if (item->number < 0) return RECORD_STOP;
  item->began = patience_clock();
  Text found;
  text_init(&found);
  RecordAsked asked = RECORD_COMPUTE;
  switch (r->look(r, item->number, kind, digest, &found)) {
  case RECORD_NOTHING: break;
  case RECORD_ANSWER:
    if (found.length < sizeof(ItemHead)) break;
    ItemHead head;
    memcpy(&head, found.at, sizeof head);
    r->next += (int64_t)head.inside;
    text_add_bytes(answer, found.at + sizeof head, found.length - sizeof head);
    asked = RECORD_KNOWN;
    break;
  case RECORD_SET:
  case RECORD_OVER: asked = RECORD_STOP; break;
  }
  text_done(&found);
  return asked;
}

double record_item_seconds(const RecordItem *item) {
  return item->record ? patience_clock() - item->began : 0;
}

void record_tell(const RecordItem *item, const void *bytes, size_t length) {
  Record *r = item->record;
  if (!r || is_cut(r)) return;
  ItemHead head = {(uint64_t)(r->next - item->number - 1)};
  Text whole;
  text_init(&whole);
  text_add_bytes(&whole, (const char *)&head, sizeof head);
  text_add_bytes(&whole, bytes, length);
  r->add(r, item->number, item->kind, item->digest, record_item_seconds(item), whole.at,
         whole.length);
  text_done(&whole);
}

double record_seconds(double measured) {
  RecordItem item;
  Text answer;
  text_init(&answer);
  double seconds = measured;
  if (record_ask(&item, "seconds", 1, &answer) == RECORD_COMPUTE)
    record_tell(&item, &seconds, sizeof seconds);
  else if (answer.length == sizeof seconds)
    memcpy(&seconds, answer.at, sizeof seconds);
  text_done(&answer);
  return seconds;
}

// ---------------------------------------------------------------- places

RecordPlace record_enter(Record *r, int64_t item, long job) {
  RecordPlace before = here;
  here = (RecordPlace){.record = r, .item = item, .job = job};
  return before;
}

RecordPlace record_enter_nothing(void) {
  RecordPlace before = here;
  here = (RecordPlace){0};
  return before;
}

void record_leave(RecordPlace before) {
  here = before;
}

bool record_next_part(RecordPlace *out) {
  if (!here.record) return false;
  *out = here;
  if (here.item >= 0) {
    here.part++;
    return true;
  }
  if (is_cut(here.record)) return false;
  out->item = record_next(here.record);
  return out->item >= 0;
}

// ---------------------------------------------------------------- packing

// A byte below 128: so many bytes + 1 follow as they are. From 128 on: a run of zeros; its length less 2 is a number to the
// base 128, the lowest digit first: 6 bits here, 7 bits in each byte that follows while the bit above them is set.
enum { PLAIN_MOST = 128, ZEROS_LEAST = 2 };
static const size_t LONGEST = (size_t)1 << 31; // bytes of an answer

static void put_zeros(Text *to, size_t count) {
  size_t rest = count - ZEROS_LEAST;
  char c = (char)(0x80 | (rest & 0x3f) | (rest >> 6 ? 0x40 : 0));
  text_add_bytes(to, &c, 1);
  for (rest >>= 6; rest;) {
    c = (char)((rest & 0x7f) | (rest >> 7 ? 0x80 : 0));
    text_add_bytes(to, &c, 1);
    rest >>= 7;
  }
}

static void put_plain(Text *to, const char *bytes, size_t count) {
  while (count) {
    size_t some = count < PLAIN_MOST ? count : PLAIN_MOST;
    char c = (char)(some - 1);
    text_add_bytes(to, &c, 1);
    text_add_bytes(to, bytes, some);
    bytes += some;
    count -= some;
  }
}

void record_pack(Text *to, const void *bytes, size_t length) {
  const char *at = bytes;
  size_t plain = 0, i = 0;
  while (i < length) {
    size_t zeros = 0;
    while (i + zeros < length && at[i + zeros] == 0) zeros++;
    // A short run inside of other bytes costs more than it saves.
    if (zeros > ZEROS_LEAST || (zeros == ZEROS_LEAST && plain == i)) {
      put_plain(to, at + plain, i - plain);
      put_zeros(to, zeros);
      i += zeros;
      plain = i;
    } else {
      i += zeros ? zeros : 1;
    }
  }
  put_plain(to, at + plain, length - plain);
}

// Unpacks into `to`, or only counts. The number of bytes; SIZE_MAX: they are damaged, or more than `room`.
static size_t unpack(const unsigned char *from, const unsigned char *end, char *to, size_t room) {
  size_t length = 0;
  while (from < end) {
    unsigned char c = *from++;
    size_t count = (size_t)c + 1;
    bool plain = c < 0x80;
    if (!plain) {
      count = c & 0x3f;
      bool more = c & 0x40;
      for (int shift = 6; more; shift += 7) {
        if (from == end || shift > 48) return SIZE_MAX;
        count |= (size_t)(*from & 0x7f) << shift;
        more = *from++ & 0x80;
      }
      count += ZEROS_LEAST;
    }
    if ((plain && (size_t)(end - from) < count) || room - length < count) return SIZE_MAX;
    if (to && plain) memcpy(to + length, from, count);
    if (to && !plain) memset(to + length, 0, count);
    if (plain) from += count;
    length += count;
  }
  return length;
}

size_t record_unpacked_length(const void *packed, size_t packed_length) {
  const unsigned char *from = packed;
  size_t length = unpack(from, from + packed_length, NULL, LONGEST);
  return length == SIZE_MAX ? 0 : length;
}

bool record_unpack(const void *packed, size_t packed_length, void *bytes, size_t length) {
  const unsigned char *from = packed;
  return unpack(from, from + packed_length, bytes, length) == length;
}

bool record_unpack_whole(Text *to, const void *packed, size_t packed_length) {
  Arena *a = arena_new();
  size_t length = record_unpacked_length(packed, packed_length);
  char *bytes = arena_alloc(a, 1, length + 1);
  bool done = record_unpack(packed, packed_length, bytes, length);
  if (done) text_add_bytes(to, bytes, length);
  arena_free(a);
  return done;
}

// ---------------------------------------------------------------- columns

double record_value(const RecordColumn *c, const void *run) {
  const char *at = (const char *)run + c->offset;
  switch (c->type) {
  case RECORD_REAL: {
    double v;
    memcpy(&v, at, sizeof v);
    return v;
  }
  case RECORD_INT: {
    int v;
    memcpy(&v, at, sizeof v);
    return v;
  }
  case RECORD_LONG: {
    long v;
    memcpy(&v, at, sizeof v);
    return (double)v;
  }
  case RECORD_BOOL: return *at != 0;
  }
  return nan("");
}

void record_summarise(const RecordLayout *layout, const void *answer, RecordedJob *job) {
  job->best = nan("");
  for (int k = 0; k < layout->column_count; k++) {
    const RecordColumn *c = &layout->columns[k];
    bool objective = strcmp(c->name, "objective") == 0, outcome = strcmp(c->name, "outcome") == 0;
    for (int i = 0; (objective || outcome) && i < job->runs; i++) {
      double v = record_value(c, (const char *)answer + layout->first + (size_t)i * layout->stride);
      if (objective && isfinite(v) && !(v >= job->best)) job->best = v;
      if (outcome && v >= 0 && v < RECORD_WORDS) job->ended[(int)v]++;
    }
  }
}

bool record_word(const char *words, int at, char out[40]) {
  out[0] = 0;
  if (at < 0) return false;
  while (words && at-- > 0) {
    words = strchr(words, ' ');
    if (words) words++;
  }
  if (!words) return false;
  size_t length = strcspn(words, " ");
  if (length > 39) length = 39;
  memcpy(out, words, length);
  out[length] = 0;
  return length > 0;
}

// A line with kind, first, stride; then a line for each column: name, type, offset, words. Names hold no tab and no newline.
void record_layout_print(const RecordLayout *l, Text *to) {
  text_print(to, "%s\t%zu\t%zu\n", l->kind, l->first, l->stride);
  for (int k = 0; k < l->column_count; k++)
    text_print(to, "%s\t%d\t%zu\t%s\n", l->columns[k].name, (int)l->columns[k].type,
               l->columns[k].offset, l->columns[k].words ? l->columns[k].words : "");
}

// The next field of a line, up to the tab or newline that ends it; NULL: there is none.
static char *field(Arena *a, const char **at, char end) {
  const char *stop = strchr(*at, end);
  if (!stop) return NULL;
  char *copy = arena_copy(a, *at, (size_t)(stop - *at));
  *at = stop + 1;
  return copy;
}

const RecordLayout *record_layout_parse(Arena *a, const char *text) {
  const char *kind = field(a, &text, '\t'), *first = kind ? field(a, &text, '\t') : NULL;
  const char *stride = first ? field(a, &text, '\n') : NULL;
  if (!stride) return NULL;
  int lines = 0;
  for (const char *at = text; *at; at++) lines += *at == '\n';
  RecordLayout *l = ARENA_NEW(a, RecordLayout);
  RecordColumn *columns = ARENA_ARRAY(a, RecordColumn, lines + 1);
  *l = (RecordLayout){kind, strtoul(first, NULL, 10), strtoul(stride, NULL, 10), columns, lines};
  for (int k = 0; k < lines; k++) {
    const char *name = field(a, &text, '\t'), *type = name ? field(a, &text, '\t') : NULL;
    const char *offset = type ? field(a, &text, '\t') : NULL;
    const char *words = offset ? field(a, &text, '\n') : NULL;
    if (!words) return NULL;
    columns[k] = (RecordColumn){name, (RecordType)(type[0] - '0'), strtoul(offset, NULL, 10),
                                words[0] ? words : NULL};
  }
  return l;
}

// ---------------------------------------------------------------- digests

uint64_t record_digest(uint64_t before, const void *bytes, size_t length) {
  uint64_t hash = before ? before : 14695981039346656037u;
  for (const unsigned char *at = bytes, *end = at + length; at < end; at++)
    hash = (hash ^ *at) * 1099511628211u;
  return hash ? hash : 1;
}
