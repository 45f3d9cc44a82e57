// --solver rk5
model Grammar10
  parameter Real p1 = 1.089;
  parameter Real p2 = 0.173;
  parameter Real p3 = -0.054;
  Real x1(start = 0.5, fixed = true);
  Real x2(start = 1.088, fixed = true);
  Real x3(start = -0.944, fixed = true);
  Real y1;
  Real y2 = max(-1, min(1, p1*x3));
  Real y3;
  Real n4 = if x3 < 0.959 then 0.5 else -0.25;
  Real y5;
  Real y6;
  Boolean b7 = integer(time/0.5)*y3 < (if time < 1 then 0.271 else 1.744);
equation
  y6 = 0.38*y5 + y3;
  y5 = n4*y6 + y1;
  der(x3) = (-1.76)*x3 + mod(ceil(min(x1, 0.5)), 2);
  y1 = x2;
  der(x1) = (-1.47)*x1 + mod(0.5*floor(y6/0.5 + 0.5), 2);
  der(x2) = (-1.83)*x2 + (if abs(x2 - 0.527) >= p3 then -0.787 else -0.542);
  y3 = if y2 > p2 then y2 - p2 elseif y2 < (-p2) then y2 + p2 else 0;
end Grammar10;
