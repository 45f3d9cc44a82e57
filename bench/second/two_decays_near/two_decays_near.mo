model TwoDecaysNear "two stores of known content empty at their own rates; only the sum is seen"
  parameter Real k1(min = 0, unit = "1/s") = 0.4, k2(min = 0, unit = "1/s") = 1.6;
  Real x1(start = 1, fixed = true), x2(start = 0.9, fixed = true);
  output Real y;
equation
  der(x1) = -k1*x1;
  der(x2) = -k2*x2;
  y = x1 + x2;
end TwoDecaysNear;
