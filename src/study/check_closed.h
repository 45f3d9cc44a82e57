// What can be said about a closed simulator before a fit: how accurate its own solver is.
#pragma once
#include "study/check.h"

void check_closed_model(Check *c);    // what it is
void check_closed_accuracy(Check *c); // simulates at the start values, twice
