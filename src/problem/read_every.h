// Reads 'every' of an experiment: which of its samples are kept, and the filter before.
#pragma once
#include "problem/reader.h"

// After the rows of the window and the time of the start are known. What is measured is filtered; other columns are taken as
// they are in the rows that stay. e->full keeps all rows: inputs and start values from data follow from these.
bool read_every(ProblemReader *r, ExperimentReader *e);
