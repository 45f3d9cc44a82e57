model FallingBody "a body thrown upwards that falls with quadratic drag; 25 pictures of a camera"
  parameter Real q(unit = "1/m") = 0.021 "drag by mass";
  parameter Real v0(unit = "m/s") = 24 "speed at the start";
  parameter Real z0(unit = "m") = 1.8;
  Real z(start = z0, fixed = true, unit = "m"), v(start = v0, fixed = true, unit = "m/s");
equation
  der(z) = v;
  der(v) = -9.81 - q*v*abs(v);
end FallingBody;
