model SphericalPendulum "a load on a rope that swings in two directions, in Cartesian coordinates with the constraint"
  parameter Real L(unit = "m") = 1.7, c(unit = "1/s") = 0.12 "drag";
  constant Real g = 9.81;
  Real x(start = 0.7, fixed = true, unit = "m"), y(start = 0.2, fixed = true, unit = "m"), z(start = -1.5, unit = "m");
  Real vx(start = 0.1, fixed = true, unit = "m/s"), vy(start = 0.9, fixed = true, unit = "m/s"), vz(unit = "m/s");
  Real F;
equation
  der(x) = vx;
  der(y) = vy;
  der(z) = vz;
  der(vx) = -F*x - c*vx;
  der(vy) = -F*y - c*vy;
  der(vz) = -F*z - c*vz - g;
  x^2 + y^2 + z^2 = L^2;
end SphericalPendulum;
