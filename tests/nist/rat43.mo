model Rat43 "Rat43: growth of Richards"
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1;
  input Real x;
  Real y;
equation
  y = b1/(1 + exp(b2 - b3*x))^(1/b4);
end Rat43;
