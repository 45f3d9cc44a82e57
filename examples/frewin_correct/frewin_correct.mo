// The pendulum of ../frewin with the generalized force that its horizontal spring and damper really have: the force
// c*x + d*der(x), x = l*sin(alpha), times the lever dx/dalpha = l*cos(alpha).
model FrewinCorrect "a pendulum with a horizontal spring and damper, as a differential-algebraic system of index 3"
  parameter Real c(min = 0, max = 200, unit = "N/m") = 6 "stiffness of the spring";
  parameter Real d(min = 0, max = 200, unit = "N.s/m") = 2 "coefficient of the damper";
  parameter Real m(unit = "kg") = 1 "mass";
  parameter Real l(unit = "m") = 1 "length";
  parameter Real IA(unit = "kg.m2") = 1 "moment of inertia that the mass at the end does not count";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real alpha(start = 1.5707963267948966, fixed = true, unit = "rad") "angle from the vertical, measured";
  Real w(start = 0, fixed = true, unit = "rad/s") "its rate";
  Real y(start = 1, unit = "m") "height above the lowest point, measured";
  Real vy(start = 0, unit = "m/s") "its rate";
  Real lam(unit = "N") "multiplier: the vertical force in the rod";
equation
  der(alpha) = w;
  der(y) = vy;
  (IA + m*l^2*cos(alpha)^2)*der(w) + l*sin(alpha)*lam =
    1/2*m*l^2*sin(2*alpha)*w^2 - (c*l*sin(alpha) + d*l*cos(alpha)*w)*l*cos(alpha);
  m*der(vy) - lam = -m*g;
  l - l*cos(alpha) - y = 0;
  annotation(experiment(StopTime = 8, Interval = 0.1));
end FrewinCorrect;
