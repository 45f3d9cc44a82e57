// The public library: pages of results.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "report/result_page.h"

static const char *without_slash(Arena *a, const char *path, size_t length) {
  while (length > 1 && path[length - 1] == '/') length--;
  return arena_copy(a, path, length);
}

static const char *folder_of(Arena *a, const char *path) { // NULL: that of the process
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? without_slash(a, path, (size_t)(slash - path)) : NULL;
}

static PrivateFolders private_folders(Arena *a, const EntrainProblem *p, const EntrainPage *page) {
  char here[PATH_MAX];
  const char *home = getenv("HOME");
  return (PrivateFolders){.problem = folder_of(a, p ? p->problem->path : NULL),
                          .former = folder_of(a, page->former_path),
                          .present =
                              getcwd(here, sizeof here) ? arena_copy(a, here, strlen(here)) : NULL,
                          .home = home ? without_slash(a, home, strlen(home)) : NULL};
}

char *entrain_page(const EntrainProblem *problem, const EntrainPage *given) {
  EntrainPage full, *page = &full;
  if (!given || !API_TAKE(page, EntrainPage, given, NULL) || !page->body) return NULL;
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  static const MadeFrom NONE = {0};
  ResultPage r = {.title = page->title ? page->title : "entrain",
                  .command = page->command,
                  .body = page->body,
                  .figures = page->figures ? api_figure_list(page->figures) : NULL,
                  .files = problem ? &problem->problem->files : &NONE,
                  .without_model = page->without_model,
                  .without_data = page->without_data,
                  .folders = private_folders(a, problem, page),
                  .version = entrain_version()};
  result_page(&t, &r);
  arena_free(a);
  return t.at;
}
