// Recursion over deep trees without a deep stack of the caller.
#pragma once

// Runs work(data) at once, in this thread, on a stack of its own of 8 MiB. May be nested.
void deep_call(void (*work)(void *data), void *data);
