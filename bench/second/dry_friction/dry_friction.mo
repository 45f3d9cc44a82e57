model DryFriction "a block on a spring with dry friction, pushed by a force of three frequencies. SI units"
  parameter Real k = 40, c = 0.8, Fc = 1.6 "dry friction";
  parameter Real m = 1.3;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  m*der(v) = 4*sin(3.1*time) + 3*sin(5.9*time + 0.5) + 2*sin(9.3*time + 2) - k*x - c*v - Fc*tanh(v/0.005);
end DryFriction;
