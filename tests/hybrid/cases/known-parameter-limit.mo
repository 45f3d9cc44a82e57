model ParameterLimit "a parameter as switching time and as limit of a state"
  parameter Real p = 1.5, q = 2.25;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = if time >= p then 3 else 1;
  der(y) = if x > q then -1 else 2;
end ParameterLimit;
