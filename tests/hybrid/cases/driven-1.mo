// --solver rosenbrock --interpolation hold
model Driven1
  parameter Real p1 = -0.387;
  parameter Real p2 = 0.831;
  parameter Real p4 = 1.17;
  Real x1(start = p1, fixed = true);
  Real x2(start = 2, fixed = true);
  input Real u1;
  Boolean b2 = u1 <= 1;
  Real y3;
  Real n4 = integer(time/0.75);
  Real n5;
equation
  n5 = min(n4, 1);
  der(x1) = if u1 <= 1 then p2 else sin((-0.523)*(if y3 > 0.457 then y3 - 0.457 elseif y3 < (-0.457) then y3 + 0.457 else 0) + (-0.165)*(y3 + 0.5*integer(time/0.469)));
  y3 = time;
  der(x2) = if integer(time/0.5) > 0 then p4 else -1.226;
end Driven1;
