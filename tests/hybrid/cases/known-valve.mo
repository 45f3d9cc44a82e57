model Valve "a valve closes at a level that is reached exactly, and stays closed"
  Real level(start = 0, fixed = true);
  Boolean closed = level >= 2;
  Boolean over = level > 2;
  Real up = ceil(level), side = sign(level - 2);
equation
  der(level) = if closed then 0 else 0.5;
end Valve;
