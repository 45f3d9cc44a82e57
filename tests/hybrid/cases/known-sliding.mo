model Sliding "forces hold the motion at a discontinuity"
  Real x(start = 0, fixed = true);
equation
  der(x) = if x > 0.5 then -1 else 1;
end Sliding;
