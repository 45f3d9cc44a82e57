// Missing values of inputs. A simulation needs an input all the time: where its column has no values it takes what the values beside
// them make of it, which the data do not tell. A warning says so; where nothing comes before or after for longer than 1.5 of
// the intervals of the column, it is an error. A held value needs none after it.
#pragma once
#include "problem/reader.h"

bool check_input_values(
    ProblemReader *r); // after the channels, which say until when experiments go on
