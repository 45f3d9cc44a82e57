// Texts with placeholders, parsed once and written for each run:
//   {{mass}}              the value of a parameter, with all its digits (%.17g)
//   {{mass:%12.5e}}       by a format: % flags width .precision and one of e f g E G
//   {{entrain.start}}     when the simulation begins and ends, as times in the simulator; formats as above
//   {{entrain.stop}}
//   {{entrain.experiment}}, {{entrain.name}}   number of the experiment in the problem file, from 1, and its name
//   {{{{                  two braces, {{
// Of three braces the first is itself: {{{mass}} writes { and the value. }} outside of a placeholder is itself, too. A parameter
// whose value is a text is written as it is, whatever its format.
#pragma once
#include "base/err.h"
#include "base/text.h"
#include "closed/call.h"

typedef struct TemplateNames {
  const char *const *at; // of the parameters
  int count;
  bool *used; // by parameter: set when a template names it
} TemplateNames;

typedef struct Template Template;

// `file` and the text are kept. NULL and an error with its place: a name or a format that is not allowed.
Template *template_parse(Arena *a, const char *file, const char *text, size_t length,
                         const TemplateNames *names, Err *err);
bool template_has_placeholders(const Template *t);
// Adds the text for one run.
void template_write(const Template *t, const SimulatorCall *call, Text *out);

double call_stop(
    const SimulatorCall *call); // the last time that is wanted, as t; start when there is none
