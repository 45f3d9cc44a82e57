model ThreeDecays "three stores of known content; only the sum is seen"
  parameter Real k1(unit = "1/s") = 0.25, k2(unit = "1/s") = 1.1, k3(unit = "1/s") = 4.5;
  Real x1(start = 1, fixed = true), x2(start = 0.9, fixed = true), x3(start = 0.78, fixed = true);
  output Real y;
equation
  der(x1) = -k1*x1;
  der(x2) = -k2*x2;
  der(x3) = -k3*x3;
  y = x1 + x2 + x3;
end ThreeDecays;
