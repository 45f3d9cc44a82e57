// A slider crank with an elastic connecting rod: phi1 turns the crank at a constant rate, phi2 the rod, x3 moves the block; q1 and q2 are
// sine modes of lateral bending, q3 and q4 the longitudinal displacements of the middle and of the end of the rod. Without gravity and damping.
// Simeon, Math. Modelling of Systems 2, 1-18 (1996); Mazzia and Magherini, Test Set for IVP Solvers, release 2.4. Constraints of index 3
// are kept as such: the test set prints their derivatives. pi has the digits of the test set.
model SliderCrank "flexible slider crank of Simeon"
  constant Real pi = 3.1415927;
  parameter Real m2(unit = "kg") = 0.151104 "rod";
  parameter Real m3(unit = "kg") = 0.075552 "block";
  parameter Real l1(unit = "m") = 0.15 "crank";
  parameter Real l2(unit = "m") = 0.3 "rod";
  parameter Real J1(unit = "kg.m2") = 0.002727;
  parameter Real J2(unit = "kg.m2") = 0.0045339259;
  parameter Real E(unit = "Pa") = 0.2e12 "elasticity of the rod";
  parameter Real b(unit = "m") = 0.008 "its width";
  parameter Real h(unit = "m") = 0.008 "its height";
  parameter Real rho(unit = "kg/m3") = 7870 "its density";
  parameter Real Omega(unit = "rad/s") = 150 "rate of the crank";
  parameter Real mr(unit = "kg") = rho*b*h*l2;
  parameter Real k(unit = "N/m") = E*b*h/l2;
  Real phi1(start = 0, unit = "rad");
  Real phi2(start = 0, unit = "rad");
  Real x3(start = 0.450016933, unit = "m");
  Real q1(start = 0, fixed = true, unit = "m");
  Real q2(start = 0, fixed = true, unit = "m");
  Real q3(start = 0.103339863e-4, fixed = true, nominal = 1e-4, unit = "m");
  Real q4(start = 0.169327969e-4, fixed = true, nominal = 1e-4, unit = "m");
  Real vphi1(start = 150, unit = "rad/s");
  Real vphi2(start = -74.9957670, unit = "rad/s");
  Real vx3(start = -0.268938672e-5, unit = "m/s");
  Real vq1(start = 0.444896105, fixed = true, unit = "m/s");
  Real vq2(start = 0.463434311e-2, fixed = true, unit = "m/s");
  Real vq3(start = -0.178591076e-5, fixed = true, unit = "m/s");
  Real vq4(start = -0.268938672e-5, fixed = true, unit = "m/s");
  Real aphi1(unit = "rad/s2"), aphi2(unit = "rad/s2"), ax3(unit = "m/s2");
  Real aq1(unit = "m/s2"), aq2(unit = "m/s2"), aq3(unit = "m/s2"), aq4(unit = "m/s2");
  Real lambda1(unit = "N"), lambda2(unit = "N"), lambda3(unit = "N.m");
  Real s = sin(phi1 - phi2), c = cos(phi1 - phi2);
  // moments of the elastic displacement and of its rate: along the rod, across it, along it from the joint
  Real along(unit = "kg.m") = mr*(2/3*q3 + 1/6*q4);
  Real valong(unit = "kg.m/s") = mr*(2/3*vq3 + 1/6*vq4);
  Real across(unit = "kg.m") = mr*2/pi*q1;
  Real vacross(unit = "kg.m/s") = mr*2/pi*vq1;
  Real spread(unit = "kg.m2") = l2*mr*(1/3*q3 + 1/6*q4);
  Real vspread(unit = "kg.m2/s") = l2*mr*(1/3*vq3 + 1/6*vq4);
  // mass matrix of the rod times q
  Real mq1(unit = "kg.m") = mr/2*q1;
  Real mq2(unit = "kg.m") = mr/2*q2;
  Real mq3(unit = "kg.m") = mr*(8*q3 + q4);
  Real mq4(unit = "kg.m") = mr*(q3 + 2*q4);
  // entries of the mass matrix of the mechanism
  Real m12(unit = "kg.m2") = l1*l2*m2/2*c + l1*(s*across + c*along);
  Real m22(unit = "kg.m2") = J2 + q1*mq1 + q2*mq2 + q3*mq3 + q4*mq4 + 2*spread;
  Real n1(unit = "kg.m") = mr*(l2/pi + 16/pi^3*q3 - (8/pi^3 - 1/pi)*q4);
  Real n2(unit = "kg.m") = -mr/(2*pi)*(l2 + q4);
  Real n3(unit = "kg.m") = -mr*16/pi^3*q1;
  Real n4(unit = "kg.m") = mr*((8/pi^3 - 1/pi)*q1 + q2/(2*pi));
equation
  der(phi1) = vphi1;
  der(phi2) = vphi2;
  der(x3) = vx3;
  der(q1) = vq1;
  der(q2) = vq2;
  der(q3) = vq3;
  der(q4) = vq4;
  der(vphi1) = aphi1;
  der(vphi2) = aphi2;
  der(vx3) = ax3;
  der(vq1) = aq1;
  der(vq2) = aq2;
  der(vq3) = aq3;
  der(vq4) = aq4;
  (J1 + m2*l1^2)*aphi1 + m12*aphi2 + l1*mr*(c*2/pi*aq1 - s*(2/3*aq3 + 1/6*aq4))
    + l1*cos(phi1)*lambda1 + l1*sin(phi1)*lambda2 + lambda3
    = -l1*l2*m2/2*vphi2^2*s + l1*vphi2^2*(c*across - s*along) - 2*l1*vphi2*(c*valong + s*vacross);
  m12*aphi1 + m22*aphi2 + n1*aq1 + n2*aq2 + n3*aq3 + n4*aq4
    + (l2 + q4)*(cos(phi2)*lambda1 + sin(phi2)*lambda2)
    = l1*l2*m2/2*vphi1^2*s + l1*vphi1^2*(s*along - c*across)
      - 2*vphi2*(vspread + vq1*mq1 + vq2*mq2 + vq3*mq3 + vq4*mq4);
  m3*ax3 + lambda2 = 0;
  l1*mr*c*2/pi*aphi1 + n1*aphi2 + mr/2*aq1
    = vphi2^2*mq1 + mr*(l1*vphi1^2*s*2/pi + 2*vphi2*((8/pi^3 - 1/pi)*vq4 - 16/pi^3*vq3)) - k*pi^4/24*(h/l2)^2*q1;
  n2*aphi2 + mr/2*aq2 = vphi2^2*mq2 + mr*vphi2/pi*vq4 - k*pi^4*2/3*(h/l2)^2*q2;
  -l1*mr*s*2/3*aphi1 + n3*aphi2 + mr*(8*aq3 + aq4)
    = vphi2^2*mq3 + mr*(vphi2^2*l2/3 + l1*vphi1^2*c*2/3 + 2*vphi2*16/pi^3*vq1) - k*(16/3*q3 - 8/3*q4);
  -l1*mr*s*1/6*aphi1 + n4*aphi2 + mr*(aq3 + 2*aq4) + sin(phi2)*lambda1 - cos(phi2)*lambda2
    = vphi2^2*mq4 + mr*(vphi2^2*l2/6 + l1*vphi1^2*c/6 - 2*vphi2*((8/pi^3 - 1/pi)*vq1 + vq2/(2*pi)))
      - k*(7/3*q4 - 8/3*q3);
  l1*sin(phi1) + (l2 + q4)*sin(phi2) = 0;
  x3 - l1*cos(phi1) - (l2 + q4)*cos(phi2) = 0;
  phi1 = Omega*time;
end SliderCrank;
