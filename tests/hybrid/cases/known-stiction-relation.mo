model KnownStictionRelation "a law that holds more than it rubs, and another equation with the same relation"
  parameter Real Fc = 1, Fs = 1.5, A = 0.5;
  Real v(start = -0.1, fixed = true), u(start = 0, fixed = true), load, F;
equation
  load = A*time;
  F = if v > 0 then Fc elseif v < 0 then -Fc else max(-Fs, min(Fs, load));
  der(v) = load - F;
  der(u) = if v > 0 then 1 else 0;
end KnownStictionRelation;
