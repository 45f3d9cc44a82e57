// --solver rk5 --interpolation hold
model Driven2
  parameter Real p1 = 0.593;
  parameter Real p2 = 0.554;
  parameter Real p3 = 0.62;
  parameter Real p5 = 0.773;
  Real x1(start = 2, fixed = true);
  Real x2(start = 0.029, fixed = true);
  input Real u1;
  Boolean b2 = u1 < 1;
  input Real u2;
  Boolean b4;
  Real y5 = u2;
  Real n6;
  Real n7;
  Real n8 = min(if n7 >= 3 then p5 elseif n7 >= 2 then 0.747 elseif n7 > 1 then 0.811 else 0.5, 1);
equation
  n7 = integer(time/1);
  b4 = u2 < 2;
  der(x2) = (-0.62)*x2 + mod(floor(min(u2, 1)), 3);
  n6 = floor(time/1.277);
  der(x1) = if u1 >= 1 then p1 else sin((if n6 >= 3 then 0.736 elseif n6 >= 2 then 0.833 elseif n6 >= 1 then p3 else 0.5)*(if y5 > p2 then y5 - p2 elseif y5 < (-p2) then y5 + p2 else 0));
end Driven2;
