#include "html/document.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/sha256.h"
#include "draw/figure_svg.h"
#include "html/asset.h"
#include "write/html.h"

static void asset_text(Text *t, Asset asset) {
  text_init(t);
  text_add(t, "\n");
  asset_add(t, asset);
}

static void add_script(Text *out, Asset asset) {
  Text t;
  asset_text(&t, asset);
  text_print(out, "<script>%s</script>\n", t.at);
  text_done(&t);
}

// The name of a script for the policy: its hash in base 64.
static void add_script_hash(Text *out, Asset asset) {
  static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Text t;
  asset_text(&t, asset);
  Sha256 hash = sha256_of(t.at, t.length);
  text_done(&t);
  text_add(out, " 'sha256-");
  for (int i = 0; i < SHA256_BYTES; i += 3) {
    unsigned next = i + 1 < SHA256_BYTES ? hash.at[i + 1] : 0, last = 0; // 32 = 10 * 3 + 2
    if (i + 2 < SHA256_BYTES) last = hash.at[i + 2];
    unsigned three = (unsigned)hash.at[i] << 16 | next << 8 | last;
    for (int k = 0; k < 4; k++)
      text_print(out, "%c",
                 i + 2 >= SHA256_BYTES && k == 3 ? '=' : DIGITS[three >> (18 - 6 * k) & 63]);
  }
  text_add(out, "'");
}

// Nothing is loaded, nothing is sent anywhere, and no script runs but these.
static void add_policy(Text *out) {
  text_add(out,
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri "
           "'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src");
  add_script_hash(out, ASSET_CHART_JS);
  add_script_hash(out, ASSET_PAGE_JS);
  text_add(out, "\">\n");
}

Document document_begin(Text *out, const char *title) {
  text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  add_policy(out);
  text_add(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta name=\"referrer\" content=\"no-referrer\">\n<style>\n");
  asset_add(out, ASSET_CHART_CSS);
  text_add(out, "\n");
  asset_add(out, ASSET_PAGE_CSS);
  text_add(out, "</style>\n");
  Document d = {.out = out, .arena = arena_new(), .begun = out->length};
  text_add(out, "<title>");
  html_attribute(out, title);
  text_add(out, "</title>\n</head>\n<body class=\"noscript\">\n<header><h1>");
  html_attribute(out, title);
  text_add(out, "</h1><nav aria-label=\"Parts of this page\"></nav></header>\n<main>\n");
  return d;
}

void document_add(Document *d, const char *html, size_t length) {
  text_add_bytes(d->out, html, length);
}

void document_heading(Document *d, const char *title) {
  text_add(d->out, "<h2 id=\"");
  html_id(d->out, title);
  text_add(d->out, "\">");
  html_text(d->out, title);
  text_add(d->out, "</h2>\n");
}

// ---------------------------------------------------------------- figures

// What only a picture can show, such as a histogram, is a picture as a whole.
static bool has_charts(const Figure *f) {
  if (f->plots.count < f->frames) return false;
  for (int k = 0; k < f->plots.count; k++)
    if (f->plots.at[k].series.count) return true;
  return false;
}

static bool is_used(const Document *d, const char *id) {
  for (int i = 0; i < d->figures.count; i++)
    if (strcmp(d->figures.at[i], id) == 0) return true;
  return false;
}

// Names of files that differ may be the same as names of elements.
static const char *figure_id(Document *d, const char *name) {
  Text t;
  text_init(&t);
  text_add(&t, "figure-");
  html_id(&t, name);
  const char *first = arena_copy(d->arena, t.at, t.length), *id = first;
  for (int number = 2; is_used(d, id); number++) id = arena_print(d->arena, "%s-%d", first, number);
  text_done(&t);
  array_push(d->arena, &d->figures, id);
  return id;
}

void document_figure(Document *d, const char *name, const Figure *f) {
  Text *out = d->out;
  const char *id = figure_id(d, name);
  text_print(out, "<figure id=\"%s\">\n<figcaption>", id);
  html_text(out, f->title);
  text_add(out, "</figcaption>\n");
  for (int k = 0; has_charts(f) && k < f->plots.count; k++) {
    const FigurePlot *plot = &f->plots.at[k];
    if (!plot->series.count) continue;
    text_print(out,
               "<div class=\"chart%s\" data-plot=\"%d\" tabindex=\"0\" role=\"img\" aria-label=\"",
               plot->below ? " below" : "", d->plots.count);
    html_attribute(out, plot->y_label);
    text_add(out, " over ");
    html_attribute(out, plot->x_label);
    text_add(out, "\"></div>\n");
    array_push(d->arena, &d->plots, plot);
  }
  text_print(out, "<div class=\"still%s\">", has_charts(f) ? " paper" : "");
  figure_svg_inside(f, arena_print(d->arena, "%s-", id), out);
  text_add(out, "</div>\n</figure>\n");
}

// As many digits as tell values apart that differ by step; six at least.
static void add_numbers(Text *out, const double *v, int count, double greatest, double step) {
  enum { DIGITS_LEAST = 6, DIGITS_MOST = 17 };
  int digits = greatest > step && step > 0 ? (int)fmin(ceil(log10(greatest / step)), 1000) + 1 : 0;
  digits = digits < DIGITS_LEAST ? DIGITS_LEAST : digits > DIGITS_MOST ? DIGITS_MOST : digits;
  text_add(out, "[");
  for (int i = 0; i < count; i++) {
    char text[40];
    c_snprintf(text, sizeof text, "%.*g", digits, v[i] + 0.0);
    text_print(out, "%s%s", i ? "," : "", isfinite(v[i]) ? text : "null");
  }
  text_add(out, "]");
}

typedef struct ChartRange {
  double greatest, step; // without sign; what may be lost
} ChartRange;

// Of all curves of a plot, which are seen against each other: a hundred thousandth of their range is less than a screen shows.
static ChartRange range_of(const FigurePlot *p) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int k = 0; k < p->series.count; k++)
    for (int i = 0; i < p->series.at[k].count; i++) {
      double y = p->series.at[k].y[i];
      if (isfinite(y)) low = fmin(low, y), high = fmax(high, y);
    }
  return (ChartRange){fmax(fabs(low), fabs(high)), (high - low) / 1e5};
}

// Times: neighbours are told apart.
static void add_places(Text *out, const double *v, int count) {
  double least = HUGE_VAL, greatest = 0;
  for (int i = 0; i < count; i++) {
    if (isfinite(v[i])) greatest = fmax(greatest, fabs(v[i]));
    if (i && v[i] != v[i - 1]) least = fmin(least, fabs(v[i] - v[i - 1]));
  }
  add_numbers(out, v, count, greatest, least / 10);
}

static int same_places(const FigurePlot *p, int s) {
  for (int k = 0; k < s; k++)
    if (p->series.at[k].count == p->series.at[s].count &&
        memcmp(p->series.at[k].x, p->series.at[s].x,
               (size_t)p->series.at[s].count * sizeof(double)) == 0)
      return k;
  return -1;
}

static void add_series(Text *out, const FigurePlot *p, int k, ChartRange range) {
  const FigureSeries *s = &p->series.at[k];
  int same = same_places(p, k);
  text_add(out, k ? ",\n{\"name\":" : "\n{\"name\":");
  html_json_string(out, s->name);
  text_print(out, ",\"ink\":\"#%06x\",\"dots\":%s,\"dash\":%d,\"x\":", (unsigned)s->ink & 0xFFFFFF,
             s->dots ? "true" : "false", (int)s->dash);
  if (same >= 0)
    text_print(out, "%d", same);
  else
    add_places(out, s->x, s->count);
  text_add(out, ",\"y\":");
  add_numbers(out, s->y, s->count, range.greatest, range.step);
  text_add(out, "}");
}

static void add_plot(Text *out, const FigurePlot *p) {
  ChartRange range = range_of(p);
  text_add(out, "{\"x\":");
  html_json_string(out, p->x_label);
  text_add(out, ",\"y\":");
  html_json_string(out, p->y_label);
  text_print(out, ",\"xlog\":%s,\"ylog\":%s,\"below\":%s,\"series\":[", p->x_log ? "true" : "false",
             p->y_log ? "true" : "false", p->below ? "true" : "false");
  for (int k = 0; k < p->series.count; k++) add_series(out, p, k, range);
  text_add(out, "]}");
}

// ---------------------------------------------------------------- files

void document_file(Document *d, const char *heading, const char *language, const char *text,
                   size_t length) {
  text_add(d->out, "<details><summary>");
  html_text(d->out, heading);
  text_print(d->out, "</summary><pre tabindex=\"0\"><code class=\"%s\">", language);
  html_attribute(d->out, arena_copy(d->arena, text, length));
  text_add(d->out, "</code></pre></details>\n");
}

// ---------------------------------------------------------------- the end

static const char LICENCE[] =
    "<p>Charts by dygraphs 2.2.</p>\n<details><summary>Its licence</summary><p>Copyright (c) "
    "2006-2023 Dan "
    "Vanderkam, Paul Felix, Robert Konigsberg, David Eberlein, Google, Inc., mirabilos, Petr "
    "Shevtsov, Deutsche Telekom LLCTO and numerous contributors. MIT licence: Permission is hereby "
    "granted, free of charge, to any person obtaining a copy of this software and associated "
    "documentation files (the \"Software\"), to deal in the Software without restriction, "
    "including without limitation the rights to use, copy, modify, merge, publish, distribute, "
    "sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is "
    "furnished to do so, subject to the following conditions: The above copyright notice and this "
    "permission notice shall be included in all copies or substantial portions of the Software. "
    "THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, "
    "INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR "
    "PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR "
    "ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, "
    "ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE "
    "SOFTWARE.</p></details>";

void document_end(Document *d, const char *version) {
  Text *out = d->out;
  text_add(out, "<details><summary>Words of this page</summary>\n");
  asset_add(out, ASSET_TERMS);
  text_add(out, "</details>\n</main>\n<footer><p>Made by entrain ");
  html_text(out, version);
  text_print(out, ".</p>\n%s</footer>\n", d->plots.count ? LICENCE : "");
  if (d->plots.count) {
    text_add(out, "<script type=\"application/json\" id=\"plots\">[");
    for (int k = 0; k < d->plots.count; k++) {
      text_add(out, k ? ",\n" : "\n");
      add_plot(out, d->plots.at[k]);
    }
    text_add(out, "]</script>\n");
  }
  private_folders_hide(out, d->begun, &d->folders);
  if (d->plots.count) add_script(out, ASSET_CHART_JS);
  add_script(out, ASSET_PAGE_JS);
  text_add(out, "</body>\n</html>\n");
  arena_free(d->arena);
}
