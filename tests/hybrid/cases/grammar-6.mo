// --solver rosenbrock
model Grammar6
  parameter Real p1 = -0.414;
  parameter Real p3 = 1.943;
  parameter Real p5 = 0.934;
  Real x1(start = p1, fixed = true);
  Real x2(start = 0.5, fixed = true);
  Real y1;
  Real y2 = if y1 > 0.569 then y1 - 0.569 elseif y1 < (-0.569) then y1 + 0.569 else 0;
  Real y3 = abs(tanh(p3*sin(2.426*time)) - (-0.854));
  Boolean b4 = (if time >= 2 then 1 else 2) > 0;
  Boolean b5;
equation
  b5 = mod(ceil(time/p5), 3) > 2;
  der(x2) = mod(0.25*floor(y2/0.25 + 0.5), 2);
  der(x1) = (-0.51)*x1 + (if integer(2.378*time + 0.951) < 0.25 then -0.728 else 0.015);
  y1 = x1 - (-0.942);
end Grammar6;
