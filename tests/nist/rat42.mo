model Rat42 "Rat42: logistic growth"
  parameter Real b1 = 1, b2 = 1, b3 = 1;
  input Real x;
  Real y;
equation
  y = b1/(1 + exp(b2 - b3*x));
end Rat42;
