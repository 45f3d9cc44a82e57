// --solver rosenbrock
model Landing1
  Real x1(start = 1.5, fixed = true);
  Boolean b1;
  Boolean b2;
  Real y3 = x1;
  Real y4;
  Real y5 = sin(1.77*time);
  Real n6 = if y3 <= (if b1 then -0.477 else 1.664) then 0.5 else -0.25;
  Real y7;
  Real y8;
equation
  y8 = 0.17*y7 + y5;
  der(x1) = if time >= 3 then if b1 then 0 else 0.5 else -(if time >= 2 then 0 else 0.5);
  y7 = n6*y8 + y4;
  b1 = x1 >= 1.5;
  b2 = x1 < 1.5;
  y4 = if y3 > 0.223 then y3 - 0.223 elseif y3 <= (-0.223) then y3 + 0.223 else 0;
end Landing1;
