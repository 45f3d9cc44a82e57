model Rise "Misra1a, BoxBOD: a rise that saturates"
  parameter Real b1 = 1, b2 = 1;
  input Real x;
  Real y;
equation
  y = b1*(1 - exp(-b2*x));
end Rise;
