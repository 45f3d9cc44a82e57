model Backlash "a motor turns a load through a gear with play; the angle of the load is measured"
  parameter Real k(unit = "N.m/rad") = 9 "stiffness of the shaft";
  parameter Real gap(unit = "rad") = 0.18 "half of the play";
  parameter Real J2(unit = "kg.m2") = 0.6 "load", d2(unit = "N.m.s/rad") = 0.25;
  parameter Real J1(unit = "kg.m2") = 0.25, d1(unit = "N.m.s/rad") = 0.5;
  Real p1(start = 0, fixed = true), w1(start = 0, fixed = true);
  Real p2(start = 0, fixed = true), w2(start = 0, fixed = true);
  Real twist, T;
equation
  twist = p1 - p2;
  T = k*(twist - max(-gap, min(gap, twist)));
  der(p1) = w1;
  der(p2) = w2;
  J1*der(w1) = 2.2*sin(1.1*time) + 1.3*sin(2.7*time + 1) - d1*w1 - T;
  J2*der(w2) = T - d2*w2;
end Backlash;
