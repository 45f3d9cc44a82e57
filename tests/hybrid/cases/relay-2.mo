// --solver rk5
model Relay2
  parameter Real p1 = -0.171;
  Real x1(start = 0.583, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = 0, fixed = true);
  Boolean b1 = max(integer(time/1), 2) < 0.5;
equation
  der(x1) = x2;
  der(x2) = (if x1 > p1 then -1 else 1) - 0*x2;
  der(x3) = (-0.82)*x3 + mod(ceil(1.685*x2 + (-0.642)), 3);
end Relay2;
