#include "html/private_folders.h"

#include <ctype.h>
#include <string.h>

#include "write/html.h"

// A letter before makes it a part of a longer path, '<' makes it a tag.
static bool begins_path(const char *all, const char *at) {
  if (at == all) return true;
  unsigned char before = (unsigned char)at[-1];
  return !isalnum(before) && !strchr("_.~-<", before) && before < 0x80;
}

static bool ends_name(const char *at) {
  unsigned char after = (unsigned char)*at;
  return !isalnum(after) && after != '_' && after != '-' && after < 0x80;
}

static void replace(Text *html, size_t from, const char *folder, const char *with) {
  size_t length = strlen(folder);
  Text rest;
  text_init(&rest);
  const char *all = html->at + from, *done = all;
  for (const char *s = all; (s = strstr(s, folder));) {
    if (!begins_path(all, s) || !(folder[length - 1] == '/' || ends_name(s + length))) {
      s++;
      continue;
    }
    text_add_bytes(&rest, done, (size_t)(s - done));
    text_add(&rest, with);
    done = s += length;
  }
  if (done > all) {
    text_add(&rest, done);
    html->length = from;
    text_add_bytes(html, rest.at, rest.length);
  }
  text_done(&rest);
}

// As text, and as a string of JSON without its quotes.
static void hide(Text *html, size_t from, const char *folder, const char *with) {
  Text shown, string;
  text_init(&shown);
  text_init(&string);
  html_attribute(&shown, folder);
  html_json_string(&string, folder);
  string.at[string.length - 1] = 0;
  replace(html, from, shown.at, with);
  if (strcmp(shown.at, string.at + 1) != 0) replace(html, from, string.at + 1, with);
  text_done(&shown);
  text_done(&string);
}

static bool is_private(const char *folder) { // the root tells nothing
  return folder && folder[0] == '/' && folder[strspn(folder, "/")];
}

static void hide_around(Text *html, size_t from, const char *folder) {
  if (!is_private(folder)) return;
  Text slash;
  text_init(&slash);
  text_print(&slash, "%s/", folder);
  hide(html, from, slash.at, "");
  hide(html, from, folder, ".");
  text_done(&slash);
}

void private_folders_hide(Text *html, size_t from, const PrivateFolders *f) {
  hide_around(html, from, f->problem);
  hide_around(html, from, f->former);
  hide_around(html, from, f->present);
  if (is_private(f->home)) hide(html, from, f->home, "~");
}
