#include "html/asset.h"

#include <string.h>

// The assembler reads the files when the program is built.
#define FILE_TEXT(symbol, path)                                                                    \
  __asm__(".section .rodata\n"                                                                     \
          ".global " #symbol "_begin\n.hidden " #symbol "_begin\n"                                 \
          ".global " #symbol "_end\n.hidden " #symbol "_end\n" #symbol "_begin:\n"                 \
          ".incbin \"" path "\"\n" #symbol "_end:\n.byte 0\n.previous\n");                         \
  extern const char symbol##_begin[], symbol##_end[]

FILE_TEXT(html_page_css, "src/html/page.css");
FILE_TEXT(html_page_js, "src/html/page.js");
FILE_TEXT(html_live_css, "src/html/live.css");
FILE_TEXT(html_live_js, "src/html/live.js");
FILE_TEXT(html_terms, "src/html/terms.html");
// Debian's libjs-dygraphs; its licence (MIT) stands at the beginning of the script, see document.c.
FILE_TEXT(html_chart_css, "/usr/share/javascript/dygraphs/dygraph.min.css");
FILE_TEXT(html_chart_js, "/usr/share/javascript/dygraphs/dygraph.min.js");

// The library names files for debuggers, which a page has not.
static size_t without_map(const char *text, size_t length) {
  static const char MAP[] = "//# sourceMappingURL", STYLE_MAP[] = "/*# sourceMappingURL";
  const char *at = memmem(text, length, MAP, sizeof MAP - 1);
  if (!at) at = memmem(text, length, STYLE_MAP, sizeof STYLE_MAP - 1);
  return at ? (size_t)(at - text) : length;
}

void asset_add(Text *out, Asset asset) {
  const struct {
    const char *begin, *end;
  } TEXTS[] = {{html_page_css_begin, html_page_css_end},   {html_page_js_begin, html_page_js_end},
               {html_live_css_begin, html_live_css_end},   {html_live_js_begin, html_live_js_end},
               {html_chart_css_begin, html_chart_css_end}, {html_chart_js_begin, html_chart_js_end},
               {html_terms_begin, html_terms_end}};
  const char *text = TEXTS[asset].begin;
  text_add_bytes(out, text, without_map(text, (size_t)(TEXTS[asset].end - text)));
}
