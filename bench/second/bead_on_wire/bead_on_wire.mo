model BeadOnWire "a bead slides on a wire bent to a quartic, in Cartesian coordinates with the constraint. SI units"
  parameter Real a = 0.8 "bend", b = 0.35 "bend", c = 0.25 "drag";
  constant Real g = 9.81;
  Real x(start = 1.1, fixed = true), y(start = 1.4), vx(start = 0, fixed = true), vy;
  Real N "force of the wire";
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -N*(2*a*x + 4*b*x^3) - c*vx;
  der(vy) = N - g - c*vy;
  y = a*x^2 + b*x^4;
end BeadOnWire;
