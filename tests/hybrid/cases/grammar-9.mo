// --solver rk8
model Grammar9
  parameter Real p4 = 2.105;
  parameter Real p5 = 1.273;
  Real x1(start = 1.275, fixed = true);
  Real x2(start = 1.284, fixed = true);
  Real x3(start = 0, fixed = true);
  Boolean b1;
  Real n2 = floor(time/0.5);
  Real y3;
equation
  der(x1) = (-1.76)*x1 + mod(floor(floor(time/0.75)/2), 2);
  der(x3) = if b1 then p5 else -1.015;
  b1 = not (cos(2.177*time) < (-0.097));
  der(x2) = min(2, max(-2, 0.125*floor(cos(p4*time)/0.125 + 0.5)));
  y3 = mod(cos(0.778*time), 1) - (-0.664);
end Grammar9;
