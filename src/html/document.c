#include "html/document.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "draw/figure_svg.h"
#include "html/asset.h"
#include "write/html.h"

// Nothing is loaded, and nothing is sent anywhere.
#define POLICY                                                                                     \
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

Document document_begin(Text *out, const char *title) {
  text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
  html_attribute(out, title);
  text_add(out, "</title>\n<style>\n");
  asset_add(out, ASSET_CHART_CSS);
  text_add(out, "\n");
  asset_add(out, ASSET_PAGE_CSS);
  text_add(out, "</style>\n</head>\n<body class=\"noscript\">\n<header><h1>");
  html_attribute(out, title);
  text_add(out, "</h1><nav aria-label=\"Parts of this page\"></nav></header>\n<main>\n");
  return (Document){.out = out, .arena = arena_new()};
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

static bool has_charts(const Figure *f) {
  for (int k = 0; k < f->plots.count; k++)
    if (f->plots.at[k].series.count) return true;
  return false;
}

void document_figure(Document *d, const char *name, const Figure *f) {
  Text *out = d->out;
  text_add(out, "<figure id=\"figure-");
  html_id(out, name);
  text_add(out, "\">\n<figcaption>");
  html_text(out, f->title);
  text_add(out, "</figcaption>\n");
  for (int k = 0; k < f->plots.count; k++) {
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
  figure_svg_inside(f, out);
  text_add(out, "</div>\n</figure>\n");
}

// Six digits: more than any screen has dots.
static void add_numbers(Text *out, const double *v, int count) {
  text_add(out, "[");
  for (int i = 0; i < count; i++) {
    char digits[32];
    c_snprintf(digits, sizeof digits, "%.6g", v[i] + 0.0);
    text_print(out, "%s%s", i ? "," : "", isfinite(v[i]) ? digits : "null");
  }
  text_add(out, "]");
}

// Times need as many digits as tell neighbours apart.
static void add_places(Text *out, const double *v, int count) {
  double least = HUGE_VAL, greatest = 0;
  for (int i = 0; i < count; i++) {
    greatest = fmax(greatest, fabs(v[i]));
    if (i && v[i] != v[i - 1]) least = fmin(least, fabs(v[i] - v[i - 1]));
  }
  int digits = isfinite(least) && greatest > 0 ? (int)ceil(log10(greatest / least)) + 2 : 6;
  digits = digits < 6 ? 6 : digits > 17 ? 17 : digits;
  text_add(out, "[");
  for (int i = 0; i < count; i++) {
    char text[40];
    c_snprintf(text, sizeof text, "%.*g", digits, v[i] + 0.0);
    text_print(out, "%s%s", i ? "," : "", isfinite(v[i]) ? text : "null");
  }
  text_add(out, "]");
}

static int same_places(const FigurePlot *p, int s) {
  for (int k = 0; k < s; k++)
    if (p->series.at[k].count == p->series.at[s].count &&
        memcmp(p->series.at[k].x, p->series.at[s].x,
               (size_t)p->series.at[s].count * sizeof(double)) == 0)
      return k;
  return -1;
}

static void add_series(Text *out, const FigurePlot *p, int k) {
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
  add_numbers(out, s->y, s->count);
  text_add(out, "}");
}

static void add_plot(Text *out, const FigurePlot *p) {
  text_add(out, "{\"x\":");
  html_json_string(out, p->x_label);
  text_add(out, ",\"y\":");
  html_json_string(out, p->y_label);
  text_print(out, ",\"xlog\":%s,\"ylog\":%s,\"below\":%s,\"series\":[", p->x_log ? "true" : "false",
             p->y_log ? "true" : "false", p->below ? "true" : "false");
  for (int k = 0; k < p->series.count; k++) add_series(out, p, k);
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
    "Charts by <a href=\"#dygraphs\">dygraphs</a> 2.2. <details id=\"dygraphs\"><summary>Its "
    "licence</summary><p>Copyright (c) 2006-2023 Dan "
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
  text_add(out, "</main>\n<footer><p>Made by entrain ");
  html_text(out, version);
  text_print(out, ". %s</p></footer>\n", d->plots.count ? LICENCE : "");
  if (d->plots.count) {
    text_add(out, "<script type=\"application/json\" id=\"plots\">[");
    for (int k = 0; k < d->plots.count; k++) {
      text_add(out, k ? ",\n" : "\n");
      add_plot(out, d->plots.at[k]);
    }
    text_add(out, "]</script>\n<script>\n");
    asset_add(out, ASSET_CHART_JS);
    text_add(out, "\n</script>\n");
  }
  text_add(out, "<script>\n");
  asset_add(out, ASSET_PAGE_JS);
  text_add(out, "</script>\n</body>\n</html>\n");
  arena_free(d->arena);
}
