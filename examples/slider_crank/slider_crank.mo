// Every body has its own coordinates, and every pin joint holds two of them together: M q'' + J' lambda = Q, Phi(q) = 0.
// The mechanism lies in a horizontal plane, so there is no gravity.
model SliderCrank "a crank swung by a motor moves a slider against a spring"
  parameter Real m3(min = 0.25, max = 2.5, unit = "kg") = 0.8 "mass of the slider";
  parameter Real k(min = 100, max = 1000, unit = "N/m") = 320 "stiffness of the spring at the slider";
  parameter Real d(min = 0, max = 6, unit = "N.s/m") = 2 "friction of the slider";
  parameter Real J1(unit = "kg.m2") = 0.004 "moment of inertia of crank and motor";
  parameter Real m2(unit = "kg") = 0.4 "mass of the rod";
  parameter Real l1(unit = "m") = 0.1 "length of the crank";
  parameter Real l2(unit = "m") = 0.3 "length of the rod";
  parameter Real J2(unit = "kg.m2") = m2*l2^2/12 "moment of inertia of the rod";
  parameter Real x0(unit = "m") = 0.3 "where the spring is without force";
  parameter Real T0(unit = "N.m") = 0.4 "amplitude of the torque of the motor";
  parameter Real w0(unit = "1/s") = 7 "its angular frequency";
  Real phi1(start = 2.2, fixed = true, unit = "rad") "angle of the crank, measured";
  Real w1(start = 0, fixed = true, unit = "rad/s");
  Real x2(start = 0.1, unit = "m") "centre of the rod";
  Real y2(start = 0.05, unit = "m");
  Real phi2(start = -0.3, unit = "rad") "angle of the rod";
  Real vx2(unit = "m/s");
  Real vy2(unit = "m/s");
  Real w2(unit = "rad/s");
  Real x3(start = 0.2, unit = "m") "position of the slider, measured";
  Real v3(unit = "m/s");
  Real a3(unit = "m/s2") = der(v3) "acceleration of the slider, for an accelerometer";
  Real Ax(unit = "N"), Ay(unit = "N") "force in the pin between crank and rod";
  Real Bx(unit = "N"), By(unit = "N") "force in the pin between rod and slider";
  Real T(unit = "N.m") "torque of the motor";
equation
  T = T0*sin(w0*time);
  der(phi1) = w1;
  der(x2) = vx2;
  der(y2) = vy2;
  der(phi2) = w2;
  der(x3) = v3;
  // motion of the bodies
  J1*der(w1) - l1*sin(phi1)*Ax + l1*cos(phi1)*Ay = T;
  m2*der(vx2) - Ax + Bx = 0;
  m2*der(vy2) - Ay + By = 0;
  J2*der(w2) - l2/2*sin(phi2)*(Ax + Bx) + l2/2*cos(phi2)*(Ay + By) = 0;
  m3*der(v3) - Bx = -k*(x3 - x0) - d*v3;
  // the pins
  l1*cos(phi1) - (x2 - l2/2*cos(phi2)) = 0;
  l1*sin(phi1) - (y2 - l2/2*sin(phi2)) = 0;
  x2 + l2/2*cos(phi2) - x3 = 0;
  y2 + l2/2*sin(phi2) = 0;
  annotation(experiment(StopTime = 3, Interval = 0.01));
end SliderCrank;
