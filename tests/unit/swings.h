// Two motions for tests of residuals and searches: data that the model makes itself, with noise if wanted.
#pragma once
#include "evaluation.h"
#include "hand_problem.h"

// x'' + 0.1 x' + a x + b x^3 = 0, x and v measured; one start of x for each experiment.
enum { DUFFING_SAMPLES = 61 };
static const double DUFFING_TRUTH[] = {2, 0.5};

static inline Hand *duffing(int experiments, double noise) {
  Hand *h = hand_text("model Duffing\n"
                      "  parameter Real a = 2;\n  parameter Real b = 0.5;\n"
                      "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
                      "equation\n  der(x) = v;\n  der(v) = -0.1*v - a*x - b*x^3;\nend Duffing;\n");
  for (int e = 0; e < experiments; e++) {
    hand_truth(h, "x.start", 1 + 0.3 * e);
    hand_experiment(h, (HandData){.channels = {"x", "v"},
                                  .step = 0.1,
                                  .count = DUFFING_SAMPLES,
                                  .noise = noise,
                                  .seed = (uint64_t)e + 1});
  }
  hand_estimate(h, "a", -1, 1.7, 0, 9);
  hand_estimate(h, "b", -1, 0.8, 0, 9);
  return h;
}

// theta'' = -p sin(theta), theta measured over many periods: an objective with many optima.
static inline Hand *pendulum(double noise, double start) {
  Hand *h = hand_text("model Pendulum\n  parameter Real p = 10;\n"
                      "  Real theta(start = 0.5, fixed = true);\n"
                      "  Real omega(start = 0, fixed = true);\nequation\n"
                      "  der(theta) = omega;\n  der(omega) = -p*sin(theta);\nend Pendulum;\n");
  hand_experiment(
      h, (HandData){.channels = {"theta"}, .step = 0.05, .count = 301, .noise = noise, .seed = 4});
  hand_estimate(h, "p", -1, start, 1, 40);
  return h;
}
