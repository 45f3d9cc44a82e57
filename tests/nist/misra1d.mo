model Misra1d "Misra1d"
  parameter Real b1 = 1, b2 = 1;
  input Real x;
  Real y;
equation
  y = b1*b2*x/(1 + b2*x);
end Misra1d;
