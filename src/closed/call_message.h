// Calls and answers as messages.
#pragma once
#include "closed/call.h"
#include "closed/worker_message.h"

void simulator_call_put(Message *m, const SimulatorCall *call);
// NULL: the message is not a call. Lives in the arena.
SimulatorCall *simulator_call_get(Message *m, Arena *a);
// slopes: of the call.
void simulator_answer_put(Message *m, const SimulatorCall *call, const SimulatorAnswer *answer);
// Fills the answer, which was made for this call. false: the message is none.
bool simulator_answer_get(Message *m, const SimulatorCall *call, SimulatorAnswer *answer);
