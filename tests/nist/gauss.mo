model Gauss "Gauss1 to Gauss3: two peaks on a decay"
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1, b5 = 1, b6 = 1, b7 = 1, b8 = 1;
  input Real x;
  Real y;
equation
  y = b1*exp(-b2*x) + b3*exp(-((x - b4)/b5)^2) + b6*exp(-((x - b7)/b8)^2);
end Gauss;
