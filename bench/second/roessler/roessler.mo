model Roessler "Roessler's system (1976); x is measured"
  parameter Real a = 0.2, b = 0.2, c = 5.7;
  Real x(start = 1, fixed = true), y(start = -4, fixed = true), z(start = 0.1, fixed = true);
equation
  der(x) = -y - z;
  der(y) = x + a*y;
  der(z) = b + z*(x - c);
end Roessler;
