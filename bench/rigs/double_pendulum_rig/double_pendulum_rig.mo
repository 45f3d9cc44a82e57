// Angles from upright. Everything is divided by m2*L1*a2, so that all numbers can be found from the angles.
model DoublePendulumRig "a double pendulum with friction in both joints (Kaheman and others 2022)"
  parameter Real J1 = 3 "inertia of the inner arm with the outer mass at its end";
  parameter Real J2 = 1.1 "inertia of the outer arm about its joint";
  parameter Real G1(unit = "1/s2") = 120 "weight of the inner arm with the outer mass at its end";
  parameter Real G2(unit = "1/s2") = 57 "weight of the outer arm: g/L1";
  parameter Real d1(unit = "1/s") = 0.1, d2(unit = "1/s") = 0.01 "friction of the joints";
  Real th1(start = 3, fixed = true), th2(start = 3, fixed = true), w1(start = 0, fixed = true), w2(start = 0, fixed = true);
  Real a1, a2, c, s;
equation
  c = cos(th1 - th2);
  s = sin(th1 - th2);
  der(th1) = w1;
  der(th2) = w2;
  der(w1) = a1;
  der(w2) = a2;
  J1*a1 + c*a2 = -s*w2^2 + G1*sin(th1) - d1*w1 - d2*(w1 - w2);
  c*a1 + J2*a2 = s*w1^2 + G2*sin(th2) + d2*(w1 - w2);
end DoublePendulumRig;
