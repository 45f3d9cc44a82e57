// --solver rk8
model Grammar8
  parameter Real p1 = 1.356;
  parameter Real p3 = -0.491;
  parameter Real p4 = 0.771;
  parameter Real p5 = 0.738;
  Real x1(start = -0.49, fixed = true);
  Real x2(start = -0.296, fixed = true);
  Boolean b1 = mod(cos(0.569*time), 1) >= p1;
  Real y2;
  Real y3;
  Real n4;
  Real y5;
  Real y6;
  Boolean b7 = n4 >= 3;
equation
  y5 = n4*y6 + y2;
  y6 = 0.15*y5 + y3;
  der(x2) = if floor(time/0.75) <= 1.25 then 0.323 else 0.171;
  y3 = mod(cos(2.051*time) + 0.5*floor(time/0.75), 1);
  n4 = if y3 >= (if b1 then p3 else p4) then 0.5 else -0.25;
  y2 = x1;
  der(x1) = if y2 >= p5 then 0.213 else -0.212;
end Grammar8;
