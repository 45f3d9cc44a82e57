// --interpolation linear
model LinearInput "an input rises to a limit, stays there and falls"
  input Real u;
  Real x(start = 0, fixed = true);
  Boolean high = u >= 1, over = u > 1;
  Real up = ceil(u);
equation
  der(x) = if high then 1 else 0;
end LinearInput;
