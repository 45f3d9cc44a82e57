// Times that count from 1970, in s, ms, us or ns: they are shifted to the first of the file and become s.
#pragma once
#include "problem/reader.h"

// What 'epoch' says: nothing, true or false.
typedef enum EpochChoice { EPOCH_BY_SIZE, EPOCH_YES, EPOCH_NO } EpochChoice;

// Shifts the times of e->table if they are to be taken as such. unit: NULL, none is given; n: 'unit' or 'time', for messages.
// Sets *shifted.
bool shift_epoch(ProblemReader *r, ExperimentReader *e, const char *unit, EpochChoice choice,
                 const Yaml *n, bool *shifted);
// A time of the user, either since 1970 in the unit of the column or in s since the first, as the latter.
bool epoch_time(ProblemReader *r, const ExperimentReader *e, const Yaml *n, const char *what,
                bool infinite, double *out);
