// How the outcome of a start is shown: the same kinds in pictures, on terminals and in tables.
#pragma once
#include "draw/figure.h"
#include "study/basin.h"

enum { SHADE_OPTIMA = 6 }; // the best one and the most common others have colours of their own
typedef enum BasinShade {
  SHADE_BEST, // optimum 0, those of the others follow, the most common first
  SHADE_OTHER = SHADE_OPTIMA,
  SHADE_NOT_CONVERGED,
  SHADE_FAILED,
  SHADE_OPEN, // not done
  SHADE_COUNT,
} BasinShade;

BasinShade shade_of(const Basin *b, int start);
BasinShade shade_of_optimum(const Basin *b, int optimum);
Ink shade_ink(BasinShade s);
int shade_terminal(BasinShade s);               // colour of the 256 of terminals, -1: none
char shade_letter(BasinShade s);                // where there are no colours
int shade_starts(const Basin *b, BasinShade s); // how many of the finished ones
// "best optimum, objective 1.2e-14", "12 other optima", "not converged". Lives in a.
const char *shade_name(const Basin *b, BasinShade s, Arena *a);

double basin_share(const Basin *b, int count); // of the finished starts; 0 before the first
// "100 %", "4.5 %". Lives in a.
const char *basin_percent(const Basin *b, int count, Arena *a);
// "4.5 % of the starts reach the best optimum"; "... that was found" where nothing makes sure that it is the best one;
// "4.5 % of 120 starts ..." when it was stopped. Lives in a.
const char *basin_headline(const Basin *b, Arena *a);
// "21 x 21 starts over alpha and beta", "200 random starts over all numbers". Lives in a.
const char *basin_plan(const Basin *b, Arena *a);
// ", mu = 0.1": where the numbers begin in which the starts do not differ. Lives in a.
const char *basin_fixed(const Basin *b, Arena *a);
const char *basin_method(const Basin *b, Arena *a);
