// Vyasarayani, Uchida, Carvalho, McPhee (2011), doi 10.1007/s11044-011-9260-0, section 3.2; start (1, 0) inferred.
model ArctanOscillator "an oscillator with a saturating spring and an unknown phase of the excitation"
  constant Real pi = 3.141592653589793;
  parameter Real k(min = 0.1, max = 20) = 1 "stiffness inside the arctangent";
  parameter Real psi(min = 0, max = 4) = 0.5 "phase of the excitation in units of pi, so of period 2";
  Real u(start = 1, fixed = true) "displacement, measured";
  Real u_dot(start = 0, fixed = true) "velocity";
equation
  der(u) = u_dot;
  der(u_dot) + 0.1*u_dot + atan(k*u) = sin(time/2 + pi*psi);
  annotation(experiment(StopTime = 50, Interval = 0.1));
end ArctanOscillator;
