model Pump "a pump that a counter switches"
  parameter Real k = 0.75;
  Real level(start = 1, fixed = true);
  Real on = if mod(floor(time), 2) >= 1 then 1 else 0;
equation
  der(level) = k*on;
end Pump;
