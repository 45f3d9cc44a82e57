model ThirtyReleases "a hardening oscillator released thirty times from unknown places"
  parameter Real w2 = 7.5, b = 3.2, d = 0.35;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -w2*x - b*x^3 - d*v;
end ThirtyReleases;
