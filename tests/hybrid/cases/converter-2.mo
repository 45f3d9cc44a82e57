model Converter2
  parameter Real p1 = 0.186;
  parameter Real p2 = 0.987;
  Real x1(start = -0.424, fixed = true);
  Real x2(start = 0.467, fixed = true);
  Real y1;
  Real n2 = 0.25*integer(floor(y1/0.25 + 0.5));
  Real y3;
  Real n4;
  Real n5;
equation
  der(x1) = 1.951*n2;
  y1 = 0.744 - x1;
  n5 = integer(time/0.5);
  y3 + 0.398*abs(y3) = max(y1, p1*y1 + 0.157*x1);
  n4 = mod(floor(min(y3, 0.5)), 1.5);
  der(x2) = (-1.84)*x2 + sin(time + 0.5*(if n5 >= 3 then 0.576 elseif n5 >= 2 then 0.552 elseif n5 > 1 then p2 else 0.5));
end Converter2;
