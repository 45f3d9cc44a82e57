// A mass on a spring and a damper, as in every textbook of vibrations.
model Oscillator "a linear oscillator with one degree of freedom, driven by a force"
  parameter Real m(min = 0.01, max = 100, unit = "kg") = 1 "mass";
  parameter Real k(min = 0, max = 1000, unit = "N/m") = 10 "stiffness";
  parameter Real c(min = 0, max = 100, unit = "N.s/m") = 0.5 "damping";
  input Real F(unit = "N", start = 0) "force on the mass";
  Real x(start = 1, fixed = true, unit = "m") "displacement";
  Real v(start = 0, fixed = true, unit = "m/s") "velocity";
equation
  der(x) = v;
  m*der(v) = -k*x - c*v + F;
  annotation(experiment(StopTime = 10));
end Oscillator;
