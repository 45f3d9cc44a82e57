model Vehicle56
  "full vehicle, 56 states: body and axles 24, tyre deflections 8, drive train 19, steering 5"
  // ISO 8855 axes: x forward, y left, z up; wheels 1 = front left, 2 = front right, 3 = rear left, 4 = rear right
  // ---------- body and axles ----------
  parameter Real mc = 1360 "kg sprung", ms = 40 "kg unsprung, per corner, incl. wheel";
  parameter Real Ixx = 480, Iyy = 2100, Izz = 2300, Ixz = 0 "kg.m2 sprung, about its CG";
  parameter Real hcg = 0.56 "m", lf = 1.25, lr = 1.45, wf = 0.745, wr = 0.745 "m";
  parameter Real kf = 30000, kr = 28000 "N/m", k3 = 2.0e6 "N/m3 progressive term", cf = 2800, cr = 2600 "N.s/m";
  parameter Real kxi = 1.2e6 "N/m fore-aft axle stiffness", cxi = 4000 "N.s/m";
  parameter Real ca = 0.40 "N.s2/m2 air drag", g = 9.81;
  // ---------- wheels and tyres ----------
  parameter Real Jw = 1.2, R0 = 0.310, kt = 210000, ct = 150, fr = 0.010, oms = 1.0, vlow = 0.5;
  parameter Real cx = 5.0e5 "N/m tyre longitudinal stiffness", cy = 1.2e5 "N/m lateral", dx = 500, dy = 500 "N.s/m";
  parameter Real Fz0 = 4000;
  parameter Real pCx1 = 1.50, pDx1 = 1.10, pDx2 = -0.05, pEx1 = 0.30, pEx2 = 0.10, pKx1 = 30.0, pKx2 = -0.20,
    pKx3 = 0.25;
  parameter Real pCy1 = 1.30, pDy1 = 1.00, pDy2 = -0.12, pEy1 = -0.80, pEy2 = -0.50, pKy1 = 15.0, pKy2 = 2.0;
  parameter Real rBx1 = 12.0, rBx2 = 10.0, rCx1 = 1.0, rBy1 = 7.0, rBy2 = 4.0, rCy1 = 1.0;
  // ---------- brakes (the identified parameters) ----------
  parameter Real mu[4] = {0.1954, 0.1772, 0.1672, 0.1669};
  parameter Real Cbf = 62.0, Cbr = 30.0 "N.m per bar and per unit friction coefficient", omb = 1.0 "rad/s",
    pmax = 140 "bar", pf[4] = {1.00, 1.10, 1.04, 1.04} "per-wheel pressure factors";
  // ---------- drive train ----------
  parameter Real Je = 0.20, Jgi = 0.02, Jgo = 0.02, Jc = 0.01, Jpin = 0.005, Jcar = 0.03, Js = 0.01 "kg.m2";
  parameter Real idf = 3.6 "final drive", kcl = 1500, dcl = 6.0, dcmax = 60.0,
    dc0 = 0.01 "clutch damper spring, damping; viscous clutch";
  parameter Real kp = 8000, dp = 15.0, kh = 8000, dh = 20.0 "prop shafts, half shafts", taue = 0.10 "s",
    Tidle = 90 "rad/s";
  // ---------- steering ----------
  parameter Real Jsw = 0.04, dsw = 0.2, ktb = 120, dtb = 1.0, rp = 0.0075, mr = 120, drk = 3000, la = 0.13, ka = 400,
    taua = 0.03, trail = 0.04, rsc = 0.01;
  parameter Real kdr = 20, ddr = 2.0, Kpsi = 6.0, KY = 0.3;
  // ---------- dependent ----------
  parameter Real L = lf + lr, mt = mc + 4*ms;
  parameter Real x0[4] = {lf, lf, -lr, -lr}, yw[4] = {wf, -wf, wr, -wr};
  parameter Real ks[4] = {kf, kf, kr, kr}, cs[4] = {cf, cf, cr, cr}, Cb[4] = {Cbf, Cbf, Cbr, Cbr};
  parameter Real Fs0[4] = {mc*g*lr/(2*L), mc*g*lr/(2*L), mc*g*lf/(2*L), mc*g*lf/(2*L)};
  parameter Real z0[4] = {R0 - (Fs0[1] + ms*g)/kt - hcg, R0 - (Fs0[2] + ms*g)/kt - hcg, R0 - (Fs0[3] + ms*g)/kt - hcg,
    R0 - (Fs0[4] + ms*g)/kt - hcg};
  // ---------- states: 24 body and axles ----------
  Real X(start = 0), Y(start = 0), Z(start = hcg), phi(start = 0), theta(start = 0), psi(start = 0);
  Real u(start = 0), v(start = 0), w(start = 0), p(start = 0), q(start = 0), r(start = 0);
  Real s[4](each start = 0), sd[4](each start = 0), xi[2](each start = 0), xid[2](each start = 0);
  // ---------- 8 tyre deflections ----------
  Real yx[4](each start = 0), yy[4](each start = 0);
  // ---------- 19 drive train: 11 speeds, 7 twists, engine torque ----------
  Real we(start = 90), wc[2](each start = 0) "centre differential outputs",
    wd[4](each start = 0) "axle differential outputs", om[4](each start = 0);
  Real phc(start = 0), php[2](each start = 0), phh[4](each start = 0), Te(start = 0);
  // ---------- 5 steering ----------
  Real thw(start = 0), thwd(start = 0), xr(start = 0), xrd(start = 0), Fa(start = 0);
  // ---------- algebraic ----------
  Real R11, R12, R13, R21, R22, R23, R31, R32, R33, gx, gy, gz, W2, OX, OY, dl;
  Real x[4], z[4], xdi[4], vbx[4], vby[4], vbz[4], VX[4], VY[4], VZ[4], Rl[4], Fz[4], cd[4], sn[4], hX[4], hY[4],
    hn[4], ch[4], sh[4];
  Real vx[4], vy[4], vd[4], kap[4], al[4], ta[4], dfz[4], Dx[4], Ex[4], Kx[4], Bx[4], Fx0[4], Dy[4], Ey[4], Ky[4],
    By[4], Fy0[4], Gxa[4], Gyk[4], Fxs[4], Fys[4];
  Real Dtx[4], Dty[4], yxd[4], yyd[4], Fx[4], Fy[4], FX[4], FY[4], Fbx[4], Fby[4], Fbz[4], tx[4], ty[4], tz[4], Mw[4],
    Tx[4], Ty[4], Tz[4], Fs[4];
  Real Gx[4], Gy[4], Gz[4], wr_[4], bx[4], by[4], bz[4], tau[4], delta[4], Th[4], Tb[4], pb[4], phhd[4], Rx0[4];
  Real Fxi[2], Gm[2], bm[2], zm[2], Sx, Sz, Szz, Sxz, Syz, Szd, Sxy, A0y, ax, ay, az, Hx, Hy, Hz, B1, B2, B3, J11,
    J13, J22, J23, J33, pd, qd, rd;
  Real ig, cl, dc, wgo, Tcl, phcd, wpi[2], Tp[2], phpd[2], Jcs, Qc[2], detc, Jds, Qd[4], detd, Tmax, Tdrag, thr, vref,
    Tdem, brk;
  Real Ttb, thref, Tdrv, Mk, vkmh;
equation
  // ===== manoeuvre (driver) =====
  vref = Entrain.Tables.linear(time, {0, 0.5, 20.0, 30}, {0, 0, 19.6, 19.6});
  brk  = Entrain.Tables.linear(time, {0, 22.00, 22.15, 30}, {0, 0, 1, 1}) "1 = throttle released, clutch open";
  thr  = (1 - brk)*min(1, max(0, 0.8*(vref - u) + 0.05)) + min(1, max(0, 0.02*(Tidle - we)));
  ig   = if time < 6.0 then 3.6 else if time < 12.0 then 2.0 else 1.35;
  cl   = Entrain.Tables.linear(time, {0, 0.5, 2.5, 5.75, 5.95, 6.05, 6.45, 11.75, 11.95, 12.05, 12.45, 22.00, 22.15,
    30}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0});
  for i in 1:2 loop
    pb[i] = pmax*pf[i]*Entrain.Tables.linear(time, {0, 22.05, 22.25, 22.6, 23.0, 23.4, 23.8, 24.2, 24.6, 30}, {0, 0,
      0.85, 1.00, 0.88, 1.00, 0.90, 1.00, 0.92, 0.92});
    pb[i+2] = pmax*pf[i+2]*Entrain.Tables.linear(time, {0, 22.05, 22.30, 22.7, 23.1, 23.5, 23.9, 24.3, 24.6, 30}, {0,
      0, 0.75, 0.85, 0.78, 0.86, 0.80, 0.86, 0.82, 0.82});
  end for;
  // ===== steering =====
  thref = -Kpsi*psi - KY*Y;
  Tdrv = kdr*(thref - thw) - ddr*thwd;
  Ttb = ktb*(thw - xr/rp) + dtb*(thwd - xrd/rp);
  Mk = -trail*(Fy[1] + Fy[2]) - rsc*(Fx[1] - Fx[2]);
  der(thw) = thwd;
  der(thwd) = (Tdrv - Ttb - dsw*thwd)/Jsw;
  der(xr) = xrd;
  der(xrd) = (Ttb/rp + Fa + Mk/la - drk*xrd)/mr;
  der(Fa) = (ka*Ttb - Fa)/taua;
  dl = xr/la;
  delta[1] = dl;  delta[2] = dl;  delta[3] = 0;  delta[4] = 0;
  // ===== drive train =====
  Tmax = 220*(1 - ((we - 380)/480)^2);
  Tdrag = (12 + 0.06*we)*tanh(we/10);
  Tdem = thr*Tmax - (1 - thr)*Tdrag;
  der(Te) = (Tdem - Te)/taue;
  dc = dcmax*cl^2 + dc0;
  wgo = (wc[1] + wc[2])/2;
  Tcl = (kcl*phc + dcl*(we - ig*wgo))/(1 + dcl/dc);
  phcd = (Tcl - kcl*phc)/dcl;
  der(phc) = phcd;
  der(we) = (Te - Tcl)/Je;
  wpi[1] = idf*(wd[1] + wd[2])/2;  wpi[2] = idf*(wd[3] + wd[4])/2;
  Jcs = Jgi*ig^2 + Jgo;
  detc = Jc*(Jc + Jcs/2);
  for a in 1:2 loop
    phpd[a] = wc[a] - wpi[a];
    der(php[a]) = phpd[a];
    Tp[a] = kp*php[a] + dp*phpd[a];
    Qc[a] = ig*Tcl/2 - Tp[a];
  end for;
  der(wc[1]) = ((Jc + Jcs/4)*Qc[1] - Jcs/4*Qc[2])/detc;
  der(wc[2]) = ((Jc + Jcs/4)*Qc[2] - Jcs/4*Qc[1])/detc;
  Jds = Jcar + Jpin*idf^2;
  detd = Js*(Js + Jds/2);
  Qd[1] = idf*Tp[1]/2 - Th[1];  Qd[2] = idf*Tp[1]/2 - Th[2];  Qd[3] = idf*Tp[2]/2 - Th[3];  Qd[4] = idf*Tp[2]/2 - Th[4];
  der(wd[1]) = ((Js + Jds/4)*Qd[1] - Jds/4*Qd[2])/detd;
  der(wd[2]) = ((Js + Jds/4)*Qd[2] - Jds/4*Qd[1])/detd;
  der(wd[3]) = ((Js + Jds/4)*Qd[3] - Jds/4*Qd[4])/detd;
  der(wd[4]) = ((Js + Jds/4)*Qd[4] - Jds/4*Qd[3])/detd;
  // ===== body, axles, tyres =====
  R11 = cos(theta)*cos(psi);  R12 = sin(phi)*sin(theta)*cos(psi) - cos(phi)*sin(psi);
  R13 = cos(phi)*sin(theta)*cos(psi) + sin(phi)*sin(psi);
  R21 = cos(theta)*sin(psi);  R22 = sin(phi)*sin(theta)*sin(psi) + cos(phi)*cos(psi);
  R23 = cos(phi)*sin(theta)*sin(psi) - sin(phi)*cos(psi);
  R31 = -sin(theta);          R32 = sin(phi)*cos(theta);                               R33 = cos(phi)*cos(theta);
  gx = -g*R31; gy = -g*R32; gz = -g*R33;
  W2 = p^2 + q^2 + r^2;
  OX = R11*p + R12*q + R13*r;  OY = R21*p + R22*q + R23*r;
  xdi[1] = xid[1];  xdi[2] = xid[1];  xdi[3] = xid[2];  xdi[4] = xid[2];
  x[1] = x0[1] + xi[1];  x[2] = x0[2] + xi[1];  x[3] = x0[3] + xi[2];  x[4] = x0[4] + xi[2];
  for i in 1:4 loop
    z[i] = z0[i] + s[i];
    vbx[i] = u + q*z[i] - r*yw[i] + xdi[i];
    vby[i] = v + r*x[i] - p*z[i];
    vbz[i] = w + p*yw[i] - q*x[i] + sd[i];
    VX[i] = R11*vbx[i] + R12*vby[i] + R13*vbz[i];
    VY[i] = R21*vbx[i] + R22*vby[i] + R23*vbz[i];
    VZ[i] = R31*vbx[i] + R32*vby[i] + R33*vbz[i];
    Rl[i] = Z + R31*x[i] + R32*yw[i] + R33*z[i];
    Fz[i] = max(0, kt*(R0 - Rl[i]) - ct*VZ[i]);
    cd[i] = cos(delta[i]);  sn[i] = sin(delta[i]);
    hX[i] = R11*cd[i] + R12*sn[i];  hY[i] = R21*cd[i] + R22*sn[i];  hn[i] = sqrt(hX[i]^2 + hY[i]^2);
    ch[i] = hX[i]/hn[i];  sh[i] = hY[i]/hn[i];
    vx[i] = VX[i]*ch[i] + VY[i]*sh[i];
    vy[i] = -VX[i]*sh[i] + VY[i]*ch[i] + Rl[i]*(OX*ch[i] + OY*sh[i]);
    vd[i] = sqrt(vx[i]^2 + vlow^2);
    kap[i] = (R0*om[i] - vx[i])/vd[i];
    ta[i] = vy[i]/vd[i];
    al[i] = atan(ta[i]);
    dfz[i] = (Fz[i] - Fz0)/Fz0;
    Dx[i] = (pDx1 + pDx2*dfz[i])*Fz[i];
    Ex[i] = pEx1 + pEx2*dfz[i];
    Kx[i] = Fz[i]*(pKx1 + pKx2*dfz[i])*exp(pKx3*dfz[i]);
    Bx[i] = Kx[i]/(pCx1*Dx[i] + 0.001);
    Fx0[i] = Dx[i]*sin(pCx1*atan(Bx[i]*kap[i] - Ex[i]*(Bx[i]*kap[i] - atan(Bx[i]*kap[i]))));
    Dy[i] = (pDy1 + pDy2*dfz[i])*Fz[i];
    Ey[i] = pEy1 + pEy2*dfz[i];
    Ky[i] = pKy1*Fz0*sin(2*atan(Fz[i]/(pKy2*Fz0)));
    By[i] = Ky[i]/(pCy1*Dy[i] + 0.001);
    Fy0[i] = -Dy[i]*sin(pCy1*atan(By[i]*al[i] - Ey[i]*(By[i]*al[i] - atan(By[i]*al[i]))));
    Gxa[i] = cos(rCx1*atan(rBx1*cos(atan(rBx2*kap[i]))*al[i]));
    Gyk[i] = cos(rCy1*atan(rBy1*cos(atan(rBy2*al[i]))*kap[i]));
    Fxs[i] = Gxa[i]*Fx0[i];
    Fys[i] = Gyk[i]*Fy0[i];
    // first-order tyre dynamics  D*der(y) = Fstat - c*y ; D = d + secant slip stiffness / speed
    Dtx[i] = dx + noEvent(if abs(kap[i]) > 1e-6 then Fxs[i]/kap[i] else Gxa[i]*Kx[i])/vd[i];
    Dty[i] = dy + noEvent(if abs(ta[i]) > 1e-6 then -Fys[i]/ta[i] else Gyk[i]*Ky[i])/vd[i];
    yxd[i] = (Fxs[i] - cx*yx[i])/Dtx[i];
    yyd[i] = (Fys[i] - cy*yy[i])/Dty[i];
    der(yx[i]) = yxd[i];
    der(yy[i]) = yyd[i];
    Fx[i] = cx*yx[i] + dx*yxd[i];
    Fy[i] = cy*yy[i] + dy*yyd[i];
    FX[i] = Fx[i]*ch[i] - Fy[i]*sh[i];
    FY[i] = Fx[i]*sh[i] + Fy[i]*ch[i];
    Fbx[i] = R11*FX[i] + R21*FY[i] + R31*Fz[i];
    Fby[i] = R12*FX[i] + R22*FY[i] + R32*Fz[i];
    Fbz[i] = R13*FX[i] + R23*FY[i] + R33*Fz[i];
    tx[i] = -Rl[i]*(R32*Fbz[i] - R33*Fby[i]);
    ty[i] = -Rl[i]*(R33*Fbx[i] - R31*Fbz[i]);
    tz[i] = -Rl[i]*(R31*Fby[i] - R32*Fbx[i]);
    Mw[i] = -sn[i]*tx[i] + cd[i]*ty[i];
    // wheel: half shaft, brake
    phhd[i] = wd[i] - om[i];
    der(phh[i]) = phhd[i];
    Th[i] = kh*phh[i] + dh*phhd[i];
    Tb[i] = mu[i]*Cb[i]*pb[i]*tanh(om[i]/omb);
    tau[i] = Th[i] - Tb[i];
    der(om[i]) = (tau[i] + Mw[i] - fr*R0*Fz[i]*tanh(om[i]/oms))/Jw;
    Tx[i] = tx[i] + sn[i]*(Mw[i] + tau[i]) + Jw*om[i]*r*cd[i];
    Ty[i] = ty[i] - cd[i]*(Mw[i] + tau[i]) + Jw*om[i]*r*sn[i];
    Tz[i] = tz[i] - Jw*om[i]*(p*cd[i] + q*sn[i]);
    Fs[i] = Fs0[i] + ks[i]*s[i] + k3*s[i]^3 + cs[i]*sd[i];
    Gx[i] = Fbx[i] + ms*gx;  Gy[i] = Fby[i] + ms*gy;  Gz[i] = Fbz[i] + ms*gz;
    wr_[i] = p*x[i] + q*yw[i] + r*z[i];
    bx[i] = p*wr_[i] - x[i]*W2 + 2*q*sd[i];
    by[i] = q*wr_[i] - yw[i]*W2 - 2*p*sd[i] + 2*r*xdi[i];
    bz[i] = r*wr_[i] - z[i]*W2 - 2*q*xdi[i];
    der(s[i]) = sd[i];
    der(sd[i]) = (Gz[i] - Fs[i])/ms - (az + pd*yw[i] - qd*x[i] + bz[i]);
  end for;
  // fore-aft axle coordinates (axle a: wheels 2a-1 and 2a)
  for a in 1:2 loop
    Fxi[a] = kxi*xi[a] + cxi*xid[a];
    Gm[a] = (Gx[2*a-1] + Gx[2*a])/2;
    bm[a] = (bx[2*a-1] + bx[2*a])/2;
    zm[a] = (z[2*a-1] + z[2*a])/2;
    Rx0[2*a-1] = Fxi[a]/2 + (Gx[2*a-1] - Gm[a]) - ms*(bx[2*a-1] - bm[a]);
    Rx0[2*a]   = Fxi[a]/2 + (Gx[2*a] - Gm[a]) - ms*(bx[2*a] - bm[a]);
    der(xi[a]) = xid[a];
    der(xid[a]) = (2*Gm[a] - Fxi[a])/(2*ms) - ax - qd*zm[a] - bm[a];
  end for;
  // sprung body
  Sx  = ms*sum(x[i] for i in 1:4);
  Sz  = ms*sum(z[i] for i in 1:4);
  Szz = ms*sum(z[i]^2 for i in 1:4);
  Sxz = ms*sum(x[i]*z[i] for i in 1:4);
  Syz = ms*sum(yw[i]*z[i] for i in 1:4);
  Sxy = ms*sum(x[i]^2 + yw[i]^2 for i in 1:4);
  Szd = ms*((z[1] - zm[1])^2 + (z[2] - zm[1])^2 + (z[3] - zm[2])^2 + (z[4] - zm[2])^2);
  ax  = gx + (Fxi[1] + Fxi[2] - ca*u*abs(u))/mc;
  az  = gz + sum(Fs[i] for i in 1:4)/mc;
  A0y = (mc*gy + sum(Gy[i] - ms*by[i] for i in 1:4))/mt;
  Hx = Ixx*p - Ixz*r;  Hy = Iyy*q;  Hz = Izz*r - Ixz*p;
  B1 = sum(yw[i]*Fs[i] - z[i]*(Gy[i] - ms*by[i]) + Tx[i] for i in 1:4) + Sz*A0y - (q*Hz - r*Hy);
  B2 = sum(z[i]*Rx0[i] - x[i]*Fs[i] + Ty[i] for i in 1:4) - (r*Hx - p*Hz);
  B3 = sum(x[i]*(Gy[i] - ms*by[i]) - yw[i]*Rx0[i] + Tz[i] for i in 1:4) - Sx*A0y - (p*Hy - q*Hx);
  J11 = Ixx + Szz - Sz^2/mt;
  J22 = Iyy + Szd;
  J33 = Izz + Sxy - Sx^2/mt;
  J13 = -Ixz - Sxz + Sx*Sz/mt;
  J23 = -Syz;
  rd = (B3 - J13*B1/J11 - J23*B2/J22)/(J33 - J13^2/J11 - J23^2/J22);
  pd = (B1 - J13*rd)/J11;
  qd = (B2 - J23*rd)/J22;
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
  vkmh = 3.6*u;
end Vehicle56;
