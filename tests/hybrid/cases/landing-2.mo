// --solver rk5
model Landing2
  parameter Real p1 = 0.774;
  parameter Real p2 = 1.842;
  Real x1(start = 0, fixed = true);
  Real x2(start = 0.788, fixed = true);
  Boolean b1;
  Boolean b2;
  Real n3 = integer(x1);
  Boolean b4;
equation
  der(x1) = if b1 then 0 else 0.25;
  b4 = abs(x1 - p1) <= p2;
  b2 = x1 <= 1.5;
  der(x2) = (-0.69)*x2 + (if time < 0 then 0.122 else -0.292);
  b1 = x1 >= 1.5;
end Landing2;
