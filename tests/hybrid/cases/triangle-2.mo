// --solver rk8
model Triangle2
  parameter Real p1 = 0.484;
  Real x1(start = 1.24, fixed = true);
  Real y1 = abs(mod(time, 2) - 1);
  Real n2 = floor(y1/0.5);
  Real y3 = mod(y1, 1);
  Real y4;
  Boolean b5;
equation
  b5 = (if y4 > p1 then y4 - p1 elseif y4 <= (-p1) then y4 + p1 else 0) < (-0.4);
  der(x1) = (-0.64)*x1 + mod(ceil(n2), 2);
  y4 = y3;
end Triangle2;
