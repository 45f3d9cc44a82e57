// Divided by the inertia about the joint: only these ratios can be found from the angle.
model SinglePendulum "a pendulum with friction in its bearing and in the air; angle from upright"
  import Entrain.Rotational.*;
  parameter Real p(unit = "N.m", min = 0) = 64 "weight: m*g*a/(I + m*a^2)";
  parameter Real c(unit = "N.m", min = 0) = 0 "dry friction";
  parameter Real d(unit = "N.m.s", min = 0) = 0 "viscous friction";
  parameter Real a(unit = "N.m.s2", min = 0) = 0, k(unit = "N.m.s3", min = 0) = 0 "friction by the square and by the cube of the speed";
  parameter Real tilt(unit = "rad") = 0 "of the zero of the sensor from upright";
  Inertia arm(J = 1, phi(start = 3, fixed = true), w(start = 0, fixed = true));
  Torque weight(tau = p*sin(arm.phi - tilt));
  CoulombFriction bearing(Tc = c, d = d, w0 = 0.05);
  Torque air(tau = -(a*abs(arm.w) + k*arm.w^2)*arm.w);
  Fixed cart;
equation
  connect(weight.b, arm.a);
  connect(air.b, arm.a);
  connect(bearing.b, arm.a);
  connect(bearing.a, cart.a);
end SinglePendulum;
