// Executable memory. The bytes go to a file in memory, which is then mapped for reading and
// executing: no page is ever writable and executable, and nothing can be changed afterwards.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Pages Pages;

// Takes an address range, so that code can be made for its place; NULL where the system refuses.
Pages *pages_new(size_t count);
// Fills it, once, with `count` bytes and makes it executable; false where the system refuses.
bool pages_fill(Pages *p, const void *bytes);
void pages_free(Pages *p);               // NULL is allowed
const void *pages_start(const Pages *p); // aligned to a page
