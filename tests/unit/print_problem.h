// A problem as text, for the cases in tests/problem and for comparisons: what was understood.
#pragma once
#include <stdio.h>
#include <string.h>

#include "problem/read_problem.h"

static inline void add_number(Text *t, const char *before, double value, const char *after) {
  text_add(t, before);
  text_add_number(t, value);
  text_add(t, after);
}

static inline void print_channel(Text *t, const Problem *p, const Channel *c) {
  static const char *const SIGMA[] = {"", ", sigma ", ", sigma ", ", sigma estimated"};
  text_print(t, "  %s: ", c->name);
  expr_print(t, p->model->graph, c->measured);
  text_print(t, ", %d samples of %s", c->count, c->column);
  if (c->missing) text_print(t, ", %d missing", c->missing);
  if (c->weight != 1) add_number(t, ", weight ", c->weight, "");
  for (int i = 0; c->sample_weight && i < c->count && i < 6; i++)
    text_print(t, "%s%.4g", i ? " " : ", sample weights ", c->sample_weight[i]);
  text_add(t, SIGMA[c->sigma_kind]);
  if (c->sigma_kind == SIGMA_NUMBER || c->sigma_kind == SIGMA_RELATIVE)
    add_number(t, "", c->sigma, "");
  if (c->delay >= 0) text_print(t, ", later by %s", p->model->flat->parameters.at[c->delay].name);
  text_add(t, "\n");
}

static inline void print_inputs(Text *t, const Model *m, const Experiment *e) {
  for (int i = 0; i < m->nu; i++) {
    int piece = input_piece(e->inputs[i], e->start, 1);
    double value;
    input_eval(e->inputs[i], e->start, &piece, &value, NULL);
    text_print(t, "  input %s", m->flat->variables.at[m->input[i]].name);
    add_number(t, " = ", value, " at the start\n");
  }
}

static inline void print_experiment(Text *t, const Problem *p, const Experiment *e) {
  const Model *m = p->model;
  text_print(t, "%s: %s", e->name, e->file);
  add_number(t, " from ", e->origin + e->start, "");
  add_number(t, " to ", e->origin + e->stop, "");
  text_print(t, "%s%s", e->time_origin ? " s after " : "", e->time_origin ? e->time_origin : "");
  text_print(t, "%s%s\n", e->epoch_unit ? ", in the file in " : "",
             e->epoch_unit ? e->epoch_unit : "");
  print_inputs(t, m, e);
  for (int i = 0; i < e->channel_count; i++) print_channel(t, p, &e->channels[i]);
  for (int i = 0; i < e->window_count; i++) {
    text_print(t, "  window %s", e->windows[i].name);
    add_number(t, " from ", e->origin + e->windows[i].start, "");
    add_number(t, " to ", e->origin + e->windows[i].stop, "\n");
  }
  text_add(t, " ");
  for (int i = 0; i < m->np; i++) {
    text_print(t, " %s", m->flat->parameters.at[i].name);
    add_number(t, " = ", e->p[i], i < m->np - 1 ? "," : "\n");
  }
}

static inline void print_free(Text *t, const Unknown *f) {
  text_print(t, "find %s", f->name);
  add_number(t, " from ", f->start, "");
  add_number(t, " in [", f->min, "");
  add_number(t, ", ", f->max, "]");
  if (f->unit[0]) text_print(t, " %s", f->unit);
  if (f->log) text_add(t, ", log");
  if (f->has_prior) {
    add_number(t, ", prior ", f->prior_mean, "");
    add_number(t, " +- ", f->prior_sd, "");
  }
  text_add(t, "\n");
}

static inline void print_problem(Text *t, const Problem *p) {
  for (int i = 0; i < p->experiment_count; i++) print_experiment(t, p, &p->experiments[i]);
  const Problem *v = p->validation;
  for (int i = 0; v && i < v->experiment_count; i++) {
    text_print(t, "experiment %d for validation, ", v->experiments[i].number);
    print_experiment(t, v, &v->experiments[i]);
  }
  for (int i = 0; i < p->unknown_count; i++) print_free(t, &p->unknowns[i]);
  for (int i = 0; i < p->gain_count; i++) {
    const GivenGain *g = &p->gains[i];
    text_print(t, "feed %s back into %s", p->measured_name[g->channel],
               p->model->flat->variables.at[p->model->state[g->state]].name);
    add_number(t, " times ", g->gain, "\n");
  }
  text_print(t, "by %s: ", method_word(p->method));
  size_t before = t->length;
  options_print_changed(&FIT_OPTIONS, &p->options, t);
  if (t->length > before) text_add(t, " ");
  options_print_changed(&SIMULATE_OPTIONS, &p->simulate, t);
  text_add(t, "\n");
}

// FILE [key.path=value | --option=value] ...: warnings, then the error or what was understood.
static inline int print_problem_file(int count, char **arguments) {
  enum { SETTINGS_MOST = 20 };
  ProblemSetting settings[SETTINGS_MOST];
  int n = 0;
  for (int i = 1; i < count && n < SETTINGS_MOST; i++) {
    char *equals = strchr(arguments[i], '=');
    if (!equals) continue;
    *equals = 0;
    bool is_option = strncmp(arguments[i], "--", 2) == 0;
    settings[n++] = (ProblemSetting){arguments[i] + (is_option ? 2 : 0), equals + 1, is_option};
  }
  Err err = {0};
  Problem *p = problem_load(arguments[0], settings, n, &err);
  char message[1600];
  for (int i = 0; p && i < p->warnings.list.count; i++) {
    warning_format(&p->warnings.list.at[i], message, sizeof message);
    printf("%s\n", message);
  }
  Text t;
  text_init(&t);
  if (p)
    print_problem(&t, p);
  else
    err_format(&err, message, sizeof message);
  printf("%s%s", p ? t.at : message, p ? "" : "\n");
  text_done(&t);
  problem_free(p);
  return p ? 0 : err_exit_status(err.code);
}
