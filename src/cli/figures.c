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

enum { FORMAT_SVG, FORMAT_PNG, FORMAT_PDF, FORMAT_ALL };
static const char *const FORMATS[] = {"svg", "png", "pdf", "all", NULL};

typedef struct Formats {
  bool wanted[FORMAT_ALL];
} Formats;

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

static bool read_formats(const Arguments *a, Formats *f) {
  const char *list = arguments_value(a, "figure_format");
  Words words;
  int format;
  *f = (Formats){0};
  bool done = words_split("--figure_format", list ? list : FORMATS[FORMAT_SVG], &words);
  for (int i = 0; done && i < words.count; i++) {
    done = read_choice("figure_format", words.at[i], FORMATS, &format);
    for (int k = 0; k < FORMAT_ALL; k++) f->wanted[k] |= format == k || format == FORMAT_ALL;
  }
  words_done(&words);
  return done;
}

static bool can_draw(const Arguments *a, const Formats *f) {
  EntrainError error = {.size = sizeof error};
  bool svg_only = !f->wanted[FORMAT_PNG] && !f->wanted[FORMAT_PDF] && !arguments_have(a, "png");
  if (svg_only || entrain_figures_ready(&error)) return true;
  complain_error(&error);
  return false;
}

// --plot of commands that draw without being asked takes a word.
static bool plot_is_known(const Arguments *a) {
  const char *word = arguments_value(a, "plot");
  if (!word || strcmp(word, "off") == 0) return true;
  complain("--plot takes 'off' or nothing, not '%s'", word);
  return false;
}

bool figures_prepare(const Arguments *a) {
  Formats formats;
  if (!plot_is_known(a) || !read_formats(a, &formats)) return false;
  if (!figures_wanted(a) && arguments_have(a, "figure_format")) {
    complain("--figure_format needs --figures DIR, the folder for the pictures");
    return false;
  }
  if (!can_draw(a, &formats)) return false;
  const char *path = arguments_value(a, "figures");
  int number = path ? folder_problem(path) : 0;
  if (number) complain("cannot write pictures to %s: %s", path, strerror(number));
  return number == 0;
}

static char *svg_of(const EntrainFigures *f, int i, size_t *length) {
  char *text = entrain_figures_svg(f, i);
  *length = text ? strlen(text) : 0;
  return text;
}

static int write_figure(const char *folder, const EntrainFigures *f, int i, int format) {
  static char *(*const BYTES[FORMAT_ALL])(const EntrainFigures *, int,
                                          size_t *) = {[FORMAT_SVG] = svg_of,
                                                       [FORMAT_PNG] = entrain_figures_png,
                                                       [FORMAT_PDF] = entrain_figures_pdf};
  char *path = NULL;
  size_t length = 0;
  if (asprintf(&path, "%s/%s.%s", folder, entrain_figures_name(f, i), FORMATS[format]) < 0)
    no_memory();
  char *bytes = BYTES[format](f, i, &length);
  int status = write_picture(path, bytes, length,
                             "a picture is too large for a PNG or PDF file; SVG has no limit");
  free(path);
  return status;
}

int figures_write(const Arguments *a, EntrainFigures *figures) {
  int status = DONE, count = entrain_figures_count(figures);
  Formats formats;
  if (figures_wanted(a) && read_formats(a, &formats)) {
    if (!count) {
      complain("there is nothing to draw: there is no result");
      status = NOT_REACHED;
    }
    for (int i = 0; i < count; i++)
      for (int k = 0; k < FORMAT_ALL; k++)
        if (formats.wanted[k])
          status = worse(status, write_figure(arguments_value(a, "figures"), figures, i, k));
  }
  entrain_figures_free(figures);
  return status;
}

int write_fit_report(const Arguments *a, EntrainFit *fit) {
  enum { PLOT_LEAST = 14, PLOT_MOST = 36 };
  Terminal t = output_terminal();
  bool draws = arguments_have(a, "plot") ? !arguments_value(a, "plot") : t.pictures;
  int height = t.height < PLOT_LEAST ? PLOT_LEAST : t.height > PLOT_MOST ? PLOT_MOST : t.height;
  char *plot = draws ? entrain_fit_plot(fit, t.width, height, t.colour) : NULL;
  bool printed = !plot || !plot[0] || (output_print(plot) && output_print("\n"));
  entrain_text_free(plot);
  int status = write_result(NULL, entrain_fit_report(fit, t.width, t.colour));
  return printed ? status : worse(status, WRONG_USE);
}
