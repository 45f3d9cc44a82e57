// Inputs as messages: their samples and how these are interpolated.
#pragma once
#include "closed/worker_message.h"
#include "simulate/input.h"

void input_put(Message *m, const Input *in); // NULL reads as NULL
const Input *input_get(Message *m, Arena *a);
