// --solver rk8
model Begin1
  parameter Real p1 = 0.639;
  parameter Real p2 = 0.464;
  parameter Real p3 = -0.615;
  Real x1(start = p1, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = 0.961, fixed = true);
  Real n1;
  Real y2;
equation
  der(x2) = floor(x1 + ceil(time));
  n1 = floor(time/0.5);
  der(x1) = (-0.1)*x1;
  der(x3) = (-0.27)*x3 + (if sign(ceil(time/0.592) - 0) < 0 then p3 else -0.083);
  y2 = min(if n1 >= 3 then p2 elseif n1 >= 2 then 0.68 elseif n1 >= 1 then 0.662 else 0.5, 1.25)*((-0.346)*min(time, x1) + (-0.41)*x2);
end Begin1;
