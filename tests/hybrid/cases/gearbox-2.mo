model Gearbox2
  parameter Real p1 = 0.239;
  parameter Integer p2 = 1;
  parameter Real p3 = 1.358;
  parameter Real p4 = 0.624;
  Real x1(start = 0, fixed = true);
  Real x2(start = -0.764, fixed = true);
  Real n1;
  Real n2;
  Real n3;
  Real n4 = integer(time/0.5);
  Real n5;
  Real y6;
  Real y7;
equation
  n3 = if n2 >= 3 then p1 elseif n2 >= 2 then 0.898 elseif n2 >= 1 then 0.252 else 0.5;
  n2 = n1;
  n5 = if x1 <= 0.208 then sign(integer(ceil(time/0.5)) - p2) else abs((if n4 >= 3 then 0.921 elseif n4 >= 2 then 0.719 elseif n4 > 1 then 0.918 else 0.5) - 1);
  der(x1) = n3 - 0.137*x1;
  y7 = y6;
  der(x2) = (-1.41)*x2 + (if (if y7 > 0.266 then y7 - 0.266 elseif y7 < (-0.266) then y7 + 0.266 else 0) >= 1.861 then p4 else -0.875);
  n1 = integer(1.912*x1);
  y6 + 0.235*sin(y6) = max(-1, min(1, p3*cos(0.62*time)));
end Gearbox2;
