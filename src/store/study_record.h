// The record of a study (base/record.h) in a store.
//
// One participant leads: it asks the questions in their order. The others follow: they wait at a question until there is a
// set of jobs ahead, then come there by the answers that are recorded, and work on its jobs. Whoever leads may leave or die:
// one of the others takes its place. Two leaders, one of whom had been thought dead, do no harm: they record the same.
#pragma once
#include "base/record.h"
#include "store/participant.h"

typedef struct StudyRecord StudyRecord;

typedef struct JoinRequest {
  bool wants_result; // it stays until the study is done, and has all answers then; else it leaves
} JoinRequest;

// The participant must outlive it.
StudyRecord *study_join(Participant *p, int64_t study, const JoinRequest *request, Err *err);
// How the study ended, where this participant led it. NULL: it has not, and others go on.
typedef struct StudyEnd {
  StudyState state;
  const char *note; // "" or NULL: nothing to say
} StudyEnd;
void study_leave(StudyRecord *r, const StudyEnd *end);
Record *study_record(StudyRecord *r);
// Why it cannot go on: the store failed, or answers another question than the study asks here. false: it can.
bool study_has_failed(const StudyRecord *r, Err *err);
bool study_is_over(
    const StudyRecord *r); // it has failed, or there is nothing left to do for a follower
double study_seconds(const StudyRecord *r); // of work on it by those who led it before
// What is computed while it waits: one simulation for somebody else. Returns whether there was one. NULL: nothing.
void study_serve(StudyRecord *r, bool (*serve)(void *data), void *data);

// Kinds of sets whose jobs are the runs of a study; others are parts of a search. Jobs of the first only.
#define RUN_KINDS "kind IN ('start', 'trial', 'side', 'point')"
#define RUN_JOBS_SQL(study)                                                                        \
  "JOIN item ON item.study = " study                                                               \
  " AND item.number = ((job.id >> 24) & 67108863) AND item." RUN_KINDS " "

enum { STUDY_BEST = 1000 }; // how many of the best jobs of a study that is done are listed
#define STUDY_BEST_SQL "1000"

int64_t job_id(int64_t study, int64_t item, long job);
int64_t job_item(int64_t id);
