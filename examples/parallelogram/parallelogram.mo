// Two cranks would guide the platform; the third one closes the same loop a second time. One of the six constraints follows
// from the other five, so the motion is unique although the forces in the pins are not.
model Parallelogram "a platform that hangs on three parallel cranks and is shaken"
  parameter Real m(min = 1, max = 10, unit = "kg") = 3 "mass of the platform";
  parameter Real k(min = 2, max = 20, unit = "N.m") = 6 "stiffness of the spring at the first crank";
  parameter Real d(min = 0, max = 0.5, unit = "N.m.s") = 0.15 "friction in the pivot of each crank";
  parameter Real J(unit = "kg.m2") = 0.1 "moment of inertia of the platform";
  parameter Real mc(unit = "kg") = 0.5 "mass of each crank";
  parameter Real l(unit = "m") = 0.5 "length of the cranks";
  parameter Real b(unit = "m") = 0.4 "distance of neighbouring cranks";
  parameter Real F0(unit = "N") = 8 "amplitude of the force on the platform";
  parameter Real w0(unit = "1/s") = 3 "its angular frequency";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real q1(start = 0.9, fixed = true, unit = "rad") "angles of the cranks from the vertical; the first is measured";
  Real q2(start = 0.8, unit = "rad");
  Real q3(start = 0.8, unit = "rad");
  Real w1(start = 0, fixed = true, unit = "rad/s"), w2(unit = "rad/s"), w3(unit = "rad/s");
  Real x(start = 0.8, unit = "m") "centre of the platform, measured";
  Real y(start = -0.3, unit = "m");
  Real phi(unit = "rad") "angle of the platform";
  Real vx(unit = "m/s"), vy(unit = "m/s"), w(unit = "rad/s");
  Real Ax(unit = "N"), Ay(unit = "N") "force between the first crank and the platform";
  Real Bx(unit = "N"), By(unit = "N") "force between the second crank and the platform";
  Real Cx(unit = "N"), Cy(unit = "N") "force between the third crank and the platform";
equation
  der(q1) = w1;
  der(q2) = w2;
  der(q3) = w3;
  der(x) = vx;
  der(y) = vy;
  der(phi) = w;
  // cranks, which turn about one of their ends
  mc*l^2/3*der(w1) - l*cos(q1)*Ax - l*sin(q1)*Ay = -mc*g*l/2*sin(q1) - d*w1 - k*q1;
  mc*l^2/3*der(w2) - l*cos(q2)*Bx - l*sin(q2)*By = -mc*g*l/2*sin(q2) - d*w2;
  mc*l^2/3*der(w3) - l*cos(q3)*Cx - l*sin(q3)*Cy = -mc*g*l/2*sin(q3) - d*w3;
  // platform
  m*der(vx) + Ax + Bx + Cx = F0*sin(w0*time);
  m*der(vy) + Ay + By + Cy = -m*g;
  J*der(w) + b*sin(phi)*(Ax - Cx) - b*cos(phi)*(Ay - Cy) = 0;
  // the pins between cranks and platform
  x - b*cos(phi) - l*sin(q1) = 0;
  y - b*sin(phi) + l*cos(q1) = 0;
  x - (b + l*sin(q2)) = 0;
  y + l*cos(q2) = 0;
  x + b*cos(phi) - (2*b + l*sin(q3)) = 0;
  y + b*sin(phi) + l*cos(q3) = 0;
  annotation(experiment(StopTime = 5, Interval = 0.01));
end Parallelogram;
