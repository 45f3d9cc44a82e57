// Who may talk to a live server: programs on this machine that know its address. A name that leads to 127.0.0.1 is not enough
// (it may belong to a page of somebody else), nor is to be on this machine (it may have other users).
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { LIVE_TOKEN = 32 }; // letters: 128 random bits

bool live_token_make(char out[LIVE_TOKEN + 1]); // false: the system has no random numbers
// Takes as long for every text of the right length. NULL: false.
bool live_token_is(const char *token, const char *given, size_t length);

// The header Host: localhost, 127.0.0.1 or [::1], with any port, because it may be forwarded. NULL: false.
bool live_host_is_local(const char *host);
bool live_origin_is_local(const char *origin); // the header Origin: http:// and such a host
