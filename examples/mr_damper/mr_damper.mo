// Manikantan, Chakraborty, Uchida, Vyasarayani (2020), journal Mathematics, section 3.3. Units: N, cm, s.
// Only c0, k0, n, alpha*A, beta*alpha^(1-n) and gamma*alpha^(1-n) can be found from F.
model MrDamper "the Bouc-Wen model of a magnetorheological damper under a sine displacement"
  constant Real pi = 3.141592653589793;
  parameter Real c0(min = 1, max = 400) = 50 "viscous damping, N.s/cm";
  parameter Real k0(min = 1, max = 400) = 25 "stiffness, N/cm";
  parameter Real alpha(min = 1, max = 1000) = 880 "force of the hysteresis, N/cm";
  parameter Real beta(min = 1, max = 400) = 100 "shape of the hysteresis";
  parameter Real gamma(min = 1, max = 400) = 100 "shape of the hysteresis";
  parameter Real A(min = 1, max = 400) = 120 "slope of the hysteresis";
  parameter Real n(min = 1, max = 2.5) = 2 "sharpness of the hysteresis";
  Real x "displacement, given, cm";
  Real v "its exact derivative, cm/s";
  Real z(start = 0, fixed = true) "hysteretic displacement, cm";
  output Real F "force of the damper, measured, N";
equation
  x = 1.5*sin(5*pi*time);
  v = 1.5*5*pi*cos(5*pi*time);
  der(z) = -gamma*abs(v)*z*abs(z)^(n - 1) - beta*v*abs(z)^n + A*v;
  F = c0*v + k0*x + alpha*z;
  annotation(experiment(StopTime = 1, Interval = 0.001));
end MrDamper;
