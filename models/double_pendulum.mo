// Two point masses on massless rods, Lagrange's equations of every textbook of mechanics.
// Both accelerations stand in both equations: a linear system of size 2 has to be solved for them.
model DoublePendulum "a plane double pendulum in its two angles"
  parameter Real m1(min = 0.01, max = 100, unit = "kg") = 1 "upper mass";
  parameter Real m2(min = 0.01, max = 100, unit = "kg") = 1 "lower mass";
  parameter Real l1(min = 0.01, max = 10, unit = "m") = 1 "upper length";
  parameter Real l2(min = 0.01, max = 10, unit = "m") = 1 "lower length";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real theta1(start = 1.5, fixed = true, unit = "rad") "angle of the upper rod from the vertical";
  Real theta2(start = 0.5, fixed = true, unit = "rad") "angle of the lower rod from the vertical";
  Real omega1(start = 0, fixed = true, unit = "rad/s") "rate of theta1";
  Real omega2(start = 0, fixed = true, unit = "rad/s") "rate of theta2";
  Real energy(unit = "J") "constant in time";
equation
  der(theta1) = omega1;
  der(theta2) = omega2;
  (m1 + m2)*l1^2*der(omega1) + m2*l1*l2*cos(theta1 - theta2)*der(omega2) =
    -m2*l1*l2*omega2^2*sin(theta1 - theta2) - (m1 + m2)*g*l1*sin(theta1);
  m2*l1*l2*cos(theta1 - theta2)*der(omega1) + m2*l2^2*der(omega2) =
    m2*l1*l2*omega1^2*sin(theta1 - theta2) - m2*g*l2*sin(theta2);
  energy = (m1 + m2)*l1^2*omega1^2/2 + m2*l2^2*omega2^2/2 +
    m2*l1*l2*omega1*omega2*cos(theta1 - theta2) - (m1 + m2)*g*l1*cos(theta1) - m2*g*l2*cos(theta2);
  annotation(experiment(StopTime = 10, Interval = 0.01));
end DoublePendulum;
