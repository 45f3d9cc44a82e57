model Pulses2
  parameter Real p1 = 1.12;
  parameter Real p2 = 0.843;
  Real x1(start = 0.772, fixed = true);
  Real x2(start = 0.49, fixed = true);
  Real y1 = mod(time, 0.881)/0.881;
  Real y2;
  Real y3;
equation
  der(x1) = (if y1 < y2 then 1.452 else 0) - 0.531*x1;
  y3 = y1 - (-0.874);
  der(x2) = (-1.68)*x2 + min(2, max(-2, floor(floor(time/p2))));
  y2 = max(0, min(1, p1 - x1));
end Pulses2;
