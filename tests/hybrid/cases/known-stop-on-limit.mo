model StopOnLimit "a motion that an event at the same time stops on a limit"
  Real x(start = 0, fixed = true), z(start = 0.5, fixed = true);
  Real up = ceil(x), down = floor(z);
equation
  der(x) = if time <= 3 then 1 else 0;
  der(z) = if time >= 3 then 0 else -0.5;
end StopOnLimit;
