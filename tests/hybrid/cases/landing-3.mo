model Landing3
  parameter Real p1 = 1.566;
  parameter Real p2 = 0.16;
  Real x1(start = 0, fixed = true);
  Real x2(start = 0.625, fixed = true);
  Boolean b1;
  Real n2;
  Real n3;
equation
  n2 = floor(x1/0.5);
  der(x2) = (-1.95)*x2 + (if time >= p1 then p2 else 0.288);
  der(x1) = if b1 then 0 else 0.25;
  n3 = floor(min(x1, 2));
  b1 = x1 >= 2;
end Landing3;
