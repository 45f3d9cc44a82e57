#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

// Signal handlers may use little else than these.
static volatile sig_atomic_t asked;     // a signal has come
static volatile sig_atomic_t stopped;   // the same wish, from elsewhere
static volatile sig_atomic_t computing; // there will be a result
static volatile sig_atomic_t listening; // the computation asks whether to go on
static const char *volatile temporary;

static void end_without_result(void) {
  static const char TEXT[] = "entrain: stopped before anything was computed; no file was changed\n";
  ssize_t ignored = write(STDERR_FILENO, TEXT, sizeof TEXT - 1);
  (void)ignored;
  _exit(NOT_REACHED);
}

static void note(int number) {
  if (!asked && !listening) end_without_result();
  if (asked) {
    if (temporary) unlink(temporary);
    signal(number, SIG_DFL);
    raise(number);
  }
  asked = 1;
}

static bool goes_on(void *data) {
  (void)data;
  listening = computing;
  return !asked && !stopped;
}

// Without SA_RESTART: a pipe that nobody reads must not keep the process from ending.
void interrupt_watch(void) {
  static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
    struct sigaction action = {.sa_handler = note}, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGNALS[i], NULL, &old);
    if (old.sa_handler != SIG_IGN)
      sigaction(SIGNALS[i], &action, NULL); // else: under nohup, or a background job
  }
  signal(SIGPIPE, SIG_IGN); // 'entrain ... | head' ends quietly, by EPIPE
  entrain_goes_on(goes_on, NULL);
}

void interrupt_compute(void) {
  computing = 1;
  entrain_goes_on(goes_on, NULL); // asks anew
}

void interrupt_reached(void) {
  listening = 1;
}

bool interrupt_asked(void) {
  return asked || stopped;
}

bool interrupt_signalled(void) {
  return asked != 0;
}

void interrupt_stop(void) {
  stopped = 1;
}

void interrupt_remove(const char *path) {
  temporary = path;
}
