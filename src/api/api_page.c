// The public library: pages of results.
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "base/file.h"
#include "base/sha256.h"
#include "report/result_page.h"

enum { TEXT_MOST = 400000 }; // bytes of a file that a page shows

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static const char *language_of(const char *path) {
  if (ends_with(path, ".mo")) return "modelica";
  return ends_with(path, ".yaml") || ends_with(path, ".yml") ? "yaml" : NULL;
}

static bool is_listed(const PageFile *files, int count, const char *path) {
  for (int i = 0; i < count; i++)
    if (strcmp(files[i].path, path) == 0) return true;
  return false;
}

// Files that cannot be read any more are left out.
static int read_files(Arena *a, const EntrainProblem *p, const EntrainPage *page, PageFile *files) {
  int count = 0;
  for (int i = 0; i < p->files.count; i++) {
    const char *path = p->files.at[i], *language;
    size_t length;
    Err err = {0};
    if (!path || is_listed(files, count, path)) continue;
    char *bytes = file_read(a, path, SIZE_MAX / 2, &length, &err);
    if (!bytes) continue;
    Sha256 hash = sha256_of(bytes, length);
    PageFile *f = &files[count++];
    *f = (PageFile){.path = path, .length = length};
    sha256_print(&hash, f->hash);
    language = language_of(path);
    if (!language || page->without_model || length > TEXT_MOST) continue;
    f->text = bytes;
    f->language = language;
  }
  return count;
}

// With the slash at its end, in the order in which they are taken out.
static int private_folders(Arena *a, const EntrainProblem *p, const char *folders[4]) {
  int count = 0;
  char here[PATH_MAX], *home = getenv("HOME");
  const char *path = p->problem->path, *slash = path ? strrchr(path, '/') : NULL;
  if (slash && path[0] == '/') folders[count++] = arena_copy(a, path, (size_t)(slash + 1 - path));
  if (getcwd(here, sizeof here)) folders[count++] = arena_print(a, "%s/", here);
  if (home && home[0] == '/' && home[1]) folders[count++] = arena_print(a, "%s/", home);
  if (home && home[0] == '/' && home[1]) folders[count++] = home;
  return count;
}

char *entrain_page(const EntrainProblem *problem, const EntrainPage *page) {
  if (!problem || !page || !page->body) return NULL;
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  PageFile *files = ARENA_ARRAY(a, PageFile, problem->files.count + 1);
  ResultPage r = {.title = page->title ? page->title : "entrain",
                  .command = page->command,
                  .body = page->body,
                  .figures = page->figures ? api_figure_list(page->figures) : NULL,
                  .files = files,
                  .file_count = read_files(a, problem, page, files),
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
