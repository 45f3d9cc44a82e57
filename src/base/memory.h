// What happens without memory, decided in one place. Nothing in the library goes on with NULL.
#pragma once

typedef void MemoryHandler(void);

// Called in the thread that needs memory, which it should not take any more of. If it returns, or is NULL (as at the
// beginning), the process ends with a message on standard error and exit status 3. One for the process.
void memory_on_failure(MemoryHandler *handler);
_Noreturn void out_of_memory(void);
void *must_have(void *memory); // memory; never NULL
// After a call of a library that failed: ends as above if the cause was lack of memory (errno is ENOMEM).
void memory_check_errno(void);
