// A mass on a hardening spring beside a spring and a damper in series, whose force is hidden; it is pushed periodically.
model SoftSpring
  parameter Real stiffness = 4;
  parameter Real hardening = 2;
  parameter Real damping = 0.15;
  parameter Real series = 1.5;
  parameter Real relaxation = 0.8;
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  Real force(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -stiffness*x - hardening*x^3 - damping*v - force + 0.8*cos(1.3*time);
  der(force) = series*v - force/relaxation;
end SoftSpring;
