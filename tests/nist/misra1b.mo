model Misra1b "Misra1b"
  parameter Real b1 = 1, b2 = 1;
  input Real x;
  Real y;
equation
  y = b1*(1 - 1/(1 + b2*x/2)^2);
end Misra1b;
