// Frewin (2013), Parameter identification methods for multibody systems governed by DAEs; the reduced ordinary
// differential equation of its model as published (the generalized force of the paper lacks a factor l*cos(alpha)).
model FrewinPendulum "a pendulum with a spring and a damper, in the minimal coordinate"
  parameter Real c(min = 0, max = 200, unit = "N") = 6 "spring";
  parameter Real d(min = 0, max = 200, unit = "N.s") = 2 "damper";
  parameter Real m(unit = "kg") = 1 "mass";
  parameter Real l(unit = "m") = 1 "length";
  parameter Real IA(unit = "kg.m2") = 1 "moment of inertia";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real alpha(start = 1.5707963267948966, fixed = true, unit = "rad") "angle";
  Real w(start = 0, fixed = true, unit = "rad/s") "its rate";
  Real y(unit = "m") "height above the lowest point";
  Real lam(unit = "N") "multiplier of the constraint l - l*cos(alpha) - y = 0";
equation
  der(alpha) = w;
  (IA + m*l^2)*der(w) = -(m*g + c)*l*sin(alpha) - d*l*cos(alpha)*w;
  y = l - l*cos(alpha);
  lam = m*(g + l*sin(alpha)*der(w) + l*cos(alpha)*w^2);
  annotation(experiment(StopTime = 8, Interval = 0.1));
end FrewinPendulum;
