model Triangle3
  parameter Real p1 = 1.495;
  parameter Real p3 = -0.827;
  parameter Real p5 = -0.648;
  Real x1(start = p5, fixed = true);
  Real y1 = abs(mod(time, 2) - 1);
  Real n2 = integer(y1);
  Boolean b3 = y1 >= 0.5;
  Real n4 = sign(y1 - 1);
  Real y5;
  Real y6;
equation
  y5 = p3*max(-1, min(1, 1.375*sin(p1*time))) + 0.877*min(y1, time);
  der(x1) = (-0.97)*x1 + mod(n4 - ceil(time/0.75), 3);
  y6 + 0.419*abs(y6) = y5;
end Triangle3;
