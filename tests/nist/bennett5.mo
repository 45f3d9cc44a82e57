model Bennett5 "Bennett5"
  parameter Real b1 = 1, b2 = 1, b3 = 1;
  input Real x;
  Real y;
equation
  y = b1*(b2 + x)^(-1/b3);
end Bennett5;
