model RampOscillation "a slide pulled through a spring by a drive of constant speed: a ramp with a small oscillation"
  parameter Real u(unit = "m/s") = 0.5 "speed of the drive";
  parameter Real w(unit = "rad/s") = 6.5, z = 0.03;
  Real x(start = 0, fixed = true, unit = "m"), v(start = 0, fixed = true, unit = "m/s");
equation
  der(x) = v;
  der(v) = w^2*(u*time - x) + 2*z*w*(u - v);
end RampOscillation;
