model Sliding
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = 0.3*sin(time) - sign(v) - (if x > 0.5 then 1 else 0);
end Sliding;
