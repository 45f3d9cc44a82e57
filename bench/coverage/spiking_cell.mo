// FitzHugh (1961): a nerve cell that fires by itself. v is measured, w is hidden.
model SpikingCell
  parameter Real a = 0.7;
  parameter Real b = 0.8;
  parameter Real eps = 0.08;
  parameter Real current = 0.5;
  Real v(start = -1, fixed = true);
  Real w(start = 0, fixed = true);
equation
  der(v) = v - v^3/3 - w + current;
  der(w) = eps*(v + a - b*w);
end SpikingCell;
