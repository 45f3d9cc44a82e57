model KnownStictionClock "the value of a law at rest is in use only there: its limits are watched while the motion goes on, also beside a clock"
  Real v(start = 0, fixed = true), L, F;
  discrete Real Q(start = 0, fixed = true);
equation
  L = -2.5*sin(time);
  F = if v > 0 then 1 elseif v < 0 then -1 else max(-2, min(2, L));
  der(v) = L - F;
  when time >= 8 then
    Q = 1;
  end when;
end KnownStictionClock;
