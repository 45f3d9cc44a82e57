#include "closed/closed_runs.h"

#include <string.h>

#include "base/jobs.h"
#include "closed/call_message.h"

// A job: the number of its call. The answer is a message, with its length in front.
typedef struct RunJob {
  long call;
  uint64_t digest; // of the parameters
  long stopped;    // it was not worked on to its end
} RunJob;

typedef struct RunSet {
  ClosedSimulator *simulator;
  const SimulatorCall *const *calls;
  SimulatorAnswer *const *answers;
  size_t room; // bytes of a message, at most
} RunSet;

static uint64_t digest_of(const SimulatorCall *c) {
  size_t n = (size_t)c->parameter_count;
  uint64_t digest = record_digest(0, c->parameters, n * sizeof *c->parameters);
  int about[] = {c->count, c->variable_count, c->slope_count, c->experiment};
  return record_digest(digest, about, sizeof about);
}

static size_t room_of(const SimulatorCall *c) {
  size_t numbers = (size_t)c->count * (size_t)c->variable_count * (1 + (size_t)c->slope_count);
  return (numbers + (size_t)c->slope_count) * sizeof(double) + sizeof(SimulatorAnswer) + 256;
}

// ---------------------------------------------------------------- several

typedef struct RunAnswer {
  size_t length;
  char bytes[];
} RunAnswer;

static RunAnswer *answer_of(const void *job) {
  return (RunAnswer *)((RunJob *)job + 1);
}

static void make_run(void *data, long number, void *job) {
  const RunSet *s = data;
  *(RunJob *)job = (RunJob){.call = number, .digest = digest_of(s->calls[number])};
}

static void *begin_worker(const void *shared) {
  return (void *)shared;
}

static void work(void *own, void *data) {
  const RunSet *s = own;
  RunJob *job = data;
  RunAnswer *to = answer_of(job);
  const SimulatorCall *call = s->calls[job->call];
  Arena *a = arena_new();
  Message m;
  message_init(&m);
  SimulatorAnswer *answer = simulator_answer_new(a, call);
  s->simulator->run_all(s->simulator, &call, &answer, 1);
  job->stopped = answer->outcome == OUTCOME_STOPPED;
  simulator_answer_put(&m, call, answer);
  if (m.length <= s->room) {
    to->length = m.length;
    memcpy(to->bytes, m.at, m.length);
  }
  message_done(&m);
  arena_free(a);
}

static bool is_done(const void *job) {
  return !((const RunJob *)job)->stopped;
}

static bool read_answer(const SimulatorCall *call, const char *bytes, size_t length,
                        SimulatorAnswer *to) {
  Message m;
  message_init(&m);
  put_bytes(&m, bytes, length);
  bool done = simulator_answer_get(&m, call, to);
  message_done(&m);
  return done;
}

static bool take(void *data, long number, const void *job) {
  const RunSet *s = data;
  const RunAnswer *from = answer_of(job);
  SimulatorAnswer *to = s->answers[number];
  return read_answer(s->calls[number], from->bytes, from->length, to) &&
         to->outcome != OUTCOME_STOPPED;
}

static const RecordLayout RUNS = {"run", 0, 0, NULL, 0};

static void run_shared(ClosedSimulator *s, const SimulatorCall *const *calls,
                       SimulatorAnswer *const *answers, int count) {
  RunSet set = {s, calls, answers, 0};
  for (int i = 0; i < count; i++) {
    size_t room = room_of(calls[i]);
    if (room > set.room) set.room = room;
    answer_end(answers[i], OUTCOME_STOPPED, 0, "it was stopped before it began");
  }
  JobKind kind = {
      .worker = {sizeof(RunJob) + sizeof(RunAnswer) + set.room, begin_worker, NULL, work, &set},
      .question = sizeof(RunJob),
      .is_done = is_done,
      .layout = &RUNS};
  int threads = s->workers ? workers_most(s->workers) : 1;
  Jobs *jobs = jobs_new(threads < count ? threads : count, &kind);
  jobs_expect(jobs, s->seconds_per_run);
  jobs_run(jobs, &(JobSet){count, 0, false, make_run, take, &set});
  s->seconds_per_run = jobs_expected(jobs);
  jobs_free(jobs);
}

// ---------------------------------------------------------------- one

static const double KEEP_SECONDS = 0.02; // runs that take less are made again

static void run_one(ClosedSimulator *s, const SimulatorCall *const *calls,
                    SimulatorAnswer *const *answers) {
  RecordItem item;
  Text known;
  text_init(&known);
  switch (record_ask(&item, "run", digest_of(calls[0]), &known)) {
  case RECORD_COMPUTE: {
    s->run_all(s, calls, answers, 1);
    if (answers[0]->outcome == OUTCOME_STOPPED || record_item_seconds(&item) < KEEP_SECONDS) break;
    Message m;
    message_init(&m);
    simulator_answer_put(&m, calls[0], answers[0]);
    record_tell(&item, m.at, m.length);
    message_done(&m);
    break;
  }
  case RECORD_KNOWN:
    if (read_answer(calls[0], known.at, known.length, answers[0])) break;
    answer_end(answers[0], OUTCOME_BAD_OUTPUT, 0, "what is recorded of the run is damaged");
    break;
  case RECORD_STOP: answer_end(answers[0], OUTCOME_STOPPED, 0, "the study is over"); break;
  }
  text_done(&known);
}

void closed_runs(ClosedSimulator *s, const SimulatorCall *const *calls,
                 SimulatorAnswer *const *answers, int count) {
  if (!record_here())
    s->run_all(s, calls, answers, count);
  else if (count == 1)
    run_one(s, calls, answers);
  else if (count > 1)
    run_shared(s, calls, answers, count);
}
