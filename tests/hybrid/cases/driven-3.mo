// --solver rk8 --interpolation hold
model Driven3
  parameter Real p1 = -0.632;
  Real x1(start = 0, fixed = true);
  input Real u1;
  Real n2 = ceil(u1);
  Boolean b3 = (if n2 < 0.5 then u1 else x1) > (-0.998);
equation
  der(x1) = if u1 < 0 then 0.932 elseif x1 >= (-0.881) then p1 else 0.02;
end Driven3;
