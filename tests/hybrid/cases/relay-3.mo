model Relay3
  parameter Real p1 = -0.186;
  parameter Real p2 = 2.764;
  parameter Real p4 = 0.563;
  parameter Real p5 = 0.76;
  Real x1(start = 0.694, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = 0.088, fixed = true);
  Real n1;
  Real y2;
  Real y3 = if y2 > 0 then 1 - exp(-(0.959*tanh(y2))) else exp(0.959*tanh(y2)) - 1;
  Real y4 = time;
  Real n5 = if sin(p2*time) <= (if cos(1.333*time) > (-0.655) then p4 else p5) then 0.5 else -0.25;
  Real y6;
  Real y7;
equation
  y7 = 0.59*y6 + y4;
  der(x1) = x2;
  der(x2) = (if x1 > p1 then -1 else 1) - 0*x2;
  y6 = n5*y7 + y3;
  n1 = integer(time/0.5);
  der(x3) = (-0.66)*x3 + (if (if time >= 2.485 then 1 else 0) > 1 then 0.623 else -0.057);
  y2 = x2;
end Relay3;
