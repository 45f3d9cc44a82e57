model Shaft "two flywheels on a light shaft under a swept torque; the speed of the driven one is measured"
  parameter Real J1 = 0.03, J2 = 0.085, k = 14;
  Real twist(start = 0, fixed = true), w1(start = 0, fixed = true), w2(start = 0, fixed = true);
  Real T;
equation
  T = k*twist + 0.012*(w1 - w2);
  der(twist) = w1 - w2;
  J1*der(w1) = 0.6*sin(6*time + 1.1*time^2) - T - 0.03*w1;
  J2*der(w2) = T;
end Shaft;
