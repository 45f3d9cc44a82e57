model Counter
  parameter Real T = 0.75;
  Real x(start = 0, fixed = true);
  Real n = floor(time/T), m = mod(n, 3), s = sign(floor(x) - 2), c = ceil(min(time, 3));
  Boolean on = m >= 1 and not x > 4 or integer(floor(x)) < 1;
equation
  der(x) = (if on then 1 else -0.5) + s*0.25 + abs(m - 1);
end Counter;
