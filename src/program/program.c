#include "program/program.h"

#include "program/run_process.h"

// ---- what a program is told, as a message to a worker

#define PUT_TEXTS(m, texts)                                                                        \
  do {                                                                                             \
    put_int((m), (texts)->count);                                                                  \
    for (int i_ = 0; i_ < (texts)->count; i_++) put_text((m), (texts)->at[i_]);                    \
  } while (0)

// A text takes at least its length.
#define GET_TEXTS(m, arena, texts)                                                                 \
  do {                                                                                             \
    int count_ = get_count((m), sizeof(long));                                                     \
    for (int i_ = 0; i_ < count_; i_++) array_push((arena), (texts), get_text((m), (arena)));      \
  } while (0)

void program_spec_put(Message *m, const ProgramSpec *s) {
  put_text(m, s->folder);
  PUT_TEXTS(m, &s->command);
  put_int(m, s->files.count);
  for (int i = 0; i < s->files.count; i++) {
    put_text(m, s->files.at[i].name);
    put_text(m, s->files.at[i].file);
  }
  PUT_TEXTS(m, &s->links);
  put_text(m, s->inputs_file);
  PUT_TEXTS(m, &s->inputs);
  PUT_TEXTS(m, &s->parameters);
  put_text(m, s->output_file);
  put_text(m, s->output_time);
  PUT_TEXTS(m, &s->variables);
  put_number(m, s->timeout);
  put_number(m, s->memory);
  put_int(m, s->retries);
  put_int(m, s->keep);
}

ProgramSpec *program_spec_get(Message *m, Arena *a) {
  ProgramSpec *s = ARENA_NEW(a, ProgramSpec);
  s->folder = get_text(m, a);
  GET_TEXTS(m, a, &s->command);
  int files = get_count(m, 2 * sizeof(long));
  for (int i = 0; i < files; i++) {
    ProgramFile f = {.name = get_text(m, a)};
    f.file = get_text(m, a);
    array_push(a, &s->files, f);
  }
  GET_TEXTS(m, a, &s->links);
  s->inputs_file = get_text(m, a);
  GET_TEXTS(m, a, &s->inputs);
  GET_TEXTS(m, a, &s->parameters);
  s->output_file = get_text(m, a);
  s->output_time = get_text(m, a);
  GET_TEXTS(m, a, &s->variables);
  s->timeout = get_number(m);
  s->memory = get_number(m);
  s->retries = (int)get_int(m);
  long keep = get_int(m);
  if (keep < PROGRAM_KEEP_NONE || keep > PROGRAM_KEEP_ALL) m->bad = true;
  s->keep = m->bad ? PROGRAM_KEEP_NONE : (ProgramKeep)keep;
  return s;
}

void program_stop(void) {
  run_process_stop();
}
