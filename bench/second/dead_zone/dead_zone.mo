model DeadZone "a hydraulic cylinder behind a valve with overlap. V, m, s"
  parameter Real K = 0.35 "speed by voltage", d = 0.7 "overlap";
  parameter Real tau = 0.08 "valve", a = 0.4 "leak";
  Real q(start = 0, fixed = true), x(start = 0, fixed = true);
  Real u;
equation
  u = 1.6*sin(1.7*time) + 1.1*sin(4.3*time + 1);
  tau*der(q) = K*(u - max(-d, min(d, u))) - q;
  der(x) = q - a*x;
end DeadZone;
