model Chain2
  parameter Real p1 = 0.487;
  parameter Real p2 = 2.517;
  parameter Real p3 = 0.786;
  parameter Real p4 = 1.249;
  parameter Real p5 = -0.88;
  Real x1(start = 1.088, fixed = true);
  Real x2(start = p4, fixed = true);
  Real x3(start = 0.505, fixed = true);
  Real n1 = floor(time/p1);
  Real n2;
  Real n3;
  Boolean b4;
  Real n5 = n2;
  Real n6 = if n5 >= 3 then 0.378 elseif n5 >= 2 then p3 elseif n5 > 1 then 0.467 else 0.5;
  Real n7;
equation
  der(x3) = (if b4 then n6 else 0.006*n7) + (-0.854)*x3;
  der(x2) = (if b4 then n6 else (-0.789)*n7) + p5*x2;
  n7 = sign(n3 - 1);
  n2 = floor(p2*x1);
  der(x1) = 0.349;
  n3 = mod(n2, 2);
  b4 = n3 < 2;
end Chain2;
