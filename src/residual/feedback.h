// The model coupled to the data of a problem by a feedback: der(x_i) = f_i + lambda * sum of gain * direction * (data -
// measured), see model/couple.h. Constant once made.
//
// There are two. "pd": into the measured states and their rates, with gains from the frequency of the data, unless the user
// gave them. "y": into every state, with gains that observer.h designs for one start of a search.
#pragma once
#include "model/couple.h"
#include "residual/compiled_model.h"
#include "residual/measured_data.h"

typedef struct Feedback {
  Arena *arena;
  Coupling coupling;
  double *gain;  // by term of the coupling, at strength 1
  double *width; // by blend of the coupled model
  const Coupled *coupled;
  CompiledModel *compiled; // of less accuracy: a coupled fit is only a start for the free one
  const Input *const *
      *inputs; // [experiment][input of the coupled model]: its own ones, then the data
} Feedback;

#define FEEDBACK_REL_TOL 1e-6

typedef struct
    FeedbackGains { // designed for one start of a search; a value that simulations are given
  const Feedback *feedback;
  const double *const *gain; // [experiment][term]
} FeedbackGains;

// NULL: nothing that is measured can act on the model.
Feedback *feedback_new(const MeasuredData *d);
// From every channel into each of these states, term channel*count + i; its gains are 0.
Feedback *feedback_new_full(const MeasuredData *d, const int *states, int count);
void feedback_free(Feedback *f); // NULL is allowed
// The parameters of the coupled model that belong to the feedback: lambda and the gains (NULL: its own), those of measured
// states multiplied with strength, those of their rates with its square.
void feedback_set(const Feedback *f, const Problem *p, int experiment, double lambda,
                  double strength, const double *gain, double *parameters);
