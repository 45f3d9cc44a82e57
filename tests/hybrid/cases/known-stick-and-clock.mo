model KnownStickAndClock "a mass comes to rest when, by chance, a clock strikes"
  parameter Real F = 1, v0 = 1, T = 1, g = 0.3;
  Real v(start = v0, fixed = true), s(start = 0, fixed = true), q(start = 0, fixed = true);
  discrete Real c(start = 0, fixed = true);
equation
  der(v) = -F*sign(v);
  der(s) = v + g*c;
  der(q) = 1;
  when q > T then
    c = pre(c) + 1;
  end when;
end KnownStickAndClock;
