// The public library: pictures of results.
#include "api/api_figures.h"

#include "api/api.h"
#include "draw/figure_cairo.h"
#include "draw/figure_screen.h"

struct EntrainFigures {
  FigureList list; // the arena of which owns this, too
};

EntrainFigures *api_figures(FigureList *l) {
  EntrainFigures *f = ARENA_NEW(l->arena, EntrainFigures);
  f->list = *l;
  return f;
}

const FigureList *api_figure_list(const EntrainFigures *f) {
  return &f->list;
}

void entrain_figures_free(EntrainFigures *f) {
  if (f) figure_list_free(&f->list);
}

int entrain_figures_count(const EntrainFigures *f) {
  return f ? f->list.at.count : 0;
}

static const NamedFigure *figure_at(const EntrainFigures *f, int i) {
  return f && i >= 0 && i < f->list.at.count ? &f->list.at.at[i] : NULL;
}

const char *entrain_figures_name(const EntrainFigures *f, int i) {
  const NamedFigure *figure = figure_at(f, i);
  return figure ? figure->name : NULL;
}

const char *entrain_figures_title(const EntrainFigures *f, int i) {
  const NamedFigure *figure = figure_at(f, i);
  return figure ? figure->figure->title : NULL;
}

char *entrain_figures_svg(const EntrainFigures *f, int i) {
  const NamedFigure *figure = figure_at(f, i);
  return api_svg(figure ? figure->figure : NULL, NULL);
}

char *entrain_figures_png(const EntrainFigures *f, int i, size_t *length) {
  const NamedFigure *figure = figure_at(f, i);
  return api_png(figure ? figure->figure : NULL, NULL, length);
}

char *entrain_figures_pdf(const EntrainFigures *f, int i, size_t *length) {
  const NamedFigure *figure = figure_at(f, i);
  return api_pdf(figure ? figure->figure : NULL, NULL, length);
}

bool entrain_figures_ready(EntrainError *error) {
  Err err = {0};
  figure_cairo_ready(&err);
  return api_fine(&err, error);
}

char *entrain_figures_plot(const EntrainFigures *f, int i, int width, int height, bool colour) {
  const NamedFigure *figure = figure_at(f, i);
  int plots = figure ? figure_screen_plots(figure->figure) : 0;
  if (!plots) return NULL;
  Text t;
  text_init(&t);
  figure_screen(figure->figure, plots, &(ScreenStyle){api_size(width), api_size(height), colour},
                &t);
  return t.at;
}
