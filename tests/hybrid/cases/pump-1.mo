// --solver bdf
model Pump1
  Real x1(start = 0, fixed = true);
  Real n1 = floor(time/0.5);
  Real n2 = if mod(n1, 2) > 1 then 1 else 0;
  Boolean b3;
equation
  b3 = x1 >= 1;
  der(x1) = if b3 then 0 else 0.5*n2;
end Pump1;
