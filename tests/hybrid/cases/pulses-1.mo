model Pulses1
  parameter Real p1 = 0.892;
  parameter Real p2 = 0.478;
  parameter Real p3 = 1.346;
  Real x1(start = 0.588, fixed = true);
  Real x2(start = p3, fixed = true);
  Real y1 = mod(time, 0.5)/0.5;
  Real y2;
  Real y3;
  Real y4 = if y3 > 0.597 then y3 - 0.597 elseif y3 < (-0.597) then y3 + 0.597 else 0;
equation
  y3 = y2 + (-1)*ceil(time/1);
  der(x2) = (-1.5)*x2 + mod(min(integer(time/0.592), 3), 3);
  der(x1) = (if y1 < y2 then 1.89 else 0) - p2*x1;
  y2 = max(0, min(1, p1 - x1));
end Pulses1;
