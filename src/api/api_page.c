// The public library: pages of results.
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "report/result_page.h"

// With the slash at its end, in the order in which they are taken out.
static int private_folders(Arena *a, const EntrainProblem *p, const char *folders[4]) {
  int count = 0;
  char here[PATH_MAX], *home = getenv("HOME");
  const char *path = p ? p->problem->path : NULL, *slash = path ? strrchr(path, '/') : NULL;
  if (slash && path[0] == '/') folders[count++] = arena_copy(a, path, (size_t)(slash + 1 - path));
  if (getcwd(here, sizeof here)) folders[count++] = arena_print(a, "%s/", here);
  if (home && home[0] == '/' && home[1]) folders[count++] = arena_print(a, "%s/", home);
  if (home && home[0] == '/' && home[1]) folders[count++] = home;
  return count;
}

char *entrain_page(const EntrainProblem *problem, const EntrainPage *page) {
  if (!page || !page->body) return NULL;
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  MadeFrom files = {0};
  if (problem) files = made_from(a, problem->problem);
  ResultPage r = {.title = page->title ? page->title : "entrain",
                  .command = page->command,
                  .body = page->body,
                  .figures = page->figures ? api_figure_list(page->figures) : NULL,
                  .files = &files,
                  .without_model = page->without_model,
                  .without_data = page->without_data,
                  .version = entrain_version()};
  result_page(&t, &r);
  const char *folders[4];
  int count = private_folders(a, problem, folders);
  const char *html = page_without_folders(a, t.at, folders, count);
  char *copy = strdup(html);
  text_done(&t);
  arena_free(a);
  return copy;
}
