// --solver bdf
model Grammar11
  parameter Real p1 = 0.964;
  parameter Real p2 = 1.286;
  parameter Real p3 = 1.786;
  parameter Real p5 = 2.493;
  Real x1(start = 1.001, fixed = true);
  Real y1 = sin(p1*x1) + (-1)*floor(time/p2);
  Real y2;
  Real y3 = floor(time/0.75)*x1 + (-1)*floor(2.883*cos(p5*time) + 0.272);
  Real y4;
  Real y5;
  Real y6 = max(x1, 2);
  Real y7;
  Real y8;
  Real y9;
  Boolean b10;
  Real y11 = max(-1, min(1, 0.976*(if integer(time/0.75) <= 3 then y9 else y9)));
equation
  y7 = x1 + 1*floor(time/0.5);
  der(x1) = if y8 <= 0.943 and ceil(time/1) > 2 then 1.467 else 0.239;
  y2 = max(-1, min(1, p3*cos(2.705*time)));
  y8 = 0.1*y9 + y6;
  y9 = 0.3*y8 + y7;
  y5 = 0.16*y4 + y3;
  y4 = (-0.35)*y5 + y2;
  b10 = floor(time/0.75) >= 0 or y4 > (-0.027) or sin(1.547*time) < (-0.128);
end Grammar11;
