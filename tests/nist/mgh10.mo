model Mgh10 "MGH10: the problem of Meyer"
  parameter Real b1 = 1, b2 = 1, b3 = 1;
  input Real x;
  Real y;
equation
  y = b1*exp(b2/(x + b3));
end Mgh10;
