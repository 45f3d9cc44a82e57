model Stop1
  parameter Real p1 = -0.271;
  Real x1(start = 0, fixed = true);
  Real x2(start = 0.838, fixed = true);
  Real n1;
equation
  der(x1) = if x1 < 2 then 0.5 else 0;
  n1 = integer(time/0.5);
  der(x2) = (-0.9)*x2 + mod(ceil(2.661*x1 + p1), 2);
end Stop1;
