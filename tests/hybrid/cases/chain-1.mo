model Chain1
  parameter Real p1 = 0.999;
  parameter Real p2 = 0.23;
  parameter Real p3 = -0.421;
  parameter Real p4 = -0.878;
  parameter Real p5 = -0.038;
  Real x1(start = 2, fixed = true);
  Real x2(start = 0.638, fixed = true);
  Real n1;
  Real n2;
  Boolean b3;
  Real n4 = n1;
  Real n5 = if n4 >= 3 then 0.853 elseif n4 >= 2 then p1 elseif n4 > 1 then p2 else 0.5;
  Real n6 = sign(n2 - 1);
  Boolean b7;
  Real n8 = min(ceil(min(sin(1.934*time), 0.5)), 3);
equation
  n1 = floor(time/0.446);
  der(x1) = (if b3 then n5 else 0.507*n6) + p3*x1;
  n2 = mod(n1, 4);
  b3 = n2 <= 2;
  b7 = not (x2 + 1*n6 < p5);
  der(x2) = (if b3 then n5 else (-0.482)*n6) + p4*x2;
end Chain1;
