// A self-contained page: HTML with its style, scripts and numbers in one file, which asks nobody for anything.
//
// Everything that comes from outside (names, texts, paths) is escaped here. Curves of figures are charts to zoom and hover; on paper, and
// where there are no scripts, the pictures of the same figures stand in their place.
#pragma once
#include "base/array.h"
#include "draw/figure.h"
#include "html/private_folders.h"

typedef struct Document {
  Text *out;
  Arena *arena;
  size_t begun;                    // here begins what comes from outside
  ARRAY(const FigurePlot *) plots; // that charts were made for, in their order
  ARRAY(const char *) figures;     // names of their elements
  PrivateFolders folders;          // may be set: document_end takes them out
} Document;

Document document_begin(Text *out, const char *title);
void document_add(Document *d, const char *html, size_t length); // as it is: made by write/page.h
// name: of the element; one that is there already gets a number.
void document_figure(Document *d, const char *name, const Figure *f);
void document_heading(Document *d, const char *title);
// A text as it stands in its file, behind a heading to open. language: of the highlighting, "modelica", "yaml" or "".
void document_file(Document *d, const char *heading, const char *language, const char *text,
                   size_t length);
void document_end(Document *d, const char *version);
