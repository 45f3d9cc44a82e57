// Takes out of a page what does not concern those who get it: folders of the machine on which it was made.
#pragma once
#include "base/text.h"

typedef struct PrivateFolders { // absolute paths without a slash at the end; borrowed
  const char *problem;          // files in it are named without it; NULL: none
  const char *former;           // the same, of the problem when the result was made
  const char *present;          // the same, of whoever makes the page
  const char *home;             // shown as ~
} PrivateFolders;

// In HTML from byte `from` on, wherever they begin a path, also escaped as html_text and html_json_string write them.
void private_folders_hide(Text *html, size_t from, const PrivateFolders *f);
