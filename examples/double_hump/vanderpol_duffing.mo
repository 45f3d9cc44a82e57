// Manikantan, Chakraborty, Uchida, Vyasarayani (2020), journal Mathematics, section 3.1.
model VanDerPolDuffing "the forced van der Pol-Duffing oscillator with a double hump, dimensionless"
  parameter Real alpha(min = 1, max = 5) = 1.5 "linear stiffness";
  parameter Real beta(min = -0.9, max = -0.1) = -0.5 "cubic stiffness";
  parameter Real mu(min = 0.01, max = 1) = 0.1 "damping";
  Real x1(start = 1, fixed = true) "displacement, measured";
  Real x2(start = 0, fixed = true) "velocity";
equation
  der(x1) = x2;
  der(x2) = mu*(1 - x1^2)*x2 - alpha*x1 - beta*x1^3 + 0.5*cos(0.79*time);
  annotation(experiment(StopTime = 10, Interval = 0.05));
end VanDerPolDuffing;
