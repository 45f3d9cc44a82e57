// A wheelset of a train that hunts on a straight track: five coordinates of the axle, its rate of spin, and for each wheel the point
// of contact (angle psi, displacement xi), which is the solution of a nonlinear system. Wheels are cones, rails circles, creep forces
// follow Jaschinski and depend on the normal forces and so on the multipliers.
// Simeon, Fuehrer, Rentrop, Surv. Math. Ind. 1, 1-37 (1991); Mazzia and Magherini, Test Set for IVP Solvers, release 2.4: index 2, both
// wheels stay on the rails by constraints for velocities. pi has the digits of the test set.
model Wheelset "hunting of a wheelset"
  constant Real pi = 3.1415926;
  parameter Real mR(unit = "kg") = 16.08 "mass";
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real V(unit = "m/s") = 30 "speed of the train";
  parameter Real r0(unit = "m") = 0.1 "nominal radius of a wheel";
  parameter Real I1(unit = "kg.m2") = 0.0605;
  parameter Real I2(unit = "kg.m2") = 0.366;
  parameter Real mu = 0.12 "friction";
  parameter Real xl(unit = "m") = 0.19;
  parameter Real cx(unit = "N/m") = 6400 "springs to the chassis";
  parameter Real cz(unit = "N/m") = 6400;
  parameter Real e = 1.3537956 "constants of Hertz' contact";
  parameter Real G = 0.7115218;
  parameter Real sigma = 0.28 "Poisson's number";
  parameter Real Gm(unit = "Pa") = 7.92e10 "shear modulus";
  parameter Real C11 = 4.72772197 "coefficients of Kalker";
  parameter Real C22 = 4.27526987;
  parameter Real C23 = 1.97203505;
  parameter Real delta0(unit = "rad") = 0.0262 "angle of the cone";
  parameter Real ar(unit = "m") = 0.1506 "half the distance of the rails";
  parameter Real rs(unit = "m") = 0.06 "radius of a rail";
  parameter Real omega(unit = "rad/s") = V/r0 "nominal rate of spin";
  Real x(start = 0.14941e-02, fixed = true, unit = "m");
  Real y(start = 0.40089e-06, fixed = true, unit = "m");
  Real z(start = 0.11241e-05, fixed = true, unit = "m");
  Real theta(start = -0.28573e-03, fixed = true, unit = "rad");
  Real phi(start = 0.26459e-03, fixed = true, unit = "rad");
  Real vx(start = 0, fixed = true, unit = "m/s");
  Real vy(start = 0, unit = "m/s");
  Real vz(start = 0, fixed = true, unit = "m/s");
  Real vtheta(start = 0, fixed = true, unit = "rad/s");
  Real vphi(start = 0, unit = "rad/s");
  Real beta(start = 0, fixed = true, unit = "rad/s") "rate of spin beyond the nominal one";
  Real psir(start = -7.4122380357667139e-06, unit = "rad") "contact of the right wheel, where x < 0";
  Real xir(start = -0.1521364296121248, unit = "m");
  Real psil(start = 7.5634406395172940e-06, unit = "rad") "of the left wheel";
  Real xil(start = 0.1490635714733819, unit = "m");
  Real lambda1(start = -8.3593e-3), lambda2(start = -7.4144e-3);
  Real st = sin(theta), ct = cos(theta), sp = sin(phi), cp = cos(phi);
  Real sl = sin(psil), cl = cos(psil), sr = sin(psir), cr = cos(psir);
  // radius of the wheels at the contact, slope of the rails there
  Real ta = tan(delta0);
  Real rl(start = 0.1, unit = "m") = r0 + ta*(ar - xil);
  Real rr(start = 0.1, unit = "m") = r0 + ta*(ar + xir);
  Real offl(start = 0.0016, unit = "m") = x + xil*ct*cp + rl*(ct*sp*cl - st*sl) - ar - rs*sin(delta0) "offset from the middle of the rail";
  Real offr(start = -0.0016, unit = "m") = x + xir*ct*cp + rr*(ct*sp*cr - st*sr) + ar + rs*sin(delta0);
  Real hl(start = 0.06, unit = "m") = sqrt(rs^2 - offl^2);
  Real hr(start = 0.06, unit = "m") = sqrt(rs^2 - offr^2);
  Real gl = -offl/hl;
  Real gr = -offr/hr;
  // gradients of the distances between wheel and rail by theta and phi; those by x and y are gl, gr and -1
  Real dl4(unit = "m") = -gl*(rl*(ct*sl + cl*sp*st) + cp*st*xil);
  Real dr4(unit = "m") = -gr*(rr*(ct*sr + cr*sp*st) + cp*st*xir);
  Real dl5(unit = "m") = -cl*rl*sp - cp*xil + gl*ct*(cp*cl*rl - sp*xil);
  Real dr5(unit = "m") = -cr*rr*sp - cp*xir + gr*ct*(cp*cr*rr - sp*xir);
  // planes of contact
  Real deltal(unit = "rad") = atan(((-ta*cp - sp*cl)*ct + sl*st)/(ta*sp - cl*cp));
  Real deltar(unit = "rad") = atan(((ta*cp - sp*cr)*ct + sr*st)/(cr*cp + ta*sp));
  Real sdl = sin(deltal), cdl = cos(deltal), sdr = sin(deltar), cdr = cos(deltar);
  // normal forces
  Real E1(start = -83.593, unit = "N") = 1e4*lambda1;
  Real E2(start = -74.144, unit = "N") = 1e4*lambda2;
  Real det = -sdl*cdr - sdr*cdl;
  Real Nl(unit = "N") = (cdr*(gl*E1 + gr*E2) + sdr*(E1 + E2))/det;
  Real Nr(unit = "N") = (-cdl*(gl*E1 + gr*E2) + sdl*(E1 + E2))/det;
  // half axes of the contact ellipses
  Real axl = (3*Nl*(1 - sigma)*e/(2*pi*(0.5/(rl*sqrt(1 + ta^2)) + 0.5*rs^2/hl^3/(1 + gl^2)^1.5)*Gm*sqrt(G)))^(1/3);
  Real axr = (3*Nr*(1 - sigma)*e/(2*pi*(0.5/(rr*sqrt(1 + ta^2)) + 0.5*rs^2/hr^3/(1 + gr^2)^1.5)*Gm*sqrt(G)))^(1/3);
  // left wheel: relative velocity, velocity of rolling, creepage, creep force
  Real stl = sin(theta/cdl), ctl = cos(theta/cdl);
  Real wl1 = -(omega + beta)*rl*(stl*cl + ctl*sp*sl) + vx - vtheta*(rl*(stl*sp*cl + ctl*sl) + xil*stl*cp)
    - vphi*ctl*(xil*sp - rl*cp*cl);
  Real wl2 = (omega + beta)*rl*cp*sl + vy + vphi*(xil*cp + rl*sp*cl);
  Real wl3 = -(omega + beta)*rl*(ctl*cl - stl*sp*sl) + V + vz - vtheta*(xil*ctl*cp + rl*(ctl*sp*cl - stl*sl))
    + vphi*stl*(xil*sp - rl*cp*cl);
  Real wl = 0.5*sqrt((wl1 - 2*vx)^2 + (wl2 - 2*vy)^2 + (wl3 - 2*vz - 2*V)^2);
  Real nlx = (stl*wl1 + ctl*wl3)/wl;
  Real nly = (ctl*cdl*wl1 + sdl*wl2 - stl*cdl*wl3)/wl;
  Real spinl = (cdl*vtheta - sdl*(omega + beta))/wl;
  Real flx(unit = "N") = -mu*Nl*tanh(Gm*axl^2*C11*nlx/(mu*Nl));
  Real fly(unit = "N") = -mu*Nl*tanh(Gm*axl^2*(C22*nly + axl*C23*spinl)/(mu*Nl));
  Real fl(unit = "N") = sqrt(flx^2 + fly^2);
  Real cutl = if noEvent(fl > mu*Nl) then mu*Nl/fl else 1;
  Real Tl1(unit = "N") = cutl*(stl*flx + ctl*cdl*fly);
  Real Tl2(unit = "N") = cutl*sdl*fly;
  Real Tl3(unit = "N") = cutl*(ctl*flx - stl*cdl*fly);
  // right wheel
  Real str = sin(theta/cdr), ctr = cos(theta/cdr);
  Real wr1 = -(omega + beta)*rr*(str*cr + ctr*sp*sr) + vx - vtheta*(rr*(str*sp*cr + ctr*sr) + xir*str*cp)
    - vphi*ctr*(xir*sp - rr*cp*cr);
  Real wr2 = (omega + beta)*rr*cp*sr + vy + vphi*(xir*cp + rr*sp*cr);
  Real wr3 = -(omega + beta)*rr*(ctr*cr - str*sp*sr) + V + vz - vtheta*(xir*ctr*cp + rr*(ctr*sp*cr - str*sr))
    + vphi*str*(xir*sp - rr*cp*cr);
  Real wr = 0.5*sqrt((wr1 - 2*vx)^2 + (wr2 - 2*vy)^2 + (wr3 - 2*vz - 2*V)^2);
  Real nrx = (str*wr1 + ctr*wr3)/wr;
  Real nry = (ctr*cdr*wr1 - sdr*wr2 - str*cdr*wr3)/wr;
  Real spinr = (cdr*vtheta + sdr*(omega + beta))/wr;
  Real frx(unit = "N") = -mu*Nr*tanh(Gm*axr^2*C11*nrx/(mu*Nr));
  Real fry(unit = "N") = -mu*Nr*tanh(Gm*axr^2*(C22*nry + axr*C23*spinr)/(mu*Nr));
  Real fr(unit = "N") = sqrt(frx^2 + fry^2);
  Real cutr = if noEvent(fr > mu*Nr) then mu*Nr/fr else 1;
  Real Tr1(unit = "N") = cutr*(str*frx + ctr*cdr*fry);
  Real Tr2(unit = "N") = -cutr*sdr*fry;
  Real Tr3(unit = "N") = cutr*(ctr*frx - str*cdr*fry);
  Real M2(unit = "N.m") = -2*xl^2*cz*theta "torque of the springs";
equation
  der(x) = vx;
  der(y) = vy;
  der(z) = vz;
  der(theta) = vtheta;
  der(phi) = vphi;
  mR*der(vx) = Tl1 + Tr1 - 2*cx*x + gl*E1 + gr*E2;
  mR*der(vy) = Tl2 + Tr2 - mR*g - E1 - E2;
  mR*der(vz) = Tl3 + Tr3 - 2*cz*z;
  I2*cp*der(vtheta) = I2*vtheta*vphi*sp - I1*(omega + beta)*vphi - (I1 - I2)*vtheta*vphi*sp
    - (xil*st + rl*sl*ct*cp)*Tl1 - rl*sl*sp*Tl2 + (rl*sl*st*cp - xil*ct)*Tl3
    - (xir*st + rr*sr*ct*cp)*Tr1 - rr*sr*sp*Tr2 + (rr*sr*st*cp - xir*ct)*Tr3
    + cp*M2 + dl4*E1 + dr4*E2;
  I2*der(vphi) = I1*(omega + beta)*vtheta*cp + (I1 - I2)*vtheta^2*sp*cp
    - (xil*ct*sp - rl*cl*ct*cp)*Tl1 + (xil*cp + rl*cl*sp)*Tl2 + (xil*st*sp - rl*cl*st*cp)*Tl3
    - (xir*ct*sp - rr*cr*ct*cp)*Tr1 + (xir*cp + rr*cr*sp)*Tr2 + (xir*st*sp - rr*cr*st*cp)*Tr3
    + dl5*E1 + dr5*E2;
  I1*(der(beta) + sp*der(vtheta)) = -I1*vtheta*vphi*cp
    - rl*(cl*st + sl*ct*sp)*Tl1 + rl*sl*cp*Tl2 - rl*(cl*ct - sl*st*sp)*Tl3
    - rr*(cr*st + sr*ct*sp)*Tr1 + rr*sr*cp*Tr2 - rr*(cr*ct - sr*st*sp)*Tr3 + sp*M2;
  // wheel and rail touch and have the same tangents
  gl*(cp*cl - ta*sp) - ta*ct*cp - ct*sp*cl + st*sl = 0;
  -ta*st*cp - st*sp*cl - ct*sl = 0;
  gr*(cp*cr + ta*sp) + ta*ct*cp - ct*sp*cr + st*sr = 0;
  ta*st*cp - st*sp*cr - ct*sr = 0;
  gl*vx - vy + dl4*vtheta + dl5*vphi = 0;
  gr*vx - vy + dr4*vtheta + dr5*vphi = 0;
end Wheelset;
