#include "cli/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/lists.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/output.h"

static const char *const FORMATS[] = {"svg", "png", NULL};
enum { FORMAT_SVG, FORMAT_PNG };

bool figures_wanted(const Arguments *a) {
  return arguments_have(a, "figures");
}

// A folder and those above it. Returns 0 or the number of the error.
static int make_folder(const char *path) {
  char *part = needed(strdup(path));
  int number = 0;
  for (char *at = part + 1; !number; at++) {
    char end = *at;
    if (end && end != '/') continue;
    *at = 0;
    if (mkdir(part, 0777) != 0 && errno != EEXIST) number = errno;
    *at = end;
    if (!end) break;
  }
  free(part);
  return number;
}

static int folder_problem(const char *path) {
  struct stat folder;
  if (!path[0]) return ENOENT;
  int number = stat(path, &folder) == 0 ? 0 : make_folder(path);
  if (number) return number;
  if (stat(path, &folder) != 0) return errno;
  if (!S_ISDIR(folder.st_mode)) return ENOTDIR;
  return access(path, W_OK | X_OK) != 0 ? errno : 0;
}

bool figures_prepare(const Arguments *a) {
  int format;
  if (!read_choice("figure_format", arguments_value(a, "figure_format"), FORMATS, &format))
    return false;
  if (!figures_wanted(a) && arguments_have(a, "figure_format")) {
    complain("--figure_format needs --figures DIR, the folder for the pictures");
    return false;
  }
  const char *path = arguments_value(a, "figures");
  int number = path ? folder_problem(path) : 0;
  if (number) complain("cannot write pictures to %s: %s", path, strerror(number));
  return number == 0;
}

static int write_figure(const char *folder, const EntrainFigures *f, int i, int format) {
  char *path = NULL, *bytes = NULL;
  size_t length = 0;
  if (asprintf(&path, "%s/%s.%s", folder, entrain_figures_name(f, i), FORMATS[format]) < 0)
    no_memory();
  if (format == FORMAT_SVG) {
    bytes = entrain_figures_svg(f, i);
    length = bytes ? strlen(bytes) : 0;
  } else {
    bytes = entrain_figures_png(f, i, &length);
  }
  int status = write_picture(path, bytes, length, "a picture is too large for a PNG file");
  free(path);
  return status;
}

int figures_write(const Arguments *a, EntrainFigures *figures) {
  int status = DONE, format = FORMAT_SVG, count = entrain_figures_count(figures);
  if (figures_wanted(a)) {
    read_choice("figure_format", arguments_value(a, "figure_format"), FORMATS, &format);
    if (!count) {
      complain("there is nothing to draw: there is no result");
      status = NOT_REACHED;
    }
    for (int i = 0; i < count; i++)
      status = worse(status, write_figure(arguments_value(a, "figures"), figures, i, format));
  }
  entrain_figures_free(figures);
  return status;
}
