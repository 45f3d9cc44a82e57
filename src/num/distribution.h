// Probability laws: normal, Student, chi-square. Accurate to about 1e-12, in the tails relative to the tail.
#pragma once

double normal_below(double x);    // P(X <= x); above(x) = below(-x)
double normal_quantile(double p); // 0 < p < 1
// Degrees of freedom need not be whole; they are > 0.
double student_below(double t, double freedom);
double student_quantile(double p, double freedom);
double chi_square_below(double x, double freedom);
double chi_square_above(double x, double freedom);
double chi_square_quantile(double p, double freedom); // 0 < p < 1
