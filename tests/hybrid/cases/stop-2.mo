// --solver rk8
model Stop2
  Real x1(start = 0, fixed = true);
  Real x2(start = -0.946, fixed = true);
  Real n1 = floor(x1);
  Real y2 = time;
  Real n3 = sign(ceil(time/0.75) - 2.5);
equation
  der(x1) = if x1 < 1.5 then 0.5 else 0;
  der(x2) = sin(x2);
end Stop2;
