model TwoPeaks "a spectrum with two lines, a regression without states: the lines can be exchanged"
  parameter Real A1 = 2.1, m1 = 3.2, A2 = 1.2, m2 = 5.6, w = 0.7;
  input Real f;
  output Real y;
equation
  y = A1/(1 + ((f - m1)/w)^2) + A2/(1 + ((f - m2)/w)^2);
end TwoPeaks;
