// Reads a problem from its YAML text: the model, the data and all settings.
#pragma once
#include "problem/problem_source.h"

// NULL and err with file:line:column on failure.
Problem *problem_make(const ProblemSource *source, Err *err);

Problem *problem_load(const char *path, const ProblemSetting *settings, int count, Err *err);
Problem *problem_parse(const char *name, const char *folder, const char *text, size_t length,
                       const ProblemSetting *settings, int count, Err *err);
