model Thermostat2
  parameter Real p1 = 2.709;
  parameter Real p2 = 0.128;
  Real x1(start = 0.593, fixed = true);
  Real x2(start = 0, fixed = true);
  Real n1;
  Boolean b2;
  Real n3;
equation
  n1 = if x2 > 0.5 + 1.411*(x1 - 0.57) then 1 else 0;
  b2 = min(x1, p2) >= 0.611;
  n3 = ceil(n1);
  der(x1) = p1*x2 - 0.637*x1;
  der(x2) = 6*(n1 - x2);
end Thermostat2;
