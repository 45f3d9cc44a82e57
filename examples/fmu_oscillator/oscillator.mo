model Oscillator "a mass on a spring that stiffens"
  parameter Real m(min = 0.01, unit = "kg") = 1 "mass";
  parameter Real k(min = 0, unit = "N/m") = 30 "stiffness";
  parameter Real k3(min = 0, unit = "N/m3") = 20 "cubic stiffness";
  parameter Real c(min = 0, unit = "N.s/m") = 0.15 "damping";
  Real x(start = 1, fixed = true, unit = "m") "position";
  Real v(start = 0, fixed = true, unit = "m/s") "velocity";
equation
  der(x) = v;
  m*der(v) = -k*x - k3*x^3 - c*v;
end Oscillator;
