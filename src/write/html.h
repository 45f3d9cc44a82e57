// Text as part of an HTML page: nothing in it is markup, whoever wrote it.
#pragma once
#include "base/text.h"

// Characters that HTML takes for markup are escaped; control characters, those that change the direction of writing and broken UTF-8 are
// shown as U+FFFD. Tints of write/page.h become elements with a class.
void html_text(Text *out, const char *text);
// The same for the value of an attribute in double quotes; tints are left out.
void html_attribute(Text *out, const char *text);
// A string for JSON inside of a script element: no "</" and no "<!--" in it.
void html_json_string(Text *out, const char *text);
// A name for an element from its heading: letters, digits and '-'.
void html_id(Text *out, const char *heading);
