model Nelson "Nelson: of the logarithm"
  parameter Real b1 = 1, b2 = 1, b3 = 1;
  input Real x1, x2;
  Real y;
equation
  y = b1 - b2*x1*exp(-b3*x2);
end Nelson;
