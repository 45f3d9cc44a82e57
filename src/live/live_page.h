// The page that follows a fit or a study: frame, style and script, all in one text.
#pragma once
#include "base/text.h"

void live_page(Text *out, const char *title, const char *nonce); // nonce: of its script
// A page with nothing but a text, as it is.
void live_text_page(Text *out, const char *title, const char *text);
