// Time in samples of 4 s, levels in volts of the sensor. Above its rim a tank spills: at most a little higher than 10.
model CascadedTanks "two tanks one above the other, the upper one spills partly into the lower one"
  parameter Real k1 = 0.08, k2 = 0.34, k3 = 0.6, k4 = 0.1 "outlets (Bernoulli) and pump";
  parameter Real k5 = 1.4 "what reaches the lower tank of the spill";
  parameter Real l1 = 0, l2 = 0 "linear parts of the outlets";
  constant Real rim = 10, spilling = 3;
  input Real u(unit = "V");
  Real x1(start = 5, fixed = true), x2(start = 5.205, fixed = true) "the first sample";
  Real spill;
equation
  spill = spilling*max(x1 - rim, 0);
  der(x1) = k4*u - k1*sqrt(max(x1, 1e-3)) - l1*x1 - spill;
  der(x2) = k2*sqrt(max(x1, 1e-3)) - k3*sqrt(max(x2, 1e-3)) - l2*x2 + k5*spill - spilling*max(x2 - rim, 0);
end CascadedTanks;
