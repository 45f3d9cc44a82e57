model PlayMotor "motor and load with play between; the speed of the motor is measured"
  parameter Real k = 30 "shaft, N.m/rad", gap = 0.06 "half of the play, rad", J2 = 0.05 "load, kg.m2";
  parameter Real J1 = 0.02, d1 = 0.02, d2 = 0.06, dk = 0.03;
  Real p(start = 0, fixed = true) "twist", w1(start = 0, fixed = true), w2(start = 0, fixed = true);
  Real T;
equation
  T = k*(p - max(-gap, min(gap, p)));
  der(p) = w1 - w2;
  J1*der(w1) = 0.8*sin(5*time) + 0.5*sin(13*time + 1) - d1*w1 - T - dk*(w1 - w2);
  J2*der(w2) = T - d2*w2 + dk*(w1 - w2);
end PlayMotor;
