#include "live/live_page.h"

#include "html/asset.h"
#include "write/html.h"

static void add_head(Text *out, const char *title) {
  text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>");
  html_text(out, title);
  text_add(out, "</title>\n<style>\n");
  asset_add(out, ASSET_CHART_CSS);
  text_add(out, "\n");
  asset_add(out, ASSET_PAGE_CSS);
  text_add(out, "\n");
  asset_add(out, ASSET_LIVE_CSS);
  text_add(out, "\n</style>\n</head>\n");
}

// Filled by live.js.
static const char BODY[] =
    "<p id=\"lost\" class=\"banner\" role=\"alert\" hidden></p>\n"
    "<main>\n"
    "<section id=\"study\" hidden aria-label=\"Progress of the study\">\n"
    "<progress id=\"bar\" max=\"1\" value=\"0\"></progress>\n"
    "<p id=\"outcomes\" class=\"note\"></p>\n</section>\n"
    "<dl id=\"numbers\" class=\"numbers\"></dl>\n"
    "<p id=\"doubt\" class=\"note\" hidden></p>\n"
    "<section id=\"motion\" hidden>\n<h2>Data and model <small id=\"motion-note\"></small></h2>\n"
    "<label id=\"experiment-label\" hidden>Experiment <select id=\"experiment\"></select></label>\n"
    "<div id=\"channels\" class=\"charts\"></div>\n</section>\n"
    "<section id=\"course\" hidden>\n<h2 id=\"course-title\">Course of the search</h2>\n"
    "<div id=\"objective\" class=\"charts\"></div>\n</section>\n"
    "<section id=\"parameters\" hidden>\n<h2>Parameters over the steps</h2>\n"
    "<div id=\"values\" class=\"charts small\"></div>\n</section>\n"
    "<p id=\"waiting\" class=\"note\">Waiting for the first step ...</p>\n"
    "</main>\n";

void live_page(Text *out, const char *title, const char *nonce) {
  add_head(out, title);
  text_add(out, "<body class=\"live\">\n<header>\n<div class=\"what\">\n<h1>");
  html_text(out, title);
  text_add(out, "</h1>\n<p id=\"status\" role=\"status\">Connecting ...</p>\n</div>\n"
                "<div class=\"buttons\" role=\"group\" aria-label=\"Control of the computation\">\n"
                "<button id=\"pause\" type=\"button\" disabled>Pause</button>\n"
                "<button id=\"take\" type=\"button\" hidden>Take this as the result</button>\n"
                "<button id=\"stop\" type=\"button\" class=\"danger\" disabled>Stop</button>\n"
                "</div>\n</header>\n");
  text_add(out, BODY);
  text_print(out, "<script nonce=\"%s\">\n", nonce);
  asset_add(out, ASSET_CHART_JS);
  text_add(out, "\n");
  asset_add(out, ASSET_LIVE_JS);
  text_add(out, "\n</script>\n</body>\n</html>\n");
}

void live_text_page(Text *out, const char *title, const char *text) {
  add_head(out, title);
  text_add(out, "<body class=\"live\">\n<main>\n<pre>");
  html_text(out, text);
  text_add(out, "</pre>\n</main>\n</body>\n</html>\n");
}
