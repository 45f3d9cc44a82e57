// Angles from upright. Everything is divided by m2*L1*a2, so that all numbers can be found from the angles.
model DoublePendulum "a double pendulum with friction in both joints (Kaheman and others 2022)"
  parameter Real J1(min = 0) = 2 "inertia of the inner arm with the outer mass at its end";
  parameter Real J2(min = 0) = 1.1 "inertia of the outer arm about its joint";
  parameter Real G1(unit = "1/s2") = 120 "weight of the inner arm with the outer mass at its end";
  parameter Real G2(unit = "1/s2") = 57 "weight of the outer arm: g/L1";
  parameter Real d1(unit = "1/s", min = 0) = 0, d2(unit = "1/s", min = 0) = 0 "viscous friction of the joints";
  parameter Real c1(unit = "1/s2", min = 0) = 0, c2(unit = "1/s2", min = 0) = 0 "dry friction of the joints";
  parameter Real air(unit = "1/s", min = 0) = 0 "damping of the outer arm by the air";
  parameter Real tilt1(unit = "rad") = 0, tilt2(unit = "rad") = 0 "zeros of the sensors from upright";
  constant Real w0(unit = "rad/s") = 0.05 "width of the dry friction";
  Real th1(start = 3, fixed = true), th2(start = 3, fixed = true), w1(start = 0, fixed = true), w2(start = 0, fixed = true);
  Real a1, a2, c, s;
equation
  c = cos(th1 - th2);
  s = sin(th1 - th2);
  der(th1) = w1;
  der(th2) = w2;
  der(w1) = a1;
  der(w2) = a2;
  J1*a1 + c*a2 = -s*w2^2 + G1*sin(th1 - tilt1) - c1*tanh(w1/w0) - d1*w1 - d2*(w1 - w2) - c2*tanh((w1 - w2)/w0);
  c*a1 + J2*a2 = s*w1^2 + G2*sin(th2 - tilt2) - air*w2 + d2*(w1 - w2) + c2*tanh((w1 - w2)/w0);
end DoublePendulum;
