// Points that the symmetries of usual models make as good as a result: no search from elsewhere is sure to find them, but one
// simulation shows whether the model at hand has the symmetry.
//
// Exchange: two numbers of one unit change places (masses, lags, modes). Sign: numbers change their signs (a model that is
// even in them). Turn: an angle changes by 2 pi, or 360 deg. Alias: samples at equal times cannot tell a frequency w from
// 2 pi/h - w, or f from 1/h - f.
#pragma once
#include "search/search.h"

typedef enum ImageKind { IMAGE_EXCHANGE, IMAGE_SIGN, IMAGE_TURN, IMAGE_ALIAS } ImageKind;

typedef struct Image {
  ImageKind kind;
  double *x;        // inside the bounds, more than 2 % away from the result in some number
  double objective; // of the free model; HUGE_VAL: it cannot be computed
} Image;

// Those of x that are worth a local search, the best first, at most `most`: of exchanges the two best ones, of the others those
// that fit nearly as well as x. Evaluates once for each image, unless there are few exchanges only.
int images_find(Search *s, const double *x, Image *images, int most);
