model Ties2
  Real x1(start = -0.908, fixed = true);
  Real x2(start = -0.908, fixed = true);
  Real x3(start = -0.399, fixed = true);
  Real n1 = floor((x1 - x2)/0.5);
  Real y2 = min(x1, x2);
  Boolean b3 = x1 <= x2;
  Real y4;
equation
  der(x1) = 0.5;
  y4 = x1;
  der(x2) = if time > 1.5 then 0.5 else -1;
  der(x3) = sin(if y4 > 0.468 then y4 - 0.468 elseif y4 <= (-0.468) then y4 + 0.468 else 0);
end Ties2;
