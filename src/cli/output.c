#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/no_memory.h"

// Without stdio, so that a signal ends a write that nobody reads. errno: EINTR then.
static bool write_all(int fd, const char *text, size_t length) {
  bool before = interrupt_asked();
  interrupt_reached();
  while (length > 0) {
    ssize_t some = write(fd, text, length);
    if (some < 0 && errno == EINTR && interrupt_asked() == before) continue;
    if (some < 0) return false;
    text += some, length -= (size_t)some;
  }
  return true;
}

// Bytes of an escape sequence that sets a colour; 0: it is another one, or none.
static size_t colour_sequence(const char *text) {
  if (strncmp(text, "\033[", 2) != 0) return 0;
  size_t length = 2 + strspn(text + 2, "0123456789;");
  return text[length] == 'm' ? length + 1 : 0;
}

// A text as a terminal may have it: nothing but our colours acts there, whatever names it contains. The caller frees it.
static char *harmless(const char *bytes, size_t count, bool colour) {
  char *all = NULL, *copy = needed(strndup(bytes, count));
  size_t length;
  FILE *to = needed(open_memstream(&all, &length));
  for (const char *text = copy; *text;) {
    size_t plain = 0, sequence = 0;
    while (text[plain] && !(colour && (sequence = colour_sequence(text + plain)))) plain++;
    char *part = needed(strndup(text, plain)), *visible = entrain_text_visible(part);
    fprintf(to, "%s%.*s", visible, (int)sequence, text + plain);
    entrain_text_free(visible);
    free(part);
    text += plain + sequence;
  }
  if (fclose(to) != 0) no_memory();
  free(copy);
  return all;
}

static bool write_stdout(const char *text, size_t length) {
  bool as_text = isatty(STDOUT_FILENO) && !memchr(text, 0, length); // not a picture
  char *shown = as_text ? harmless(text, length, output_terminal().colour) : NULL;
  bool done = write_all(STDOUT_FILENO, shown ? shown : text, shown ? strlen(shown) : length);
  int problem = errno;
  free(shown);
  if (done || problem == EPIPE) return true;
  if (problem == ENOMEM) no_memory();
  complain("cannot write to standard output: %s", strerror(problem));
  return false;
}

static bool write_and_close(int fd, const char *text, size_t length) {
  bool done = write_all(fd, text, length);
  int problem = errno;
  if (close(fd) != 0 && done) {
    done = false;
    problem = errno;
  }
  errno = problem;
  return done;
}

// Devices and pipes cannot be renamed into place. After a signal nobody waits for who might read a pipe.
static bool write_in_place(const char *path, const char *text, size_t length) {
  int wait = interrupt_asked() ? O_NONBLOCK : 0;
  interrupt_reached();
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | wait, 0666);
  if (fd >= 0 && wait) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd >= 0 && (write_and_close(fd, text, length) || errno == EPIPE);
}

static mode_t mode_for(const char *path) {
  struct stat old;
  if (stat(path, &old) == 0) return old.st_mode & 07777;
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static bool write_and_rename(const char *path, const char *text, size_t length) {
  char *temporary = NULL;
  interrupt_reached();
  if (asprintf(&temporary, "%s.XXXXXX", path) < 0) return false;
  int fd = mkstemp(temporary);
  if (fd >= 0) interrupt_remove(temporary);
  bool done = fd >= 0 && fchmod(fd, mode_for(path)) == 0;
  done = fd >= 0 && write_and_close(fd, text, length) && done;
  done = done && rename(temporary, path) == 0;
  int problem = errno;
  if (fd >= 0 && !done) unlink(temporary);
  interrupt_remove(NULL);
  free(temporary);
  errno = problem;
  return done;
}

static bool write_file(const char *path, const char *text, size_t length) {
  struct stat old;
  if (stat(path, &old) == 0 && S_ISDIR(old.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) return write_in_place(path, text, length);
  char *target = realpath(path, NULL); // a link stays a link
  bool done = write_and_rename(target ? target : path, text, length);
  int problem = errno;
  free(target);
  errno = problem;
  return done;
}

bool output_write(const char *path, const char *text, size_t length) {
  if (!path || strcmp(path, "-") == 0) return write_stdout(text, length);
  if (write_file(path, text, length)) {
    no_memory_note_written();
    return true;
  }
  if (errno == ENOMEM) no_memory();
  complain("cannot write %s: %s", path, strerror(errno));
  return false;
}

static int folder_problem(const char *path) { // 0 or the number of the error
  struct stat old;
  if (stat(path, &old) == 0 && S_ISDIR(old.st_mode)) return EISDIR;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) return 0;
  const char *slash = strrchr(path, '/');
  char *folder = needed(slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."));
  int number = access(folder, W_OK | X_OK) != 0 ? errno : 0;
  free(folder);
  return number;
}

bool output_can_write(const char *path) {
  int number = strcmp(path, "-") == 0 ? 0 : folder_problem(path);
  if (number) complain("cannot write %s: %s", path, strerror(number));
  return number == 0;
}

bool output_is_same(const char *a, const char *b) {
  struct stat x, y;
  if (stat(a, &x) != 0 || stat(b, &y) != 0) return strcmp(a, b) == 0;
  return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool output_print(const char *text) {
  return write_stdout(text, strlen(text));
}

void output_forget(const char *path) {
  struct stat old;
  if (!path || strcmp(path, "-") == 0 || stat(path, &old) != 0 || !S_ISREG(old.st_mode)) return;
  if (unlink(path) == 0) remark("%s is of an earlier run and was removed", path);
}

static int fail_to_make(const char *path) {
  if (!interrupt_asked()) return INTERNAL;
  complain("stopped before %s was written", path ? path : "the result");
  output_forget(path);
  return NOT_REACHED;
}

int write_bytes(const char *path, char *bytes, size_t length) {
  if (!bytes) return fail_to_make(path);
  bool done = output_write(path, bytes, length);
  entrain_text_free(bytes);
  return done ? DONE : WRONG_USE;
}

int write_result(const char *path, char *text) {
  return write_bytes(path, text, text ? strlen(text) : 0);
}

int write_picture(const char *path, char *bytes, size_t length, const char *nothing) {
  if (bytes) return write_bytes(path, bytes, length);
  complain("%s", nothing);
  output_forget(path);
  return NOT_REACHED;
}

int worse(int a, int b) {
  return a > b ? a : b;
}

static int from_environment(const char *name, int otherwise) {
  const char *text = getenv(name);
  int value = text ? (int)strtol(text, NULL, 10) : 0;
  return value >= 20 && value <= 1000 ? value : otherwise;
}

static bool is_set(const char *name) {
  const char *text = getenv(name);
  return text && text[0];
}

// Of the first of these that is set, as the C library does it.
static bool locale_has_unicode(void) {
  const char *name = is_set("LC_ALL") ? "LC_ALL" : is_set("LC_CTYPE") ? "LC_CTYPE" : "LANG";
  const char *locale = getenv(name);
  return locale && (strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8"));
}

static Terminal terminal_of(int fd) {
  struct winsize size = {0};
  const char *type = getenv("TERM");
  bool is_terminal = isatty(fd), dumb = type && strcmp(type, "dumb") == 0;
  bool console = type && strcmp(type, "linux") == 0; // its letters have no Braille
  if (is_terminal) ioctl(fd, TIOCGWINSZ, &size);
  return (Terminal){.width = from_environment("COLUMNS", size.ws_col ? size.ws_col : 80),
                    .height = from_environment("LINES", size.ws_row ? size.ws_row : 24),
                    .colour = is_terminal && !dumb && !is_set("NO_COLOR"),
                    .pictures = is_terminal && !dumb && !console && locale_has_unicode()};
}

Terminal output_terminal(void) {
  return terminal_of(STDOUT_FILENO);
}

Terminal error_terminal(void) {
  return terminal_of(STDERR_FILENO);
}
