// Two point masses on massless rods, Lagrange's equations of every textbook of mechanics. Motion without friction shows
// lengths and the ratio of the masses, not the masses themselves: everything is divided by the upper mass.
model DoublePendulum "a plane double pendulum in its two angles"
  parameter Real L1(min = 0.33, max = 3, unit = "m") = 1 "upper length";
  parameter Real L2(min = 0.25, max = 2.25, unit = "m") = 0.75 "lower length";
  parameter Real mu(min = 0.16, max = 1.5) = 0.5 "lower mass over upper mass";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real theta1(start = 1.5, fixed = true, unit = "rad") "angle of the upper rod from the vertical, measured";
  Real theta2(start = 0.5, fixed = true, unit = "rad") "angle of the lower rod from the vertical, hidden";
  Real omega1(start = 0, fixed = true, unit = "rad/s") "rate of theta1";
  Real omega2(start = 0, fixed = true, unit = "rad/s") "rate of theta2";
equation
  der(theta1) = omega1;
  der(theta2) = omega2;
  (1 + mu)*L1*der(omega1) + mu*L2*cos(theta1 - theta2)*der(omega2) =
    -mu*L2*omega2^2*sin(theta1 - theta2) - (1 + mu)*g*sin(theta1);
  L1*cos(theta1 - theta2)*der(omega1) + L2*der(omega2) = L1*omega1^2*sin(theta1 - theta2) - g*sin(theta2);
  annotation(experiment(StopTime = 5, Interval = 0.01));
end DoublePendulum;
