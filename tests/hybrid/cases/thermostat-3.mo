model Thermostat3
  parameter Real p1 = 0.841;
  parameter Real p2 = 1.871;
  parameter Real p3 = 0.473;
  parameter Real p4 = 0.841;
  Real x1(start = p1, fixed = true);
  Real x2(start = 1, fixed = true);
  Real x3(start = 1.004, fixed = true);
  Real n1;
  Real y2 = n1*x2;
  Real y3;
  Real n4;
  Real y5;
  Real y6;
equation
  y3 = abs(time - 0.299);
  n4 = if floor(time/p4) > 1.25 then 0.5 else -0.25;
  der(x1) = 2.637*x2 - p3*x1;
  y5 = n4*y6 + y2;
  der(x3) = if ceil(time/1) <= 0 and x1 <= 0.785 then 1.427 else 0.228;
  der(x2) = 6*(n1 - x2);
  y6 = 0.44*y5 + y3;
  n1 = if x2 >= 0.5 + p2*(x1 - 0.676) then 1 else 0;
end Thermostat3;
