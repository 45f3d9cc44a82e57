model Tyre "branches that meet with value and slope, and with the value only"
  parameter Real B = 3;
  Real s(start = -1, fixed = true), x(start = 0, fixed = true), y(start = 0, fixed = true);
  Real force = if s >= 0 then 1 - exp(-B*s) else exp(B*s) - 1;
  Real kink = if s >= 0 then 2*s else s;
equation
  der(s) = 1;
  der(x) = force;
  der(y) = kink;
end Tyre;
