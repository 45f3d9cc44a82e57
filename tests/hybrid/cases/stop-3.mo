model Stop3
  parameter Real p1 = -0.667;
  parameter Real p2 = 1.684;
  Real x1(start = 1, fixed = true);
  Real n1 = min(floor(p2*(x1 - p1) + (-0.634)), 2);
  Real y2 = x1;
  Real y3;
equation
  y3 + 0.46*abs(y3) = max(if y2 > 0.309 then y2 - 0.309 elseif y2 <= (-0.309) then y2 + 0.309 else 0, x1);
  der(x1) = if x1 >= 2 then 0 else 0.25;
end Stop3;
