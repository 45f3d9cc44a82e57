// --solver rk5
model Grammar4
  parameter Real p2 = 0.717;
  Real x1(start = 0.5, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = 0.592, fixed = true);
  Real y1;
  Real y2 = if y1 >= 0 then 1 - exp(-(1.169*tanh(y1))) else exp(1.169*tanh(y1)) - 1;
  Real y3 = x1;
  Real y4;
  Real y5;
  Boolean b6;
equation
  y5 = 0.4*y4 + y3;
  y1 = cos(0.543*time);
  b6 = y2 <= (if floor(time/0.605) < 1.5 then 0.293 else 1) or sin(2.203*time) <= (if cos(2.014*time) <= (-0.303) then -0.241 else 0.483);
  der(x3) = min(2, max(-2, floor(time/0.5)));
  der(x1) = x2;
  y4 = 0.2*y5 + y2;
  der(x2) = (-5.18)*x1 - (0.3*x2 - sin(mod(floor(time/p2), 1.5)*max(-1, min(1, 0.634*x3))));
end Grammar4;
