#include "report/figure_list.h"

#include <string.h>

FigureList *figure_list_new(void) {
  Arena *a = arena_new();
  FigureList *l = ARENA_NEW(a, FigureList);
  l->arena = a;
  return l;
}

void figure_list_free(FigureList *l) {
  if (l) arena_free(l->arena);
}

static void make_plain(char *name) {
  static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  char *to = name;
  for (char *from = name; *from; from++) {
    bool allowed = strchr(ALLOWED, *from) != NULL;
    if (allowed || (to > name && to[-1] != '-')) *to++ = allowed ? *from : '-';
  }
  while (to > name && to[-1] == '-') to--;
  *to = 0;
}

static bool is_taken(const FigureList *l, const char *name) {
  for (int i = 0; i < l->at.count; i++)
    if (strcmp(l->at.at[i].name, name) == 0) return true;
  return false;
}

enum { NAME_MOST = 120 }; // letters; file systems allow 255 bytes with the ending

void figure_list_add(FigureList *l, const char *name, const char *part, Figure *figure) {
  if (!figure) return;
  char *plain =
      arena_print(l->arena, "%s%s%.*s", name, part ? "-" : "", NAME_MOST, part ? part : "");
  make_plain(plain);
  const char *unique = plain;
  for (int i = 2; is_taken(l, unique); i++) unique = arena_print(l->arena, "%s-%d", plain, i);
  array_push(l->arena, &l->at, ((NamedFigure){unique, figure}));
}
