// The rods of double_pendulum_cartesian.mo in two angles: Lagrange's equations, which someone had to derive by hand.
model DoublePendulumMinimal "a plane double pendulum of two rods in its two angles"
  parameter Real L1(min = 0.33, max = 3, unit = "m") = 1 "length of the upper rod";
  parameter Real L2(min = 0.25, max = 2.25, unit = "m") = 0.75 "length of the lower rod";
  parameter Real m2(min = 0.25, max = 2.5, unit = "kg") = 0.8 "mass of the lower rod";
  parameter Real d(min = 0, max = 0.1, unit = "N.m.s") = 0.02 "friction in each of the two joints";
  parameter Real m1(unit = "kg") = 1 "mass of the upper rod";
  parameter Real J1(unit = "kg.m2") = m1*L1^2/12 "moment of inertia of the upper rod";
  parameter Real J2(unit = "kg.m2") = m2*L2^2/12 "moment of inertia of the lower rod";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real phi1(start = 1.5, fixed = true, unit = "rad") "angle of the upper rod from the vertical, measured";
  Real phi2(start = 0.5, fixed = true, unit = "rad") "angle of the lower rod from the vertical, measured";
  Real w1(start = 0, fixed = true, unit = "rad/s");
  Real w2(start = 0, fixed = true, unit = "rad/s");
equation
  der(phi1) = w1;
  der(phi2) = w2;
  (J1 + m1*L1^2/4 + m2*L1^2)*der(w1) + m2*L1*L2/2*cos(phi1 - phi2)*der(w2) =
    -m2*L1*L2/2*sin(phi1 - phi2)*w2^2 - (m1/2 + m2)*g*L1*sin(phi1) - d*w1 + d*(w2 - w1);
  m2*L1*L2/2*cos(phi1 - phi2)*der(w1) + (J2 + m2*L2^2/4)*der(w2) =
    m2*L1*L2/2*sin(phi1 - phi2)*w1^2 - m2*g*L2/2*sin(phi2) - d*(w2 - w1);
  annotation(experiment(StopTime = 10, Interval = 0.02));
end DoublePendulumMinimal;
