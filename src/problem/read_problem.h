// Reads a problem from its YAML file: the model, the data and all settings.
#pragma once
#include "problem/problem.h"

// NULL and err with file:line:column on failure.
Problem *problem_load(const char *path, const ProblemSetting *settings, int count, Err *err);
// The same from text in memory; relative paths are relative to `folder`.
Problem *problem_parse(const char *name, const char *folder, const char *text, size_t length,
                       const ProblemSetting *settings, int count, Err *err);
// The same. function: a closed model that 'model: {function: NAME}' names, or NULL. The problem takes it; on failure it is freed.
Problem *problem_parse_with(const char *name, const char *folder, const char *text, size_t length,
                            const ProblemSetting *settings, int count, struct ClosedModel *function,
                            Err *err);
