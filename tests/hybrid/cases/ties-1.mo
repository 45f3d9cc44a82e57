// --solver rk5
model Ties1
  parameter Real p1 = 0.898;
  parameter Real p2 = 0.449;
  Real x1(start = 0.852, fixed = true);
  Real x2(start = 0.852, fixed = true);
  Real x3(start = p1, fixed = true);
  Boolean b1;
  Real y2;
  Boolean b3;
  Real y4;
equation
  b3 = x1 < x2;
  der(x2) = if time >= 0.5 then -0.5 else 0.25;
  y4 + 0.361*abs(y4) = y2;
  der(x1) = -0.5;
  y2 = min(x1, x2);
  b1 = x1 - x2 < 0;
  der(x3) = (-0.68)*x3 + min(2, max(-2, floor(time/p2)));
end Ties1;
