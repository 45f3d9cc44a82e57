model Pendulum "a simple pendulum"
  parameter Real p(min = 0.1, max = 1000, unit = "1/s2") = 10 "g/l";
  Real theta(start = 0.5235987755982988, fixed = true, unit = "rad");
  Real omega(start = 0, fixed = true);
equation
  der(theta) = omega;
  der(omega) = -p*sin(theta);
end Pendulum;
