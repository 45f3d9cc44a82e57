// --solver rk8
model Triangle1
  parameter Real p1 = 0.729;
  parameter Real p2 = 0.692;
  Real x1(start = p2, fixed = true);
  Real y1;
  Real y2;
  Real n3;
  Real y4 = sin(p1*y2) + 1*(if n3 >= 3 then 0.384 elseif n3 >= 2 then 0.37 elseif n3 >= 1 then 0.634 else 0.5);
  Real n5 = floor(time/1);
equation
  der(x1) = (-0.33)*x1 + mod(if y2 >= 0.423 then n3 else floor(time/0.5), 3);
  y1 = abs(mod(time, 2) - 1);
  y2 = mod(y1, 0.5);
  n3 = floor(time/1);
end Triangle1;
