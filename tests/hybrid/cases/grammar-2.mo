model Grammar2
  parameter Real p4 = 1.723;
  parameter Real p5 = 0.386;
  Real x1(start = 1.151, fixed = true);
  Real x2(start = 0, fixed = true);
  Boolean b1;
  Real n2;
  Real y3 = x1;
  Boolean b4 = floor(time/0.5) < 0 and (if y3 > p5 then y3 - p5 elseif y3 <= (-p5) then y3 + p5 else 0) < 1.136;
  Real y5 = max(-1, min(1, 0.961*x1));
  Real y6;
  Real n7;
  Real y8;
  Real y9;
  Real y10;
equation
  y6 = tanh(0.735*sin(0.911*y3));
  n7 = if floor(time/0.75) > 0 then 0.5 else -0.25;
  y8 = n7*y9 + y5;
  b1 = time > 0;
  der(x2) = (-0.91)*x2 + (if n2 > 2.5 and b1 and (x2 > 0.195 or n2 >= 1) then -0.69 else -0.232);
  y10 + 0.46*sin(y10) = y3;
  n2 = if cos(p4*time) - (-0.675) <= (-0.076) then 2 else 0;
  der(x1) = if (if ceil(time/0.617) <= 1 then 1 else 0) < 1 then 1.281 else -1.223;
  y9 = 0.14*y8 + y6;
end Grammar2;
