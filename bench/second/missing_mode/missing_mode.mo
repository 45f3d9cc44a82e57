model MissingMode "an oscillator of one mode; the structure of the data has a second, weak one"
  parameter Real w = 4.1, z = 0.04, b = 5;
  Real q(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(q) = v;
  der(v) = -2*z*w*v - w^2*q + b*(sin(1.7*time) + sin(5.2*time + 1));
end MissingMode;
