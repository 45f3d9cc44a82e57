model CounterLimit "a counter reaches the limit of a relation and of sign"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  Boolean late = floor(time) >= 2;
  Real s = sign(floor(time) - 2);
equation
  der(x) = if late then 1 else 0;
  der(y) = s;
end CounterLimit;
