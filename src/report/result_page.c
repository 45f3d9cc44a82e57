#include "report/result_page.h"

#include <string.h>

#include "html/document.h"
#include "write/html.h"

// ---------------------------------------------------------------- where pictures stand

// Of the pictures whose name begins so: behind the part of the report whose heading begins or ends with this one. data: they show
// measurements.
typedef struct PicturePlace {
  const char *name, *heading;
  bool data;
} PicturePlace;

static const PicturePlace PLACES[] = {
    {"intervals", "parameters", false},
    {"correlations", "parameters", false},
    {"data-and-model", "fit", true},
    {"free-run", "fit", true},
    {"plane", "fit", true},
    {"residuals", "fit", true},
    {"validation", "validation", true},
    {"optima", "optima-found", false},
    {"lambda-path", "path-of-the-homotopy", false},
    {"parameters", "how-it-was-found", false},
    {"objective", "how-it-was-found", false},
    {"convergence", "how-it-was-found", false},
    {"profiles", "intervals", false},
    {"basin", "optima", false},
    {"weights", "state-space", true}, // of a fit: at the end
};

static const PicturePlace *place_of(const char *name) {
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++)
    if (strncmp(name, PLACES[i].name, strlen(PLACES[i].name)) == 0) return &PLACES[i];
  return NULL;
}

static bool is_shown(const ResultPage *p, const char *name) {
  const PicturePlace *place = place_of(name);
  return !(p->without_data && place && place->data);
}

// ---------------------------------------------------------------- the report

static const char HEADING[] = "<h2 id=\"";

static bool is_place(const char *id, size_t length, const char *heading) {
  size_t n = strlen(heading);
  return n && n <= length &&
         (memcmp(id, heading, n) == 0 || memcmp(id + length - n, heading, n) == 0);
}

// placed: by picture, whether it has its place already.
static void add_pictures(Document *d, const ResultPage *p, const char *id, size_t length,
                         bool *placed) {
  for (int i = 0; p->figures && i < p->figures->at.count; i++) {
    const NamedFigure *f = &p->figures->at.at[i];
    const PicturePlace *place = place_of(f->name);
    if (placed[i] || !place || !is_place(id, length, place->heading)) continue;
    placed[i] = true;
    if (is_shown(p, f->name)) document_figure(d, f->name, f->figure);
  }
}

// Each part of the report, then its pictures.
static void add_body(Document *d, const ResultPage *p, bool *placed) {
  const char *id = "", *at = p->body;
  size_t length = 0;
  for (;;) {
    const char *next = strstr(at, HEADING);
    document_add(d, at, next ? (size_t)(next - at) : strlen(at));
    if (length) add_pictures(d, p, id, length, placed);
    if (!next) return;
    document_add(d, HEADING, sizeof HEADING - 1);
    at = id = next + sizeof HEADING - 1;
    length = strcspn(id, "\"");
  }
}

static void add_other_pictures(Document *d, const ResultPage *p, const bool *placed) {
  bool any = false;
  for (int i = 0; p->figures && i < p->figures->at.count; i++) {
    const NamedFigure *f = &p->figures->at.at[i];
    if (placed[i] || !is_shown(p, f->name)) continue;
    if (!any) document_heading(d, "Pictures");
    document_figure(d, f->name, f->figure);
    any = true;
  }
}

// ---------------------------------------------------------------- what it was made from

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void add_files(Document *d, const ResultPage *p) {
  Text *out = d->out;
  document_heading(d, "What it was made from");
  if (p->command) {
    text_add(out, "<p>Made by <code>");
    html_attribute(out, p->command);
    text_add(out, "</code> in the folder of the problem.</p>\n");
  }
  if (p->without_model || p->without_data)
    text_print(out, "<p>Left out of this page: %s%s%s.</p>\n", p->without_model ? "the model" : "",
               p->without_model && p->without_data ? " and " : "",
               p->without_data ? "the data" : "");
  if (p->files->count > 0) {
    text_add(out, "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th "
                  "scope=\"col\">file</th><th scope=\"col\" "
                  "class=\"n\">bytes</th><th scope=\"col\">SHA-256</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < p->files->count; i++) {
      text_add(out, "<tr><td>");
      html_text(out, base_name(p->files->at[i].path));
      text_add(out, "</td><td class=\"n\">");
      if (!p->files->at[i].closed) text_print(out, "%zu", p->files->at[i].length);
      text_print(out, "</td><td><code>%.16s</code></td></tr>\n", p->files->at[i].hash);
    }
    text_add(out, "</tbody></table></div>\n");
  }
  for (int i = 0; i < p->files->count; i++)
    if (p->files->at[i].text && !p->without_model)
      document_file(d, base_name(p->files->at[i].path), p->files->at[i].language,
                    p->files->at[i].text, p->files->at[i].length);
}

void result_page(Text *out, const ResultPage *p) {
  Document d = document_begin(out, p->title);
  d.folders = p->folders;
  bool *placed = ARENA_ARRAY(d.arena, bool, p->figures ? p->figures->at.count + 1 : 1);
  add_body(&d, p, placed);
  add_other_pictures(&d, p, placed);
  add_files(&d, p);
  document_end(&d, p->version);
}
