model Mgh17 "MGH17: two decays"
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1, b5 = 1;
  input Real x;
  Real y;
equation
  y = b1 + b2*exp(-x*b4) + b3*exp(-x*b5);
end Mgh17;
