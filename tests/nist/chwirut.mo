model Chwirut "Chwirut1, Chwirut2"
  parameter Real b1 = 1, b2 = 1, b3 = 1;
  input Real x;
  Real y;
equation
  y = exp(-b1*x)/(b2 + b3*x);
end Chwirut;
