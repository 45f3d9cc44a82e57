model BumpStop "a quarter of a car over a rough road; the spring meets bump stops"
  parameter Real ks(unit = "kN/m") = 18, c(unit = "kN.s/m") = 1.3;
  parameter Real kb(unit = "kN/m") = 90 "bump stop", s0(unit = "m") = 0.035 "free travel";
  parameter Real ms(unit = "t") = 0.32, mu(unit = "t") = 0.04, kt(unit = "kN/m") = 180;
  Real zs(start = 0, fixed = true), vs(start = 0, fixed = true);
  Real zu(start = 0, fixed = true), vu(start = 0, fixed = true);
  Real road, s, F, az;
equation
  road = 0.03*sin(4.4*time) + 0.022*sin(9.7*time + 1) + 0.012*sin(23*time + 2);
  s = zs - zu;
  F = ks*s + c*(vs - vu) + kb*(s - max(-s0, min(s0, s)));
  der(zs) = vs;
  der(zu) = vu;
  az = -F/ms;
  der(vs) = az;
  mu*der(vu) = F - kt*(zu - road);
end BumpStop;
