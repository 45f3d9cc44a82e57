// Andrews' squeezing mechanism: seven rigid bodies in the plane, joined without friction, driven by a motor.
// Andrews and Ormrod (1986), Schiehlen (1990); equations as printed by Hairer and Wanner, Solving Ordinary Differential
// Equations II, section VII.7. M(q) q'' + G(q)' lambda = f(q, q'), g(q) = 0 of index 3: seven angles, six constraints.
model Andrews "the squeezing mechanism of Andrews"
  parameter Real m1(unit = "kg") = 0.04325 "crank";
  parameter Real m2(unit = "kg") = 0.00365 "link";
  parameter Real m3(min = 0.001, max = 0.5, unit = "kg") = 0.02373 "body on the spring";
  parameter Real m4(unit = "kg") = 0.00706;
  parameter Real m5(min = 0.001, max = 1, unit = "kg") = 0.0705;
  parameter Real m6(unit = "kg") = 0.00706;
  parameter Real m7(unit = "kg") = 0.05498;
  parameter Real I1(unit = "kg.m2") = 2.194e-6 "moments of inertia";
  parameter Real I2(unit = "kg.m2") = 4.41e-7;
  parameter Real I3(unit = "kg.m2") = 5.255e-6;
  parameter Real I4(unit = "kg.m2") = 5.667e-7;
  parameter Real I5(unit = "kg.m2") = 1.169e-5;
  parameter Real I6(unit = "kg.m2") = 5.667e-7;
  parameter Real I7(unit = "kg.m2") = 1.912e-5;
  parameter Real xa(unit = "m") = -0.06934 "pivots A, B, C";
  parameter Real ya(unit = "m") = -0.00227;
  parameter Real xb(unit = "m") = -0.03635;
  parameter Real yb(unit = "m") = 0.03273;
  parameter Real xc(unit = "m") = 0.014;
  parameter Real yc(unit = "m") = 0.072;
  parameter Real d(unit = "m") = 0.028 "lengths";
  parameter Real da(unit = "m") = 0.0115;
  parameter Real e(unit = "m") = 0.02;
  parameter Real ea(unit = "m") = 0.01421;
  parameter Real rr(unit = "m") = 0.007;
  parameter Real ra(unit = "m") = 0.00092;
  parameter Real ss(unit = "m") = 0.035;
  parameter Real sa(unit = "m") = 0.01874;
  parameter Real sb(unit = "m") = 0.01043;
  parameter Real sc(unit = "m") = 0.018;
  parameter Real sd(unit = "m") = 0.02;
  parameter Real ta(unit = "m") = 0.02308;
  parameter Real tb(unit = "m") = 0.00916;
  parameter Real u(unit = "m") = 0.04;
  parameter Real ua(unit = "m") = 0.01228;
  parameter Real ub(unit = "m") = 0.00449;
  parameter Real zf(unit = "m") = 0.02;
  parameter Real zt(unit = "m") = 0.04;
  parameter Real fa(unit = "m") = 0.01421;
  parameter Real c0(min = 100, max = 50000, unit = "N/m") = 4530 "stiffness of the spring";
  parameter Real l0(unit = "m") = 0.07785 "its length without load";
  parameter Real mom(min = 0.001, max = 1, unit = "N.m") = 0.033 "torque of the motor";
  Real beta(start = -0.0617138900142764496, unit = "rad") "crank";
  Real theta(start = 0, fixed = true, unit = "rad");
  Real gamma(start = 0.455279819163070380, unit = "rad");
  Real phi(start = 0.222668390165885885, unit = "rad");
  Real delta(start = 0.487364979543842550, unit = "rad");
  Real omega(start = -0.222668390165885885, unit = "rad");
  Real epsilon(start = 1.23054744454982119, unit = "rad");
  Real vbeta(start = 0, fixed = true, unit = "rad/s") "rates";
  Real vtheta(start = 0, unit = "rad/s");
  Real vgamma(start = 0, unit = "rad/s");
  Real vphi(start = 0, unit = "rad/s");
  Real vdelta(start = 0, unit = "rad/s");
  Real vomega(start = 0, unit = "rad/s");
  Real vepsilon(start = 0, unit = "rad/s");
  Real abeta(unit = "rad/s2") "accelerations";
  Real atheta(unit = "rad/s2");
  Real agamma(unit = "rad/s2");
  Real aphi(unit = "rad/s2");
  Real adelta(unit = "rad/s2");
  Real aomega(unit = "rad/s2");
  Real aepsilon(unit = "rad/s2");
  Real lambda1(unit = "N") "forces in the joints";
  Real lambda2(unit = "N");
  Real lambda3(unit = "N");
  Real lambda4(unit = "N");
  Real lambda5(unit = "N");
  Real lambda6(unit = "N");
  // the spring between D on body 3 and the pivot C
  Real xd(unit = "m") = sd*cos(gamma) + sc*sin(gamma) + xb;
  Real yd(unit = "m") = sd*sin(gamma) - sc*cos(gamma) + yb;
  Real L(unit = "m") = sqrt((xd - xc)^2 + (yd - yc)^2);
  Real F(unit = "N/m") = -c0*(L - l0)/L "force over length";
  // entries of the mass matrix that move
  Real m12(unit = "kg.m2") = m2*(da^2 - da*rr*cos(theta)) + I2;
  Real m45(unit = "kg.m2") = m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + I4;
  Real m67(unit = "kg.m2") = m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + I6;
  // the point E, where crank, link and the three chains meet: forces in x and y
  Real lx(unit = "N") = lambda1 + lambda3 + lambda5;
  Real ly(unit = "N") = lambda2 + lambda4 + lambda6;
equation
  der(beta) = vbeta;
  der(theta) = vtheta;
  der(gamma) = vgamma;
  der(phi) = vphi;
  der(delta) = vdelta;
  der(omega) = vomega;
  der(epsilon) = vepsilon;
  der(vbeta) = abeta;
  der(vtheta) = atheta;
  der(vgamma) = agamma;
  der(vphi) = aphi;
  der(vdelta) = adelta;
  der(vomega) = aomega;
  der(vepsilon) = aepsilon;
  (m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(theta) + da^2) + I1 + I2)*abeta + m12*atheta
    + lx*(d*sin(beta + theta) - rr*sin(beta)) + ly*(rr*cos(beta) - d*cos(beta + theta))
    = mom - m2*da*rr*vtheta*(vtheta + 2*vbeta)*sin(theta);
  m12*abeta + (m2*da^2 + I2)*atheta + lx*d*sin(beta + theta) - ly*d*cos(beta + theta)
    = m2*da*rr*vbeta^2*sin(theta);
  (m3*(sa^2 + sb^2) + I3)*agamma - lambda1*ss*cos(gamma) - lambda2*ss*sin(gamma)
    = F*((xd - xc)*(sc*cos(gamma) - sd*sin(gamma)) + (yd - yc)*(sd*cos(gamma) + sc*sin(gamma)));
  (m4*(e - ea)^2 + I4)*aphi + m45*adelta - lambda3*e*cos(phi + delta) - lambda4*e*sin(phi + delta)
    = m4*zt*(e - ea)*vdelta^2*cos(phi);
  m45*aphi + (m4*(zt^2 + 2*zt*(e - ea)*sin(phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5)*adelta
    + lambda3*(zt*sin(delta) - e*cos(phi + delta)) - lambda4*(zt*cos(delta) + e*sin(phi + delta))
    = -m4*zt*(e - ea)*vphi*(vphi + 2*vdelta)*cos(phi);
  (m6*(zf - fa)^2 + I6)*aomega + m67*aepsilon + lambda5*zf*sin(omega + epsilon) - lambda6*zf*cos(omega + epsilon)
    = -m6*u*(zf - fa)*vepsilon^2*cos(omega);
  m67*aomega + (m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(omega) + u^2) + m7*(ua^2 + ub^2) + I6 + I7)*aepsilon
    + lambda5*(zf*sin(omega + epsilon) - u*cos(epsilon)) - lambda6*(zf*cos(omega + epsilon) + u*sin(epsilon))
    = m6*u*(zf - fa)*vomega*(vomega + 2*vepsilon)*cos(omega);
  // three chains from the pivots B, A, A to the point E
  rr*cos(beta) - d*cos(beta + theta) - ss*sin(gamma) - xb = 0;
  rr*sin(beta) - d*sin(beta + theta) + ss*cos(gamma) - yb = 0;
  rr*cos(beta) - d*cos(beta + theta) - e*sin(phi + delta) - zt*cos(delta) - xa = 0;
  rr*sin(beta) - d*sin(beta + theta) + e*cos(phi + delta) - zt*sin(delta) - ya = 0;
  rr*cos(beta) - d*cos(beta + theta) - zf*cos(omega + epsilon) - u*sin(epsilon) - xa = 0;
  rr*sin(beta) - d*sin(beta + theta) - zf*sin(omega + epsilon) + u*cos(epsilon) - ya = 0;
  annotation(experiment(StopTime = 0.03, Interval = 0.0003));
end Andrews;
