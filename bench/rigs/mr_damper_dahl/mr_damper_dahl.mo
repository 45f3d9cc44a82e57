model MrDamperDahl "Dahl's law of a magnetorheological damper without current: F = Kx v + Kw w. mm, s, N"
  parameter Real Kx = 0.8, Kw = 60, rho = 0.5, F0 = 0 "offset of the sensor";
  input Real v "mm/s";
  Real w(start = 0, fixed = true), F;
equation
  der(w) = rho*(v - abs(v)*w);
  F = Kx*v + Kw*w + F0;
end MrDamperDahl;
