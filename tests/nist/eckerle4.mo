model Eckerle4 "Eckerle4: a peak"
  parameter Real b1 = 1, b2 = 1, b3 = 1;
  input Real x;
  Real y;
equation
  y = b1/b2*exp(-((x - b3)/b2)^2/2);
end Eckerle4;
