// The record of a study: answers to the questions of a long computation, kept outside of this process. With it a study goes on
// after its process has died, and several processes on several machines work on it.
//
// A study is deterministic: whoever runs it asks the same questions in the same order. So a question is known by its number.
// Whoever comes to it takes the answer that is there, or computes and adds it. There are two kinds:
//   - an item: one answer, computed by whoever leads the study (base/record);
//   - a set of jobs (base/jobs.h): handed out to all who take part.
// An item may be left out where it is cheaper to compute it again; its number is used up all the same.
//
// A Record is begun around a computation, in its thread, as a Patience is. Other threads and fibers have none, but for jobs
// whose parts are recorded (record_enter_job).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"

typedef enum RecordType { RECORD_REAL, RECORD_INT, RECORD_LONG, RECORD_BOOL } RecordType;

typedef struct RecordColumn { // a number in an answer that people want to see
  const char *name;           // "objective" decides which run is the best
  RecordType type;
  size_t offset;     // in the bytes of a run
  const char *words; // what integers mean: "converged uncertain ..."; NULL: numbers
} RecordColumn;

typedef struct RecordLayout { // where runs stand in an answer
  const char *kind;           // what a run is: "start", "trial", "side", "point"
  size_t first, stride;       // bytes before the first run, bytes of each
  const RecordColumn *columns;
  int column_count;
} RecordLayout;

typedef struct RecordSet { // a set of jobs, as it is entered
  const RecordLayout *layout;
  long count;
  long runs;       // in all of them
  bool brief;      // it may end before its last job
  uint64_t digest; // of the questions
} RecordSet;

enum { RECORD_WORDS = 24 }; // of a column "outcome", at most

typedef struct RecordedJob {
  long number;
  long first; // number of its first run
  int runs;
  double seconds;
  double best;             // the least objective of its runs; NaN: there is none
  int ended[RECORD_WORDS]; // runs by the word of their column "outcome"
  const void *bytes;       // packed
  size_t length;
  const char *lost; // why there is no answer; NULL: there is one
} RecordedJob;

typedef struct RecordClaim { // jobs first .. first + count - 1
  int64_t id;
  long first;
  int count;
  int tries; // how often they were begun before and not ended
  bool copy; // somebody else has them and takes long: the first answer counts
} RecordClaim;

typedef bool RecordTake(void *data, const RecordedJob *job); // false: no more

typedef enum RecordState {
  RECORD_NOTHING, // nothing is recorded, and the record takes what is found
  RECORD_ANSWER,  // it is an item
  RECORD_SET,     // it is a set of jobs
  RECORD_OVER,    // the study has failed, or patience is over
} RecordState;

typedef struct Record Record;
struct Record {
  // All functions may be called from several threads. Where the store does not answer they wait, until patience is over.
  //
  // What is recorded under this number; an answer is appended. kind and digest must be those that were recorded.
  RecordState (*look)(Record *r, int64_t item, const char *kind, uint64_t digest, Text *answer);
  // The answer of an item. It may be written a moment later.
  void (*add)(Record *r, int64_t item, const char *kind, uint64_t digest, double seconds,
              const void *bytes, size_t length);

  // How many times longer than one alone everybody shall work between two visits of the store: all together must not ask too often.
  double (*pace)(Record *r);
  bool (*open_set)(Record *r, int64_t item, const RecordSet *set); // false: over
  // Up to `most` jobs. false: there are none at present.
  bool (*claim)(Record *r, int64_t item, int most, RecordClaim *claim);
  // The answers to the first `count` jobs of a claim; the others are given back.
  void (*commit)(Record *r, int64_t item, const RecordLayout *layout, const RecordClaim *claim,
                 const RecordedJob *jobs, int count);
  // Answers from job `from` on, without a gap. Returns the number of the next one.
  long (*read)(Record *r, int64_t item, long from, RecordTake *take, void *data);
  void (*close_set)(Record *r, int64_t item); // nothing more of it is wanted
  // Waits for news, a moment at most.
  void (*wait)(Record *r);

  // Parts of a job or of an item (job -1): single simulations that take long.
  bool (*look_part)(Record *r, int64_t item, long job, long part, Text *answer);
  void (*add_part)(Record *r, int64_t item, long job, long part, double seconds, const void *bytes,
                   size_t length);

  bool (*gate)(Record *r,
               int64_t item); // of one who follows: waits until there is work from this item on
  bool cut;                   // the clock or a user has ended something: nothing more is recorded
  bool follows;               // somebody else leads the study
  int64_t next;               // number of the next item
};

// Where nothing ended it before (patience_was_cut), what is asked from now on in this thread is recorded.
void record_begin(Record *r); // keeps the pointer until record_end
void record_end(Record *r);

// The record of this thread, NULL: there is none. Inside of items and jobs: NULL. Once the clock or a user has ended
// something: NULL, because what is asked then belongs to no other run of the study.
Record *record_here(void);
// The number of the next item. -1: the study is over.
int64_t record_next(Record *r);

// ---- items

typedef struct RecordItem { // a question that is asked
  Record *record;           // NULL: nothing is recorded here
  int64_t number;
  const char *kind; // kept
  uint64_t digest;
  double began; // s of the clock
} RecordItem;

typedef enum RecordAsked {
  RECORD_COMPUTE, // compute it, then record_tell
  RECORD_KNOWN,   // the answer was appended
  RECORD_STOP,    // the study is over
} RecordAsked;

// Items may be asked inside of an item: where the outer one is known, those inside are not asked.
RecordAsked record_ask(RecordItem *item, const char *kind, uint64_t digest, Text *answer);
// How long it took since record_ask; 0 where nothing is recorded.
double record_item_seconds(const RecordItem *item);
void record_tell(const RecordItem *item, const void *bytes, size_t length);
// A time that was measured and becomes part of a result: that of the first run of the study is recorded.
double record_seconds(double measured);

typedef struct RecordPlace {
  Record *record; // NULL: nothing is recorded here
  int64_t item;   // -1: where items are asked
  long job;       // -1: the item itself
  long part;      // number of the next part
} RecordPlace;
// Around the computation of an item (job -1) or of a job: what is asked inside are its parts. Returns what it was.
RecordPlace record_enter(Record *r, int64_t item, long job);
RecordPlace record_enter_nothing(void); // nothing is recorded inside
void record_leave(RecordPlace before);
// Where the next part belongs. false: parts are not recorded here.
bool record_next_part(RecordPlace *out);

// Bytes with runs of zeros taken out. Appends; unpacking fills `length` bytes. false: the packed bytes are damaged.
void record_pack(Text *to, const void *bytes, size_t length);
size_t record_unpacked_length(const void *packed, size_t packed_length);
bool record_unpack(const void *packed, size_t packed_length, void *bytes, size_t length);
// Appends as many as there are.
bool record_unpack_whole(Text *to, const void *packed, size_t packed_length);

// The numbers of people's columns: best and ended of a job with this answer.
void record_summarise(const RecordLayout *layout, const void *answer, RecordedJob *job);
// A number in the bytes of a run.
double record_value(const RecordColumn *column, const void *run);
// Word number `at` of a list with blanks between; false: there is none.
bool record_word(const char *words, int at, char out[40]);

// A layout as text, and back; NULL: the text is none.
void record_layout_print(const RecordLayout *layout, Text *to);
const RecordLayout *record_layout_parse(Arena *a, const char *text);

uint64_t record_digest(uint64_t before, const void *bytes, size_t length); // FNV-1a; begin with 0
