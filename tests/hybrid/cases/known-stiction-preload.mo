model KnownStictionPreload "a mass between two springs with a preload of 100 kN stays at rest by a friction of 2 N"
  parameter Real K = 1e6, P = 0.1, Fc = 1, Fs = 2;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true), F, load, u, left, right;
equation
  u = 1.8*sin(time);
  left = K*(P - x);
  right = K*(P + x);
  load = left - right + u;
  F = if v > 0 then Fc elseif v < 0 then -Fc else max(-Fs, min(Fs, load));
  der(x) = v;
  der(v) = u - 2*K*x - F;
end KnownStictionPreload;
