// Would one more term in the equations of the states, or another start value, explain residuals of a result? der(x) = f + factor * term: the slopes
// of the data by the factors, at factors of 0, come with those by the unknowns from one simulation of the model with all
// terms. This is the score test: what a term would explain after the unknowns have followed, to first order.
#pragma once
#include "num/added_term.h"
#include "residual/varied_problem.h"
#include "search/samples.h"

enum { SCORE_TERMS_MOST = 40, SCORE_STARTS_MOST = 20 };

typedef struct TermScores {
  Arena *arena; // everything is made in it
  const Problem *problem;
  EvalWork *work;
  const Weighting *weighting;
  const double *x; // of the result

  EquationTerm terms[SCORE_TERMS_MOST];
  int count;
  FixedStart starts[SCORE_STARTS_MOST];
  int start_count;
  Samples *rows;  // of the problem with these terms, and behind them these start values
  double *r;      // weighted residuals, without what the unknowns explain
  double **basis; // orthonormal, of the slopes by the unknowns
  int basis_count;
  RowSeries *series; // by channel
} TermScores;

// The first fields are given. false: nothing can be told at this result.
bool term_scores_find(TermScores *t);
// A column of the rows, as the objective weighs it.
double *term_scores_weighted(const TermScores *t, const double *column);
// Takes away what the unknowns can explain. false: nothing else is in it.
bool term_scores_remove(const TermScores *t, double *column);

// What is least likely to explain as much by chance, if it is missing beyond doubt and counts; term NULL: nothing.
FitTerm term_scores_missing(const TermScores *t);
