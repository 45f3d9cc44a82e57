model Lanczos "Lanczos1 to Lanczos3: three decays"
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1, b5 = 1, b6 = 1;
  input Real x;
  Real y;
equation
  y = b1*exp(-b2*x) + b3*exp(-b4*x) + b5*exp(-b6*x);
end Lanczos;
