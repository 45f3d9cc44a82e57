#include "draw/colour_scale.h"

// Each is darker than the one before, so that they keep their order in print.
static const Ink STOPS[] = {0xD4DCE4, 0x8FB8DE, 0x2C7FB8, 0x6A3D9A, 0x9E0E26};
// Harrower and Brewer (2003), RdBu of ColorBrewer, which people with a colour deficiency can tell apart; the middle is no pure
// grey (figure.h).
static const Ink SIDES[] = {0x2166AC, 0x4393C3, 0x92C5DE, 0xD1E5F0, 0xF7F7F5,
                            0xFDDBC7, 0xF4A582, 0xD6604D, 0xB2182B};
enum { STEPS = 96 };

static Ink between(const Ink *stops, int count, double share) {
  double along = fmin(fmax(share, 0), 1) * (count - 1);
  int stop = along < count - 1 ? (int)along : count - 2;
  return ink_mix(stops[stop], stops[stop + 1], along - stop);
}

static Ink colour_at(const ColourScale *s, double share) {
  return s->two_sided ? between(SIDES, sizeof SIDES / sizeof *SIDES, share)
                      : between(STOPS, sizeof STOPS / sizeof *STOPS, share);
}

static double share_of(const ColourScale *s, double value) {
  if (!(s->most > s->least)) return 0.5;
  if (s->log) return value > 0 ? log(value / s->least) / log(s->most / s->least) : 0;
  return ticks_fraction(value, s->least, s->most);
}

Ink colour_of(const ColourScale *s, double value) {
  return colour_at(s, share_of(s, value));
}

void colour_bar(Figure *f, Spot corner, double width, const ColourScale *s) {
  Frame frame = {corner.x, corner.y, width, COLOUR_BAR_HEIGHT};
  bool one = !(s->most > s->least);
  for (int i = 0; i < STEPS; i++)
    figure_box(f, (Frame){corner.x + width * i / STEPS, corner.y, width / STEPS, frame.height},
               colour_at(s, one ? 0.5 : (i + 0.5) / STEPS), NO_STROKE);
  figure_box(f, frame, INK_NONE, (Stroke){INK_BLACK, 1, DASH_FULL});
  Axis axis = {s->least, s->most, s->log, NULL};
  if (one) axis.log = false, ticks_widen(&axis.least, &axis.most);
  Axes axes = {f, frame, axis, {0, 1, false, NULL}};
  Ticks ticks;
  axis_ticks(&axis, (int)(width / 60), &ticks);
  for (int i = 0; i < ticks.count; i++) {
    double x = axes_x(&axes, ticks.at[i]), foot = corner.y + frame.height;
    figure_line(f, (Spot){x, foot}, (Spot){x, foot + 4}, (Stroke){INK_BLACK, 1, DASH_FULL});
    figure_text(f, (Spot){x, foot + 17}, ticks.label[i],
                (Lettering){.size = AXES_TEXT - 1, .align = ALIGN_CENTRE});
  }
  figure_text(f, (Spot){corner.x + width / 2, corner.y + frame.height + 34}, s->label,
              (Lettering){.size = AXES_TEXT, .align = ALIGN_CENTRE});
}
