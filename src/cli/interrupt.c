#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t asked; // a signal handler may write nothing else

static void note(int number) {
  if (asked) {
    signal(number, SIG_DFL);
    raise(number);
  }
  asked = 1;
}

void interrupt_watch(void) {
  static const int SIGNALS[] = {SIGINT, SIGTERM};
  for (int i = 0; i < 2; i++) {
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGNALS[i], NULL, &old);
    if (old.sa_handler != SIG_IGN)
      sigaction(SIGNALS[i], &action, NULL); // else: under nohup, or a background job
  }
}

bool interrupt_asked(void) {
  return asked != 0;
}
