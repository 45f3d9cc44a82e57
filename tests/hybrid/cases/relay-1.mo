// --solver rosenbrock
model Relay1
  parameter Real p1 = 1.682;
  parameter Real p2 = 0.209;
  Real x1(start = 0.941, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = p2, fixed = true);
  Real y1;
  Real y2 = x1;
  Real y3 = sin(1.211*((-0.772)*x2 + 0.255*y1));
  Real n4 = if cos(1.09*time) < (if integer(time/0.833) <= 3 then -0.277 else 0.175) then 0.5 else -0.25;
  Real y5;
  Real y6;
equation
  der(x3) = (-0.83)*x3 + mod(n4, 2);
  der(x2) = (if x1 > (-0.146) then -1 else 1) - 0.05*x2;
  y5 = n4*y6 + y2;
  y6 = 0.22*y5 + y3;
  der(x1) = x2;
  y1 = integer(time/0.75)*sin(p1*x2);
end Relay1;
