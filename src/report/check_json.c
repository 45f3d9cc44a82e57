#include "report/check_json.h"

#include "report/check_text.h"
#include "report/fit_json.h"

static void findings(Json *j, const Check *c) {
  json_open(j, "findings", '[', true);
  for (int i = 0; i < c->findings.count; i++) {
    json_open(j, NULL, '{', false);
    json_text(j, "kind", finding_word(c->findings.at[i].kind));
    json_text(j, "topic", c->findings.at[i].topic);
    json_text(j, "text", c->findings.at[i].text);
    json_close(j);
  }
  json_close(j);
}

static void parameters(Json *j, const Check *c) {
  json_open(j, "parameters", '[', true);
  for (int i = 0; i < c->problem->unknown_count; i++) {
    const Unknown *f = &c->problem->unknowns[i];
    json_open(j, NULL, '{', false);
    json_text(j, "name", f->name);
    json_number(j, "start", f->start);
    json_number(j, "min", f->min);
    json_number(j, "max", f->max);
    json_text(j, "unit", f->unit);
    json_text(j, "scale", f->log ? "log" : "linear");
    if (c->statistics) {
      const StatParameter *s = &c->statistics->parameters[i];
      json_flag(j, "identifiable", s->identifiable);
      json_flag(j, "inactive", s->inactive);
      json_number(j, "relative_at_1_percent", s->relative_at_1_percent);
      json_text(j, "reason", s->reason);
    }
    json_close(j);
  }
  json_close(j);
}

void check_json(Text *out, const Check *c, const char *version) {
  Json j = json_on(out);
  json_open(&j, NULL, '{', true);
  json_text(&j, "entrain", version);
  json_text(&j, "problem", c->problem->path);
  json_flag(&j, "passed", check_passed(c));
  json_flag(&j, "starts", c->starts);
  json_flag(&j, "stopped", c->stopped);
  json_number(&j, "objective_start", c->objective_start);
  json_number(&j, "floor", c->floor);
  findings(&j, c);
  parameters(&j, c);
  if (c->statistics) fit_json_identifiability(&j, c->statistics);
  json_close(&j);
}
