// A process that takes part in the studies of a store: its row there, and a thread that says from time to time that it lives.
//
// What a participant has claimed is its own for LEASE_SECONDS and as long as it renews that. Of those on the same machine
// one sees whether their process lives: what the dead had claimed is free at once.
#pragma once
#include "store/store.h"

#define LEASE_SECONDS 15.0
#define LEASE_SQL "15.0"

typedef struct Participant Participant;

typedef struct ParticipantAbout {
  int threads;
  const char *tags; // separated by commas; "": none
  const char *fingerprint;
} ParticipantAbout;

Participant *participant_new(Store *s, const ParticipantAbout *about, Err *err);
// Gives back all that is claimed.
void participant_free(Participant *p);
Store *participant_store(const Participant *p);
int64_t participant_id(const Participant *p);
// How many threads of all who live, as seen last.
int participant_threads(const Participant *p);
// Called by the thread of the participant some times a second; NULL: nothing. Waits until a call that runs has ended.
void participant_tick(Participant *p, void (*tick)(void *data), void *data);
// Frees what those have claimed whose process on this machine is gone. Looks at most twice a second.
void participant_bury_dead(Participant *p);
