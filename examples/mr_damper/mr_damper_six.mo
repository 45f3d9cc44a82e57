// The same damper in six numbers that can be found: z is the force of the hysteresis itself, alpha times that of
// mr_damper.mo; At = alpha*A, Fy = alpha*(A/(beta + gamma))^(1/n), rho = beta/(beta + gamma).
model MrDamperSix "the Bouc-Wen model of a magnetorheological damper, without redundant parameters"
  constant Real pi = 3.141592653589793;
  parameter Real c0(min = 1, max = 400) = 50 "viscous damping, N.s/cm";
  parameter Real k0(min = 1, max = 400) = 25 "stiffness, N/cm";
  parameter Real Fy(min = 0.5, max = 2000) = 681.645 "largest force of the hysteresis, N";
  parameter Real At(min = 1, max = 400000) = 105600 "its slope, N/cm";
  parameter Real rho(min = 0.01, max = 0.99) = 0.5 "shape of the hysteresis";
  parameter Real n(min = 1, max = 2.5) = 2 "sharpness of the hysteresis";
  Real x "displacement, given, cm";
  Real v "its exact derivative, cm/s";
  Real z(start = 0, fixed = true) "force of the hysteresis, N";
  output Real F "force of the damper, measured, N";
equation
  x = 1.5*sin(5*pi*time);
  v = 1.5*5*pi*cos(5*pi*time);
  der(z) = At*(v - rho*v*abs(z/Fy)^n - (1 - rho)*abs(v)*(z/Fy)*abs(z/Fy)^(n - 1));
  F = c0*v + k0*x + z;
  annotation(experiment(StopTime = 1, Interval = 0.001));
end MrDamperSix;
