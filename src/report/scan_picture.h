// What a picture of a scan shows, the same on paper (scan_figure.c) and on a terminal (scan_screen.c): curves over one number,
// or for each lambda a map over two, with a scale of colours. Few values of the second number are curves, too.
#pragma once
#include "draw/figure_axes.h"
#include "study/scan.h"

// The objectives of a map as colours: low ones are dark.
enum { SCAN_BANDS = 48, SCAN_GAP = SCAN_BANDS }; // SCAN_GAP: could not be simulated, or not done

typedef struct ScanScale {
  Axis axis; // of the objective; logarithmic if asked for, or if it spans much
} ScanScale;

const double *scan_objectives(const ObjectiveScan *s, int lambda); // of the points of one lambda
ScanScale scan_scale(const ObjectiveScan *s, int lambda);
int scan_band(const ScanScale *scale, double objective);      // 0 .. SCAN_BANDS - 1, or SCAN_GAP
double scan_height(const ScanScale *scale, double objective); // 0 .. 1 along the scale
Ink scan_ink(int band);
int scan_terminal(int band); // one of the 256 colours of a terminal
char scan_letter(int band);

// The axis of a number; over a map it extends half a cell beyond the first and the last point.
Axis scan_axis(const ObjectiveScan *s, int k, bool cells, Arena *a);
// "lambda = 0.5". Lives in a.
const char *scan_lambda_text(Arena *a, double lambda);
// "Objective over p and q: problem.yaml". Lives in a.
const char *scan_title(const ObjectiveScan *s, Arena *a);
// ---- curves: a panel with a curve for each lambda, or for each lambda a panel with a curve for each value of the second number

enum { SCAN_CURVES_MOST = 6 }; // values of the second number

bool scan_is_curves(const ObjectiveScan *s);
int scan_panel_count(const ObjectiveScan *s);
int scan_curve_count(const ObjectiveScan *s); // of each panel
typedef struct ScanCurve {
  const char *label;    // "lambda = 0.5", "q = 3"; "" if it is the only one of the free model
  const double *values; // by point of the first axis
  int best;             // its least one, -1: none
} ScanCurve;
ScanCurve scan_curve(const ObjectiveScan *s, int panel, int i, Arena *a);
// Whether the objective axis of curves is logarithmic: asked for, and all are positive.
bool scan_curves_are_log(const ObjectiveScan *s);
