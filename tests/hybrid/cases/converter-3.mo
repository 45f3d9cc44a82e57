model Converter3
  parameter Real p1 = 2.641;
  parameter Real p2 = -0.434;
  Real x1(start = -0.654, fixed = true);
  Real x2(start = 2, fixed = true);
  Real y1 = 1.171 - x1;
  Real n2 = 0.25*floor(y1/0.25 + 0.5);
  Boolean b3 = (if n2 > 1 or (if sin(p1*time) < p2 then 1 else 0) <= 0 then 1 else 0) > 1;
  Boolean b4;
equation
  der(x1) = 0.929*n2;
  der(x2) = (-0.76)*x2 + (if n2 + n2 >= 0.75 then 0.689 else -0.019);
  b4 = sign(n2 - 0.75)*abs(cos(1.21*time) - (-0.789)) >= (-0.304);
end Converter3;
