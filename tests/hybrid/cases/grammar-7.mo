// --solver rk5
model Grammar7
  parameter Real p1 = -0.866;
  parameter Real p2 = 1.551;
  parameter Real p3 = 0.315;
  parameter Real p4 = 0.36;
  parameter Real p5 = 0.102;
  Real x1(start = p1, fixed = true);
  Real x2(start = 2, fixed = true);
  Boolean b1;
  Real n2 = floor(time/1.107);
  Real y3 = x2;
  Real y4 = y3;
  Real y5;
equation
  der(x2) = mod(0.25*floor(x1/0.25 + 0.5), 2);
  b1 = integer(time/1) < 0.25 or time <= p2;
  der(x1) = mod(min(floor(time/0.5), 2), 3);
  y5 + p3*sin(y5) = if b1 then if y3 > p4 then y3 - p4 elseif y3 < (-p4) then y3 + p4 else 0 elseif y4 > p5 then y4 - p5 elseif y4 <= (-p5) then y4 + p5 else 0;
end Grammar7;
