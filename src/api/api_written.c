// The public library: results that were written as JSON.
#include "api/api.h"
#include "report/written_result.h"

struct EntrainWritten {
  Arena *arena;
  WrittenResult result;
  EntrainSetting *settings;
};

EntrainWritten *entrain_written_load(const char *path, EntrainError *error) {
  if (!path) return api_none("path", error);
  Err err = {0};
  Arena *a = arena_new();
  EntrainWritten *w = ARENA_NEW(a, EntrainWritten);
  w->arena = a;
  if (!written_result_load(&w->result, a, arena_copy(a, path, strlen(path)), &err)) {
    api_publish(&err, error);
    arena_free(a);
    return NULL;
  }
  w->settings = ARENA_ARRAY(a, EntrainSetting, w->result.setting_count + 1);
  for (int i = 0; i < w->result.setting_count; i++) {
    const ProblemSetting *s = &w->result.settings[i];
    w->settings[i] = (EntrainSetting){s->path, s->value, s->is_option};
  }
  return w;
}

void entrain_written_free(EntrainWritten *w) {
  if (w) arena_free(w->arena);
}

const char *entrain_written_problem(const EntrainWritten *w) {
  return w ? w->result.problem : NULL;
}

const EntrainSetting *entrain_written_settings(const EntrainWritten *w, int *count) {
  if (count) *count = w ? w->result.setting_count : 0;
  return w ? w->settings : NULL;
}

char *entrain_written_changes(const EntrainWritten *w, const EntrainProblem *p) {
  if (!w || !p) return NULL;
  Arena *scratch = arena_new();
  const char *text = written_result_changes(&w->result, &p->problem->files, scratch);
  char *copy = strdup(text ? text : "");
  arena_free(scratch);
  return copy;
}

char *entrain_written_report(const EntrainWritten *w, const char *notice, int width, bool colour) {
  if (!w) return NULL;
  Text t;
  text_init(&t);
  written_result_text(&t, &w->result, &notice, notice && notice[0], api_style(width, colour));
  return t.at;
}
