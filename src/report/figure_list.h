// The pictures of a result, each with the name of its file.
#pragma once
#include "draw/figure.h"

typedef struct NamedFigure {
  const char *name; // without an ending: letters, digits, '-', '_' and '.'
  Figure *figure;
} NamedFigure;

typedef struct FigureList {
  Arena *arena; // owns the figures
  ARRAY(NamedFigure) at;
} FigureList;

FigureList *figure_list_new(void);
void figure_list_free(FigureList *l); // NULL is allowed
// part: of what, such as an experiment; NULL: of everything. The name is made fit for a file and unique in the list. A figure
// that is NULL is left out.
void figure_list_add(FigureList *l, const char *name, const char *part, Figure *figure);
