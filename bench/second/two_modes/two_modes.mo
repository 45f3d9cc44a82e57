model TwoModes "a footbridge after a release: two modes of known participation, one sensor"
  parameter Real w1(unit = "rad/s") = 3.1, w2(unit = "rad/s") = 5.3, z = 0.03 "damping ratio of both";
  Real q1(start = 1, fixed = true), v1(start = 0, fixed = true);
  Real q2(start = 0.85, fixed = true), v2(start = 0, fixed = true);
  output Real y "mm";
equation
  der(q1) = v1;
  der(v1) = -2*z*w1*v1 - w1^2*q1;
  der(q2) = v2;
  der(v2) = -2*z*w2*v2 - w2^2*q2;
  y = q1 + q2;
end TwoModes;
