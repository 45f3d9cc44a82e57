model Gearbox3
  parameter Real p1 = 1.697;
  parameter Real p2 = 0.548;
  parameter Real p3 = 0.971;
  Real x1(start = 0, fixed = true);
  Real x2(start = -0.016, fixed = true);
  Real n1;
  Real n2;
  Real n3 = if n2 >= 3 then p2 elseif n2 >= 2 then p3 elseif n2 > 1 then 0.743 else 0.5;
  Real y4;
  Boolean b5;
equation
  b5 = (if y4 <= 0.104 then 1 else 0) >= 1;
  der(x2) = if not (n1 < 0) then 1.227 else -0.779;
  der(x1) = n3 - 0.254*x1;
  n2 = n1;
  y4 = (if time > 0.934 then mod(x1, 2) else mod(x1, 1.188)) + 0.204*tanh(y4);
  n1 = floor(p1*x1);
end Gearbox3;
