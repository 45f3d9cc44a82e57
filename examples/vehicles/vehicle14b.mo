model Vehicle14B
  "14 degrees of freedom: chassis 6, suspension travel 4, wheel spin 4"
  // ISO 8855 axes: x forward, y left, z up; wheels 1 = front left, 2 = front right, 3 = rear left, 4 = rear right
  // ---------- parameters (Table 1 of the paper) ----------
  parameter Real mc = 2077 "kg chassis";
  parameter Real ms = 10 "kg quarter of the suspension incl. wheel";
  parameter Real kf = 48300 "N/m", kr = 30520 "N/m", cf = 3080 "N.s/m", cr = 2330 "N.s/m";
  parameter Real wf = 0.760 "m half track", wr = 0.795 "m half track";
  parameter Real lf = 1.353 "m", lr = 1.487 "m";
  // ---------- parameters chosen here ----------
  parameter Real g = 9.81;
  parameter Real Ixx = 700, Iyy = 3300, Izz = 3500, Ixz = 0 "kg.m2, chassis about its CG";
  parameter Real hcg = 0.60 "m, height of chassis CG above the road at rest";
  parameter Real Jw = 1.0 "kg.m2 wheel spin inertia";
  parameter Real R0 = 0.330 "m unloaded radius = effective rolling radius";
  parameter Real kt = 250000 "N/m tyre vertical stiffness", ct = 200 "N.s/m";
  parameter Real fr = 0.010 "rolling resistance", oms = 1.0 "rad/s regularisation of its sign";
  parameter Real vlow = 0.1 "m/s regularisation of the slip denominator";
  // ---------- Magic Formula subset ----------
  parameter Real Fz0 = 5000;
  parameter Real pCx1 = 1.50, pDx1 = 1.10, pDx2 = -0.05, pEx1 = 0.30, pEx2 = 0.10, pKx1 = 40.0, pKx2 = -0.20,
    pKx3 = 0.25;
  parameter Real pCy1 = 1.30, pDy1 = 1.00, pDy2 = -0.12, pEy1 = -0.80, pEy2 = -0.50, pKy1 = 12.0, pKy2 = 2.0;
  parameter Real rBx1 = 12.0, rBx2 = 10.0, rCx1 = 1.0, rBy1 = 7.0, rBy2 = 4.0, rCy1 = 1.0;
  parameter Real lkf = 0.8, lkr = 1.2, lmf = 1,
    lmr = 1 "front/rear scale of cornering stiffness and of lateral friction (all 1 in case A)";
  // ---------- dependent parameters ----------
  parameter Real L = lf + lr, mt = mc + 4*ms;
  parameter Real xw[4] = {lf, lf, -lr, -lr}, yw[4] = {wf, -wf, wr, -wr};
  parameter Real ks[4] = {kf, kf, kr, kr}, cs[4] = {cf, cf, cr, cr};
  parameter Real Fs0[4] = {mc*g*lr/(2*L), mc*g*lr/(2*L), mc*g*lf/(2*L), mc*g*lf/(2*L)} "static spring loads";
  parameter Real z0[4] = {R0 - (Fs0[1] + ms*g)/kt - hcg, R0 - (Fs0[2] + ms*g)/kt - hcg, R0 - (Fs0[3] + ms*g)/kt - hcg,
    R0 - (Fs0[4] + ms*g)/kt - hcg} "wheel-centre height in the chassis frame at s=0";
  parameter Real lk[4] = {lkf, lkf, lkr, lkr}, lm[4] = {lmf, lmf, lmr, lmr};
  parameter Real Sx = ms*(2*lf - 2*lr);
  // ---------- manoeuvre of case B: sine with dwell, then steady-state cornering, constant speed ----------
  parameter Real v0 = 22.222222 "m/s (80 km/h)";
  parameter Real KV = 4000 "N.m per m/s, speed controller, total over the four wheels";
  parameter Real is = 16 "steering ratio";
  parameter Real A = 1.0 "rad steering-wheel amplitude", f0 = 0.7 "Hz", td = 0.5 "s dwell", t1 = 1.0 "s";
  parameter Real uss = 0.7 "rad steering wheel in the steady part", t2 = 5.0 "s", t3 = 6.0 "s";
  parameter Real v2 = 22.222222 "m/s speed in the steady part";
  Real usw, tq, dl, vref;
  // ---------- states ----------
  Real X(start = 0), Y(start = 0), Z(start = hcg), phi(start = 0), theta(start = 0), psi(start = 0);
  Real u(start = v0), v(start = 0), w(start = 0), p(start = 0), q(start = 0), r(start = 0);
  Real s[4](each start = 0) "suspension travel, + = wheel up relative to chassis", sd[4](each start = 0);
  Real om[4](each start = v0/R0) "absolute spin rate, + = forward";
  // ---------- algebraic ----------
  Real R11, R12, R13, R21, R22, R23, R31, R32, R33, gx, gy, gz, W2, OX, OY;
  Real z[4], vbx[4], vby[4], vbz[4], VX[4], VY[4], VZ[4], Rl[4], rho[4], Fz[4], cd[4], sn[4], hX[4], hY[4], hn[4],
    ch[4], sh[4];
  Real vx[4], vy[4], vd[4], ka[4], al[4], dfz[4], Dx[4], Ex[4], Kx[4], Bx[4], Fx0[4], Dy[4], Ey[4], Ky[4], By[4],
    Fy0[4], Gxa[4], Gyk[4], Fx[4], Fy[4];
  Real FX[4], FY[4], Fbx[4], Fby[4], Fbz[4], tx[4], ty[4], tz[4], Mw[4], Tx[4], Ty[4], Tz[4], Fs[4], Gx[4], Gy[4],
    Gz[4], wr_[4], bx[4], by[4], bz[4];
  Real Sz, Szz, Sxz, Syz, A0x, A0y, az, ax, ay, Hx, Hy, Hz, B1, B2, B3, J11, J13, J22, J23, J33, pd, qd, rd;
  Real tau[4], delta[4];
  Real xg, yg, vxg, vyg, beta, ayg "outputs in the ground plane: CG position, speed, sideslip";
equation
  // rotation chassis -> inertial (yaw psi, pitch theta, roll phi)
  R11 = cos(theta)*cos(psi);  R12 = sin(phi)*sin(theta)*cos(psi) - cos(phi)*sin(psi);
  R13 = cos(phi)*sin(theta)*cos(psi) + sin(phi)*sin(psi);
  R21 = cos(theta)*sin(psi);  R22 = sin(phi)*sin(theta)*sin(psi) + cos(phi)*cos(psi);
  R23 = cos(phi)*sin(theta)*sin(psi) - sin(phi)*cos(psi);
  R31 = -sin(theta);          R32 = sin(phi)*cos(theta);                               R33 = cos(phi)*cos(theta);
  gx = -g*R31; gy = -g*R32; gz = -g*R33;
  W2 = p^2 + q^2 + r^2;
  OX = R11*p + R12*q + R13*r;  OY = R21*p + R22*q + R23*r;
  for i in 1:4 loop
    z[i] = z0[i] + s[i];
    // wheel-centre velocity, chassis axes then inertial axes
    vbx[i] = u + q*z[i] - r*yw[i];
    vby[i] = v + r*xw[i] - p*z[i];
    vbz[i] = w + p*yw[i] - q*xw[i] + sd[i];
    VX[i] = R11*vbx[i] + R12*vby[i] + R13*vbz[i];
    VY[i] = R21*vbx[i] + R22*vby[i] + R23*vbz[i];
    VZ[i] = R31*vbx[i] + R32*vby[i] + R33*vbz[i];
    // vertical tyre force, contact point on the road below the wheel centre
    Rl[i] = Z + R31*xw[i] + R32*yw[i] + R33*z[i];
    rho[i] = R0 - Rl[i];
    Fz[i] = max(0, kt*rho[i] - ct*VZ[i]);
    // wheel heading in the ground plane
    cd[i] = cos(delta[i]);  sn[i] = sin(delta[i]);
    hX[i] = R11*cd[i] + R12*sn[i];  hY[i] = R21*cd[i] + R22*sn[i];  hn[i] = sqrt(hX[i]^2 + hY[i]^2);
    ch[i] = hX[i]/hn[i];  sh[i] = hY[i]/hn[i];
    // contact-point velocity in the wheel heading frame
    vx[i] = VX[i]*ch[i] + VY[i]*sh[i];
    vy[i] = -VX[i]*sh[i] + VY[i]*ch[i] + Rl[i]*(OX*ch[i] + OY*sh[i]);
    vd[i] = sqrt(vx[i]^2 + vlow^2);
    ka[i] = (R0*om[i] - vx[i])/vd[i];
    al[i] = atan(vy[i]/vd[i]);
    // Magic Formula
    dfz[i] = (Fz[i] - Fz0)/Fz0;
    Dx[i] = (pDx1 + pDx2*dfz[i])*Fz[i];
    Ex[i] = pEx1 + pEx2*dfz[i];
    Kx[i] = Fz[i]*(pKx1 + pKx2*dfz[i])*exp(pKx3*dfz[i]);
    Bx[i] = Kx[i]/(pCx1*Dx[i] + 0.001);
    Fx0[i] = Dx[i]*sin(pCx1*atan(Bx[i]*ka[i] - Ex[i]*(Bx[i]*ka[i] - atan(Bx[i]*ka[i]))));
    Dy[i] = lm[i]*(pDy1 + pDy2*dfz[i])*Fz[i];
    Ey[i] = pEy1 + pEy2*dfz[i];
    Ky[i] = lk[i]*pKy1*Fz0*sin(2*atan(Fz[i]/(pKy2*Fz0)));
    By[i] = Ky[i]/(pCy1*Dy[i] + 0.001);
    Fy0[i] = -Dy[i]*sin(pCy1*atan(By[i]*al[i] - Ey[i]*(By[i]*al[i] - atan(By[i]*al[i]))));
    Gxa[i] = cos(rCx1*atan(rBx1*cos(atan(rBx2*ka[i]))*al[i]));
    Gyk[i] = cos(rCy1*atan(rBy1*cos(atan(rBy2*al[i]))*ka[i]));
    Fx[i] = Gxa[i]*Fx0[i];
    Fy[i] = Gyk[i]*Fy0[i];
    // tyre force in inertial and chassis axes
    FX[i] = Fx[i]*ch[i] - Fy[i]*sh[i];
    FY[i] = Fx[i]*sh[i] + Fy[i]*ch[i];
    Fbx[i] = R11*FX[i] + R21*FY[i] + R31*Fz[i];
    Fby[i] = R12*FX[i] + R22*FY[i] + R32*Fz[i];
    Fbz[i] = R13*FX[i] + R23*FY[i] + R33*Fz[i];
    // moment of the contact force about the wheel centre, chassis axes; its part along the axle drives the wheel
    tx[i] = -Rl[i]*(R32*Fbz[i] - R33*Fby[i]);
    ty[i] = -Rl[i]*(R33*Fbx[i] - R31*Fbz[i]);
    tz[i] = -Rl[i]*(R31*Fby[i] - R32*Fbx[i]);
    Mw[i] = -sn[i]*tx[i] + cd[i]*ty[i];
    // moment passed to the chassis: rest of contact moment, reaction of tau, gyroscopic moment of the wheel
    Tx[i] = tx[i] + sn[i]*(Mw[i] + tau[i]) + Jw*om[i]*r*cd[i];
    Ty[i] = ty[i] - cd[i]*(Mw[i] + tau[i]) + Jw*om[i]*r*sn[i];
    Tz[i] = tz[i] - Jw*om[i]*(p*cd[i] + q*sn[i]);
    der(om[i]) = (tau[i] + Mw[i] - fr*R0*Fz[i]*tanh(om[i]/oms))/Jw;
    // suspension strut
    Fs[i] = Fs0[i] + ks[i]*s[i] + cs[i]*sd[i];
    Gx[i] = Fbx[i] + ms*gx;  Gy[i] = Fby[i] + ms*gy;  Gz[i] = Fbz[i] + ms*gz;
    wr_[i] = p*xw[i] + q*yw[i] + r*z[i];
    bx[i] = p*wr_[i] - xw[i]*W2 + 2*q*sd[i];
    by[i] = q*wr_[i] - yw[i]*W2 - 2*p*sd[i];
    bz[i] = r*wr_[i] - z[i]*W2;
    der(s[i]) = sd[i];
    der(sd[i]) = (Gz[i] - Fs[i])/ms - (az + pd*yw[i] - qd*xw[i] + bz[i]);
  end for;
  // chassis: translations (ax, ay, az = acceleration of the chassis CG, chassis axes) and rotations
  Sz  = ms*sum(z[i] for i in 1:4);
  Szz = ms*sum(z[i]^2 for i in 1:4);
  Sxz = ms*sum(xw[i]*z[i] for i in 1:4);
  Syz = ms*sum(yw[i]*z[i] for i in 1:4);
  A0x = (mc*gx + sum(Gx[i] - ms*bx[i] for i in 1:4))/mt;
  A0y = (mc*gy + sum(Gy[i] - ms*by[i] for i in 1:4))/mt;
  az  = gz + sum(Fs[i] for i in 1:4)/mc;
  Hx = Ixx*p - Ixz*r;  Hy = Iyy*q;  Hz = Izz*r - Ixz*p;
  B1 = sum(yw[i]*Fs[i] - z[i]*(Gy[i] - ms*by[i]) + Tx[i] for i in 1:4) + Sz*A0y - (q*Hz - r*Hy);
  B2 = sum(z[i]*(Gx[i] - ms*bx[i]) - xw[i]*Fs[i] + Ty[i] for i in 1:4) - Sz*A0x - (r*Hx - p*Hz);
  B3 = sum(xw[i]*(Gy[i] - ms*by[i]) - yw[i]*(Gx[i] - ms*bx[i]) + Tz[i] for i in 1:4) - Sx*A0y - (p*Hy - q*Hx);
  J11 = Ixx + Szz - Sz^2/mt;
  J22 = Iyy + Szz - Sz^2/mt;
  J33 = Izz + ms*(2*lf^2 + 2*lr^2 + 2*wf^2 + 2*wr^2) - Sx^2/mt;
  J13 = -Ixz - Sxz + Sx*Sz/mt;
  J23 = -Syz;
  rd = (B3 - J13*B1/J11 - J23*B2/J22)/(J33 - J13^2/J11 - J23^2/J22);
  pd = (B1 - J13*rd)/J11;
  qd = (B2 - J23*rd)/J22;
  ax = A0x - qd*Sz/mt;
  ay = A0y - (rd*Sx - pd*Sz)/mt;
  der(u) = ax - (q*w - r*v);
  der(v) = ay - (r*u - p*w);
  der(w) = az - (p*v - q*u);
  der(p) = pd;  der(q) = qd;  der(r) = rd;
  der(X) = R11*u + R12*v + R13*w;
  der(Y) = R21*u + R22*v + R23*w;
  der(Z) = R31*u + R32*v + R33*w;
  der(phi) = p + (q*sin(phi) + r*cos(phi))*tan(theta);
  der(theta) = q*cos(phi) - r*sin(phi);
  der(psi) = (q*sin(phi) + r*cos(phi))/cos(theta);
  // outputs
  xg = X;  yg = Y;
  vxg = (R11*u + R12*v + R13*w)*cos(psi) + (R21*u + R22*v + R23*w)*sin(psi);
  vyg = -(R11*u + R12*v + R13*w)*sin(psi) + (R21*u + R22*v + R23*w)*cos(psi);
  beta = atan(vyg/vxg);
  ayg = ay*cos(phi) - az*sin(phi);
  // manoeuvre
  usw = if time < t1 then 0 else if time < t1 + 0.75/f0 then A*sin(2*Modelica.Constants.pi*f0*(time - t1))
    else if time < t1 + 0.75/f0 + td then -A
        else if time < t1 + 1/f0 + td then A*sin(2*Modelica.Constants.pi*f0*(time - t1 - td))
          else if time < t2 then 0 else if time < t3 then uss*(time - t2)/(t3 - t2) else uss;
  dl = usw/is;
  vref = Entrain.Tables.linear(time, {0, 5, 9, 10}, {v0, v0, v2, v2});
  tq = KV*(vref - vxg)/4;
  delta[1] = dl;  delta[2] = dl;  delta[3] = 0;  delta[4] = 0;
  tau[1] = tq;  tau[2] = tq;  tau[3] = tq;  tau[4] = tq;
end Vehicle14B;
