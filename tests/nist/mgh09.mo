model Mgh09 "MGH09: the problem of Kowalik and Osborne"
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1;
  input Real x;
  Real y;
equation
  y = b1*(x^2 + x*b2)/(x^2 + x*b3 + b4);
end Mgh09;
