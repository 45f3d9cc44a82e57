// --solver bdf
model Pump2
  Real x1(start = 1, fixed = true);
  Real x2(start = 0.92, fixed = true);
  Real n1;
  Real n2;
  Boolean b3 = x1 >= 2;
  Real y4 = abs(x1 - 0.322);
equation
  n2 = if mod(n1, 2) < 1 then 1 else 0;
  n1 = floor(time/0.5);
  der(x2) = (-0.66)*x2 + sin(max(mod(x1, 1.855), time));
  der(x1) = if b3 then 0 else 0.5*n2;
end Pump2;
