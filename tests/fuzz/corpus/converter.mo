model Converter
  parameter Real q = 0.25, aim = 1.5;
  Real x(start = 0, fixed = true), v(start = 0);
  Real e = (if time > 2 then aim else sin(3*time)) - x;
  Real u = q*integer(floor(e/q + 0.5));
equation
  der(x) = max(-1, min(1, u));
  der(v) = if x >= 1 then if v > 0.5 then -v else 0.5 else smooth(1, if e >= 0 then 1 - exp(-e) else exp(e) - 1);
end Converter;
