model Waves
  Real n = floor(10*sin(10*time)), y, z;
  Boolean b = n >= 3, c = time > 0;
equation
  y + 0.1*sin(y) = if b then n else mod(time, 0.5);
  z + 0.2*abs(z) = y - sign(time);
end Waves;
