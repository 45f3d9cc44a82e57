// --solver rk5
model Gearbox1
  parameter Real p1 = 0.637;
  parameter Real p2 = 0.738;
  parameter Real p3 = 0.64;
  parameter Real p4 = 0.242;
  Real x1(start = 0.5, fixed = true);
  Real x2(start = p3, fixed = true);
  Real n1;
  Real n2;
  Real n3 = if n2 >= 3 then 0.928 elseif n2 >= 2 then p1 elseif n2 > 1 then p2 else 0.5;
  Real y4;
  Real y5;
equation
  der(x1) = n3 - 0.059*x1;
  y5 = y4;
  n2 = n1;
  y4 = x1;
  der(x2) = (-1.67)*x2 + min(2, max(-2, 0.125*floor((if y5 > p4 then y5 - p4 elseif y5 <= (-p4) then y5 + p4 else 0)/0.125 + 0.5)));
  n1 = floor(1.46*x1);
end Gearbox1;
