// --solver adams
model Thermostat1
  parameter Real p1 = 0.761;
  parameter Real p2 = 2.961;
  parameter Real p3 = 0.85;
  Real x1(start = p1, fixed = true);
  Real x2(start = 1, fixed = true);
  Real x3(start = -0.571, fixed = true);
  Real n1 = if x2 > 0.5 + 1.363*(x1 - 0.612) then 1 else 0;
  Real y2 = x2;
  Boolean b3;
equation
  der(x2) = 6*(n1 - x2);
  b3 = (if integer(time/0.5) >= 3 then 1 else 0) >= 1;
  der(x3) = mod(if n1 > 1 then n1 else n1, 2);
  der(x1) = p2*x2 - p3*x1;
end Thermostat1;
