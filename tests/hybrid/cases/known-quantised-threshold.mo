model QuantisedThreshold "thresholds on a quantised state"
  Real x(start = 0, fixed = true), z(start = 0, fixed = true);
  Real q = 0.25*floor(x/0.25);
equation
  der(x) = 0.3;
  der(z) = if q >= 0.5 then (if q > 0.75 then -1 else 2) else 0;
end QuantisedThreshold;
