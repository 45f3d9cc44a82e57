// The page of a result: its report as HTML, its pictures where the report speaks of them, and what it was made from.
#pragma once
#include "html/private_folders.h"
#include "problem/source_file.h"
#include "report/figure_list.h"

typedef struct ResultPage { // borrows everything
  const char *title;
  const char *command;       // that makes it again; NULL: unknown
  const char *body;          // made by write/page.h
  const FigureList *figures; // NULL: none
  const MadeFrom *files;
  bool without_model, without_data; // they are left out, and what would show them
  PrivateFolders folders;           // of whoever makes the page: they are not in it
  const char *version;
} ResultPage;

void result_page(Text *out, const ResultPage *p);
