// --solver bdf
model Pulses3
  parameter Real p1 = 0.18;
  parameter Real p2 = 0.654;
  parameter Real p3 = 1.083;
  parameter Real p4 = 1.323;
  Real x1(start = p1, fixed = true);
  Real y1 = mod(time, p2)/p2;
  Real y2 = max(0, min(1, p3 - x1));
  Real y3 = y2 + (-1)*floor(time/0.5);
  Real y4 = y1;
  Real n5 = if x1 > 1.691 then 0.5 else -0.25;
  Real y6;
  Real y7;
equation
  y7 = 0.43*y6 + y4;
  y6 = n5*y7 + y3;
  der(x1) = (if y1 < y2 then p4 else 0) - 0.623*x1;
end Pulses3;
