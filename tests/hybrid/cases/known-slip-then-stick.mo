model KnownSlipThenStick "a block on a belt: its load passes the limits many times while it slips, then the belt slows down and it sticks"
  parameter Real m = 1.2, k = 425, Fc = 6.9, Fs = 8.3;
  Real x(start = 0.05, fixed = true), v(start = 0, fixed = true), vb, r, load, F;
equation
  vb = if time < 6 then 1 else 0.1;
  r = v - vb;
  load = -k*x;
  F = if abs(r) > 0 then Fc*sign(r) else max(-Fs, min(Fs, load));
  der(x) = v;
  m*der(v) = load - F;
end KnownSlipThenStick;
