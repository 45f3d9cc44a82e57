#include "cli/output.h"

#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

// What a terminal gets of a text, with NO_COLOR or without it.
static char *on_terminal(const char *text, bool colour, char out[1000]) {
  int fd, status;
  pid_t child = forkpty(&fd, NULL, NULL, NULL);
  assert_true(child >= 0);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", colour ? "" : "1", 1);
    _exit(output_print(text) ? 0 : 1);
  }
  size_t length = 0;
  for (ssize_t some; (some = read(fd, out + length, 999 - length)) > 0;) length += (size_t)some;
  out[length] = 0;
  close(fd);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  return out;
}

static void nothing_but_our_colours_acts(void **state) {
  (void)state;
  static const struct {
    const char *text, *coloured, *plain;
  } CASES[] = {
      {"plain", "plain", "plain"},
      {"\033[1mbold\033[0m", "\033[1mbold\033[0m", "\\x1b[1mbold\\x1b[0m"},
      {"\033[38;5;7mx", "\033[38;5;7mx", "\\x1b[38;5;7mx"},
      {"a\033[2Jb", "a\\x1b[2Jb", "a\\x1b[2Jb"},
      {"\033]0;title\a", "\\x1b]0;title\\x07", "\\x1b]0;title\\x07"},
      {"\033[1", "\\x1b[1", "\\x1b[1"},
      {"\033", "\\x1b", "\\x1b"},
      {"x\u202ey\xffz", "x\\u202ey\\xffz", "x\\u202ey\\xffz"},
      {"", "", ""},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char out[1000];
    assert_string_equal(on_terminal(CASES[i].text, true, out), CASES[i].coloured);
    assert_string_equal(on_terminal(CASES[i].text, false, out), CASES[i].plain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_but_our_colours_acts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
