model DriveColoured "motor and load on an elastic shaft; the sensor of the speed drifts (coloured noise)"
  parameter Real k(unit = "N.m/rad") = 24, d(unit = "N.m.s/rad") = 0.09, J2(unit = "kg.m2") = 0.11;
  parameter Real J1(unit = "kg.m2") = 0.05, b(unit = "N.m.s/rad") = 0.15;
  input Real T(unit = "N.m");
  Real twist(start = 0, fixed = true), w1(start = 0, fixed = true), w2(start = 0, fixed = true);
equation
  der(twist) = w1 - w2;
  J1*der(w1) = T - k*twist - d*(w1 - w2) - b*w1;
  J2*der(w2) = k*twist + d*(w1 - w2);
end DriveColoured;
