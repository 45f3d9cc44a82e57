// Two slender rods, each with three coordinates; the pivot and the joint hold them by four constraints. minimal.mo has the
// same rods in their two angles.
model DoublePendulumCartesian "a plane double pendulum of two rods in Cartesian coordinates, of index 3"
  parameter Real L1(min = 0.33, max = 3, unit = "m") = 1 "length of the upper rod";
  parameter Real L2(min = 0.25, max = 2.25, unit = "m") = 0.75 "length of the lower rod";
  parameter Real m2(min = 0.25, max = 2.5, unit = "kg") = 0.8 "mass of the lower rod";
  parameter Real d(min = 0, max = 0.1, unit = "N.m.s") = 0.02 "friction in each of the two joints";
  parameter Real m1(unit = "kg") = 1 "mass of the upper rod";
  parameter Real J1(unit = "kg.m2") = m1*L1^2/12 "moment of inertia of the upper rod";
  parameter Real J2(unit = "kg.m2") = m2*L2^2/12 "moment of inertia of the lower rod";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real x1(start = 0.5, unit = "m") "centre of the upper rod";
  Real y1(start = 0, unit = "m");
  Real phi1(start = 1.5, fixed = true, unit = "rad") "angle of the upper rod from the vertical, measured";
  Real x2(start = 1, unit = "m") "centre of the lower rod";
  Real y2(start = -0.4, unit = "m");
  Real phi2(start = 0.5, fixed = true, unit = "rad") "angle of the lower rod from the vertical, measured";
  Real vx1(unit = "m/s"), vy1(unit = "m/s"), w1(start = 0, fixed = true, unit = "rad/s");
  Real vx2(unit = "m/s"), vy2(unit = "m/s"), w2(start = 0, fixed = true, unit = "rad/s");
  Real Ax(unit = "N"), Ay(unit = "N") "force in the pivot";
  Real Bx(unit = "N"), By(unit = "N") "force in the joint between the rods";
equation
  der(x1) = vx1;
  der(y1) = vy1;
  der(phi1) = w1;
  der(x2) = vx2;
  der(y2) = vy2;
  der(phi2) = w2;
  // upper rod
  m1*der(vx1) + Ax - Bx = 0;
  m1*der(vy1) + Ay - By = -m1*g;
  J1*der(w1) - L1/2*cos(phi1)*(Ax + Bx) - L1/2*sin(phi1)*(Ay + By) = -d*w1 + d*(w2 - w1);
  // lower rod
  m2*der(vx2) + Bx = 0;
  m2*der(vy2) + By = -m2*g;
  J2*der(w2) - L2/2*cos(phi2)*Bx - L2/2*sin(phi2)*By = -d*(w2 - w1);
  // pivot and joint
  x1 - L1/2*sin(phi1) = 0;
  y1 + L1/2*cos(phi1) = 0;
  x2 - L2/2*sin(phi2) - (x1 + L1/2*sin(phi1)) = 0;
  y2 + L2/2*cos(phi2) - (y1 - L1/2*cos(phi1)) = 0;
  annotation(experiment(StopTime = 10, Interval = 0.02));
end DoublePendulumCartesian;
