// Levels in volts of the sensor. A tank cannot rise much above its rim: what is more spills.
model CascadedTanks "two tanks one above the other, the upper one spills partly into the lower one"
  parameter Real k1(unit = "V/s", min = 0) = 0.02 "outlet of the upper tank at 1 V";
  parameter Real k2(unit = "V/s", min = 0) = 0.02 "what it gives the lower tank, in volts there";
  parameter Real k3(unit = "V/s", min = 0) = 0.02 "outlet of the lower tank at 1 V";
  parameter Real k4(unit = "1/s", min = 0) = 0.02 "pump";
  parameter Real k5(unit = "1", min = 0) = 1 "what reaches the lower tank of the spill, in volts there";
  parameter Real n1(unit = "1", min = 0) = 0.5, n2(unit = "1", min = 0) = 0.5 "exponents of the outlets; 0.5 is Bernoulli's law";
  parameter Real h1(unit = "V") = 0, h2(unit = "V") = 0 "readings at which the outlets stop";
  parameter Real l1(unit = "1") = 0, l2(unit = "1") = 0 "share of the outlets in proportion to the level";
  parameter Real u0(unit = "V") = 0 "voltage at which the pump begins";
  constant Real rim(unit = "V") = 10, spilling(unit = "1/s") = 0.75, one(unit = "V") = 1;
  input Real u(unit = "V");
  Real x1(start = 5, fixed = true, unit = "V"), x2(start = 5.2, fixed = true, unit = "V");
  Real q1(unit = "1"), q2(unit = "1"), spill(unit = "V/s"), y(unit = "V") "what the sensor shows: at most 10 V";
equation
  q1 = max((x1 - h1)/one, 1e-3)^n1 + l1*x1/one;
  q2 = max((x2 - h2)/one, 1e-3)^n2 + l2*x2/one;
  spill = spilling*max(x1 - rim, 0);
  der(x1) = k4*(u - u0) - k1*q1 - spill;
  der(x2) = k2*q1 - k3*q2 + k5*spill - spilling*max(x2 - rim, 0);
  y = min(x2, rim);
end CascadedTanks;
