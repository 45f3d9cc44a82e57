model Misra1c "Misra1c"
  parameter Real b1 = 1, b2 = 1;
  input Real x;
  Real y;
equation
  y = b1*(1 - 1/sqrt(1 + 2*b2*x));
end Misra1c;
