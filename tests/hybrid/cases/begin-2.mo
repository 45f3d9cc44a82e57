model Begin2
  parameter Real p1 = 0.359;
  parameter Real p2 = 1.217;
  Real x1(start = p1, fixed = true);
  Real x2(start = 0, fixed = true);
  Boolean b1 = integer(time/p2)*x1 <= (if x1 <= 1.001 then 0.681 else 1.609);
equation
  der(x2) = ceil(x1 + (if time <= 0 then 2 else 0));
  der(x1) = 0.1*x1;
end Begin2;
