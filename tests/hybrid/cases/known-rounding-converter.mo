model RoundingConverter "a rounding converter in a control loop"
  parameter Real q = 0.5;
  Real x(start = 0, fixed = true);
  Real u = q*integer(floor((1 - x)/q + 0.5));
equation
  der(x) = u;
end RoundingConverter;
