// Three bodies with three coordinates each, four pin joints with two constraints each: a closed loop with one degree of
// freedom. The links are slender rods, the crank is shorter than the others and turns all the way round.
model FourBar "the four-bar linkage of a windscreen wiper"
  parameter Real m2(min = 0.15, max = 1.5, unit = "kg") = 0.5 "mass of the coupler";
  parameter Real k(min = 0.3, max = 3, unit = "N.m") = 1 "stiffness of the spring at the rocker";
  parameter Real d(min = 0, max = 1, unit = "N.m.s") = 0.3 "friction of the rocker";
  parameter Real m1(unit = "kg") = 0.3 "mass of the crank";
  parameter Real m3(unit = "kg") = 0.6 "mass of the rocker";
  parameter Real l1(unit = "m") = 0.12 "length of the crank";
  parameter Real l2(unit = "m") = 0.4 "length of the coupler";
  parameter Real l3(unit = "m") = 0.25 "length of the rocker";
  parameter Real l0(unit = "m") = 0.4 "distance of the two pivots on the ground";
  parameter Real J1(unit = "kg.m2") = 0.004 "moment of inertia of crank and motor";
  parameter Real J2(unit = "kg.m2") = m2*l2^2/12 "moment of inertia of the coupler";
  parameter Real J3(unit = "kg.m2") = m3*l3^2/12 "moment of inertia of the rocker";
  parameter Real phi0(unit = "rad") = 1.8 "angle of the rocker where its spring is without force";
  parameter Real T0(unit = "N.m") = 1 "torque of the motor that stands still";
  parameter Real b(unit = "N.m.s") = 0.1 "what the torque falls by with the speed of the crank";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real x1(start = 0.03, unit = "m") "centre of the crank";
  Real y1(start = 0.05, unit = "m");
  Real phi1(start = 1, fixed = true, unit = "rad") "angle of the crank, measured";
  Real x2(start = 0.25, unit = "m") "centre of the coupler";
  Real y2(start = 0.2, unit = "m");
  Real phi2(start = 0.5, unit = "rad") "angle of the coupler, measured";
  Real x3(start = 0.4, unit = "m") "centre of the rocker";
  Real y3(start = 0.1, unit = "m");
  Real phi3(start = 1.5, unit = "rad") "angle of the rocker, measured";
  Real vx1(unit = "m/s"), vy1(unit = "m/s"), w1(start = 0, fixed = true, unit = "rad/s");
  Real vx2(unit = "m/s"), vy2(unit = "m/s"), w2(unit = "rad/s");
  Real vx3(unit = "m/s"), vy3(unit = "m/s"), w3(unit = "rad/s");
  Real Ox(unit = "N"), Oy(unit = "N") "force in the pivot of the crank";
  Real Ax(unit = "N"), Ay(unit = "N") "force between crank and coupler";
  Real Bx(unit = "N"), By(unit = "N") "force between coupler and rocker";
  Real Cx(unit = "N"), Cy(unit = "N") "force in the pivot of the rocker";
equation
  der(x1) = vx1;
  der(y1) = vy1;
  der(phi1) = w1;
  der(x2) = vx2;
  der(y2) = vy2;
  der(phi2) = w2;
  der(x3) = vx3;
  der(y3) = vy3;
  der(phi3) = w3;
  // crank
  m1*der(vx1) + Ox + Ax = 0;
  m1*der(vy1) + Oy + Ay = -m1*g;
  J1*der(w1) + l1/2*sin(phi1)*(Ox - Ax) - l1/2*cos(phi1)*(Oy - Ay) = T0 - b*w1;
  // coupler
  m2*der(vx2) - Ax + Bx = 0;
  m2*der(vy2) - Ay + By = -m2*g;
  J2*der(w2) - l2/2*sin(phi2)*(Ax + Bx) + l2/2*cos(phi2)*(Ay + By) = 0;
  // rocker
  m3*der(vx3) - Bx + Cx = 0;
  m3*der(vy3) - By + Cy = -m3*g;
  J3*der(w3) + l3/2*sin(phi3)*(Bx + Cx) - l3/2*cos(phi3)*(By + Cy) = -k*(phi3 - phi0) - d*w3;
  // the pins
  x1 - l1/2*cos(phi1) = 0;
  y1 - l1/2*sin(phi1) = 0;
  x1 + l1/2*cos(phi1) - (x2 - l2/2*cos(phi2)) = 0;
  y1 + l1/2*sin(phi1) - (y2 - l2/2*sin(phi2)) = 0;
  x2 + l2/2*cos(phi2) - (x3 + l3/2*cos(phi3)) = 0;
  y2 + l2/2*sin(phi2) - (y3 + l3/2*sin(phi3)) = 0;
  x3 - l3/2*cos(phi3) - l0 = 0;
  y3 - l3/2*sin(phi3) = 0;
  annotation(experiment(StopTime = 3, Interval = 0.01));
end FourBar;
