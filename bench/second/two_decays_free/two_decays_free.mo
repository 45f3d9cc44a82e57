model TwoDecaysFree "sum of two decays whose sizes and rates are all unknown: the pairs can be exchanged"
  parameter Real A1 = 1.3, k1 = 0.35, A2 = 0.8, k2 = 2.4;
  Real x1(start = A1, fixed = true), x2(start = A2, fixed = true);
  output Real y;
equation
  der(x1) = -k1*x1;
  der(x2) = -k2*x2;
  y = x1 + x2;
end TwoDecaysFree;
