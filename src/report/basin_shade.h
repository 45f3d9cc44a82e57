// How the outcomes of starts are shown: the same kinds, colours and names in pictures, on terminals and in tables.
#pragma once
#include "draw/figure.h"
#include "study/basin.h"

enum { SHADE_OPTIMA = 6 }; // the best and the most common other optima have their own colours
typedef enum BasinShade {
  SHADE_BEST, // optimum 0; the others follow, the most common first
  SHADE_OTHER = SHADE_OPTIMA,
  SHADE_NOT_CONVERGED,
  SHADE_FAILED,
  SHADE_OPEN, // not done
  SHADE_COUNT,
} BasinShade;

BasinShade shade_of(const Basin *b, int start);
BasinShade shade_of_optimum(const Basin *b, int optimum);
Ink shade_ink(BasinShade s);
int shade_terminal(BasinShade s);               // one of the 256 colours of a terminal, -1: none
char shade_letter(BasinShade s);                // without colours
int shade_starts(const Basin *b, BasinShade s); // number of finished starts
// "best optimum, objective 1.2e-14", "12 other optima", "not converged". Lives in a.
const char *shade_name(const Basin *b, BasinShade s, Arena *a);

double basin_share(const Basin *b, int count); // of the finished starts; 0 if there is none
// "100 %", "4.5 %". Lives in a.
const char *basin_percent(const Basin *b, int count, Arena *a);
// "4.5 % of the starts reach the best optimum"; "... that was found" if it is not certain that it is the best one;
// "4.5 % of 120 starts ..." if the study was stopped. Lives in a.
const char *basin_headline(const Basin *b, Arena *a);
// "21 x 21 starts over alpha and beta", "200 random starts over all unknowns". Lives in a.
const char *basin_starts_text(const Basin *b, Arena *a);
// ", mu = 0.1": start values of the unknowns that do not vary between starts. Lives in a.
const char *basin_fixed(const Basin *b, Arena *a);
const char *basin_method(const Basin *b, Arena *a);
