model Grammar1
  parameter Real p1 = 0.066;
  parameter Real p2 = 0.905;
  parameter Real p3 = -0.281;
  parameter Real p4 = 1.567;
  parameter Real p5 = -0.324;
  Real x1(start = p1, fixed = true);
  Real x2(start = p2, fixed = true);
  Real x3(start = 2, fixed = true);
  Real n1;
  Boolean b2;
  Real n3;
  Real n4 = n1;
  Real n5;
  Real y6 = sin(1.026*x2) + 0.5*mod(n1, 2);
equation
  der(x3) = (-3.36)*x2 - (0.3*x3 - min(2, max(-2, if x1 > (if floor(time/1) <= 3 then 0.311 else 0.582) then 1.25 else 0)));
  der(x1) = if integer(time/0.75) < 2 then 0.659 else -0.267;
  n5 = abs(ceil(time/0.5) - 0);
  n1 = floor(p4*((-0.336)*x2 + p3*x3) + p5);
  der(x2) = x3;
  n3 = 0.25*floor(max(time, 0.75)/0.25 + 0.5);
  b2 = not (sin(2.559*time) < (if x1 <= (-0.438) then -0.408 else 0.969));
end Grammar1;
