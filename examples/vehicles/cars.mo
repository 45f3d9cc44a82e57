package Cars "Cars made of the parts of Entrain.Vehicle"
  partial model Car14 "14 degrees of freedom: body 6, travel of the wheels 4, spin of the wheels 4"
    import Entrain.Vehicle.*;
    parameter Real mc(unit = "kg") = 2077 "Mass of the body";
    parameter Real ms(unit = "kg") = 10 "Mass of a wheel and its suspension";
    parameter Real hcg(unit = "m") = 0.60 "Height of the centre of mass of the body";
    parameter Real lf(unit = "m") = 1.353 "Distance of the front axle from it";
    parameter Real lr(unit = "m") = 1.487 "Distance of the rear axle from it";
    parameter Real wf(unit = "m") = 0.760 "Half track, front";
    parameter Real wr(unit = "m") = 0.795 "Half track, rear";
    parameter Real kf(unit = "N/m") = 48300 "Stiffness of a strut, front";
    parameter Real kr(unit = "N/m") = 30520 "Stiffness of a strut, rear";
    parameter Real cf(unit = "N.s/m") = 3080 "Damping of a strut, front";
    parameter Real cr(unit = "N.s/m") = 2330 "Damping of a strut, rear";
    parameter Real lkf(unit = "1") = 1 "Scale of the cornering stiffness, front";
    parameter Real lkr(unit = "1") = 1 "Scale of the cornering stiffness, rear";
    parameter Real g(unit = "m/s2") = 9.81 "Gravity";
    parameter Real v0(unit = "m/s") = 4 "Speed at the start";
    Real dl(unit = "rad") "Steer angle, front";
    Real tq(unit = "N.m") "Torque on each wheel";
    Real wF(unit = "rad/s") = (corner[1].om + corner[2].om)/2 "Mean speed of the front wheels";
    Real wR(unit = "rad/s") = (corner[3].om + corner[4].om)/2 "Mean speed of the rear wheels";
    Chassis chassis(m = mc, Ixx = 700, Iyy = 3300, Izz = 3500, h = hcg, g = g, v0 = v0);
    Corner corner[4](x = {lf, lf, -lr, -lr}, y = {wf, -wf, wr, -wr}, each m = ms, each h = hcg, each g = g,
      each v0 = v0, F0 = mc*g/(2*(lf + lr))*{lr, lr, lf, lf}, c = {kf, kf, kr, kr}, d = {cf, cf, cr, cr},
      tyre(lk = {lkf, lkf, lkr, lkr}), delta = {dl, dl, 0, 0}) "Front left, front right, rear left, rear right";
    FixedGuide guide;
    ShaftTorque drive[4](each T = tq);
  equation
    for i in 1:4 loop
      connect(chassis.carrier, corner[i].mount);
      connect(guide.guide, corner[i].guide);
      connect(drive[i].shaft, corner[i].shaft);
    end for;
  end Car14;

  model LaneChange "Case A: accelerates, changes the lane, brakes"
    extends Car14;
    parameter Real Ta(unit = "N.m") = 350 "Torque that accelerates";
    parameter Real Tb(unit = "N.m") = -312 "Torque that brakes";
    parameter Real Tc(unit = "N.m") = 17.1 "Torque that holds the speed";
    parameter Real d0(unit = "rad") = 0.0095 "Amplitude of the steer angle";
    parameter Real ts(unit = "s") = 8 "Begin of the lane change";
    parameter Real Ts(unit = "s") = 5 "Its duration";
  equation
    tq = Entrain.Tables.linear(time, {0, 0.5, 1.0, 6.5, 7.0, 14.5, 15.0, 19.5, 20.0, 22.0},
      {Tc, Tc, Ta, Ta, Tc, Tc, Tb, Tb, Tc, Tc});
    dl = if time > ts and time < ts + Ts then d0*sin(2*Modelica.Constants.pi*(time - ts)/Ts) else 0;
  end LaneChange;

  model SineWithDwell "Case B: a sine with a dwell at its second peak, then a circle, at constant speed"
    extends Car14(lkf = 0.8, lkr = 1.2, v0 = 22.222222);
    parameter Real KV(unit = "N.s") = 4000 "Controller of the speed: torque of all wheels over difference of speed";
    parameter Real is(unit = "1") = 16 "Steering ratio";
    parameter Real A(unit = "rad") = 1 "Amplitude at the steering wheel";
    parameter Real f0(unit = "Hz") = 0.7 "Frequency of the sine";
    parameter Real td(unit = "s") = 0.5 "Dwell";
    parameter Real t1(unit = "s") = 1 "Begin of the sine";
    parameter Real uss(unit = "rad") = 0.7 "Steering wheel in the circle";
    parameter Real t2(unit = "s") = 5 "Begin of the ramp to the circle";
    parameter Real t3(unit = "s") = 6 "Its end";
    parameter Real v2(unit = "m/s") = 22.222222 "Speed in the circle";
    Real usw(unit = "rad") "Angle of the steering wheel";
    Real vref(unit = "m/s") "Wanted speed";
  equation
    usw = if time < t1 then 0
      elseif time < t1 + 0.75/f0 then A*sin(2*Modelica.Constants.pi*f0*(time - t1))
      elseif time < t1 + 0.75/f0 + td then -A
      elseif time < t1 + 1/f0 + td then A*sin(2*Modelica.Constants.pi*f0*(time - t1 - td))
      elseif time < t2 then 0
      elseif time < t3 then uss*(time - t2)/(t3 - t2)
      else uss;
    dl = usw/is;
    vref = Entrain.Tables.linear(time, {0, 5, 9, 10}, {v0, v0, v2, v2});
    tq = KV*(vref - chassis.vxg)/4;
  end SineWithDwell;

  model Car56 "Case C: 56 states; body and axles 24, tyres 8, drive train 19, steering 5"
    import Entrain.Vehicle.*;
    import Entrain.Tables.linear;
    parameter Real mc(unit = "kg") = 1360 "Mass of the body";
    parameter Real ms(unit = "kg") = 40 "Mass of a wheel and its suspension";
    parameter Real hcg(unit = "m") = 0.56 "Height of the centre of mass of the body";
    parameter Real lf(unit = "m") = 1.25 "Distance of the front axle from it";
    parameter Real lr(unit = "m") = 1.45 "Distance of the rear axle from it";
    parameter Real wf(unit = "m") = 0.745 "Half track, front";
    parameter Real wr(unit = "m") = 0.745 "Half track, rear";
    parameter Real kf(unit = "N/m") = 30000 "Stiffness of a strut, front";
    parameter Real kr(unit = "N/m") = 28000 "Stiffness of a strut, rear";
    parameter Real cf(unit = "N.s/m") = 2800 "Damping of a strut, front";
    parameter Real cr(unit = "N.s/m") = 2600 "Damping of a strut, rear";
    parameter Real g(unit = "m/s2") = 9.81 "Gravity";
    parameter Real mu[4](each unit = "1") = {0.1954, 0.1772, 0.1672, 0.1669} "Coefficients of friction of the brakes";
    parameter Real pmax(unit = "bar") = 140 "Largest pressure of the brakes";
    parameter Real pf[4](each unit = "1") = {1.00, 1.10, 1.04, 1.04} "Share of each wheel";
    parameter Real w_idle(unit = "rad/s") = 90 "Speed of the idling engine";
    parameter Real Kv(unit = "s/m") = 0.8 "Throttle over difference of speed";
    parameter Real Kw(unit = "s/rad") = 0.02 "Throttle over difference of the idle speed";
    parameter Real Kpsi(unit = "1") = 6 "Driver: wanted angle of the steering wheel over yaw";
    parameter Real KY(unit = "rad/m") = 0.3 "Driver: wanted angle of the steering wheel over position";
    parameter Real kdr(unit = "N.m/rad") = 20 "Driver: torque over difference of the angle";
    parameter Real ddr(unit = "N.m.s/rad") = 2 "Driver: torque over speed";
    Real vref(unit = "m/s") "Wanted speed";
    Real brk(unit = "1") "1: throttle released";
    Real ig(unit = "1") "Ratio of the gear";
    Real ped[2](each unit = "1") "Pressure of the brakes over largest pressure, front and rear";
    Chassis chassis(m = mc, Ixx = 480, Iyy = 2100, Izz = 2300, h = hcg, ca = 0.40, g = g);
    Corner corner[4](redeclare model Tyre = ElasticTyre(vlow = 0.5, Fz0 = 4000, pKx1 = 30, pKy1 = 15, cx = 5e5,
        cy = 1.2e5, dx = 500, dy = 500), x = {lf, lf, -lr, -lr}, y = {wf, -wf, wr, -wr}, each m = ms, each h = hcg,
      each g = g, F0 = mc*g/(2*(lf + lr))*{lr, lr, lf, lf}, c = {kf, kf, kr, kr}, each c3 = 2e6,
      d = {cf, cf, cr, cr}, each J = 1.2, each R0 = 0.31, each ct = 210000, each dt = 150,
      delta = {steering.delta, steering.delta, 0, 0}) "Front left, front right, rear left, rear right";
    ElasticGuide axle[2](each c = 1.2e6, each d = 4000);
    Steering steering(T = kdr*(-Kpsi*chassis.psi - KY*chassis.Y - steering.phi) - ddr*steering.w,
      Fx = {corner[1].tyre.Fx, corner[2].tyre.Fx}, Fy = {corner[1].tyre.Fy, corner[2].tyre.Fy});
    Engine engine(w_start = w_idle, throttle = (1 - brk)*min(1, max(0, Kv*(vref - chassis.u) + 0.05))
        + min(1, max(0, Kw*(w_idle - engine.w))));
    Clutch clutch(closed = linear(time,
      {0, 0.5, 2.5, 5.75, 5.95, 6.05, 6.45, 11.75, 11.95, 12.05, 12.45, 22.00, 22.15, 30},
      {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0}));
    Differential centre(Jin = 0.02, Jcarrier = 0.02, Jout = 0.01, ratio = ig) "Gearbox and centre differential";
    ElasticShaft prop[2](each c = 8000, each d = 15);
    Differential final_drive[2](each Jin = 0.005, each Jcarrier = 0.03, each Jout = 0.01, each ratio = 3.6);
    ElasticShaft half[4](each c = 8000, each d = 20);
    Brake brake[4](mu = mu, C = {62, 62, 30, 30}, p = pmax*{pf[1]*ped[1], pf[2]*ped[1], pf[3]*ped[2], pf[4]*ped[2]});
  equation
    vref = linear(time, {0, 0.5, 20.0, 30}, {0, 0, 19.6, 19.6});
    brk = linear(time, {0, 22.00, 22.15, 30}, {0, 0, 1, 1});
    ig = if time < 6 then 3.6 elseif time < 12 then 2 else 1.35;
    ped[1] = linear(time, {0, 22.05, 22.25, 22.6, 23.0, 23.4, 23.8, 24.2, 24.6, 30},
      {0, 0, 0.85, 1.00, 0.88, 1.00, 0.90, 1.00, 0.92, 0.92});
    ped[2] = linear(time, {0, 22.05, 22.30, 22.7, 23.1, 23.5, 23.9, 24.3, 24.6, 30},
      {0, 0, 0.75, 0.85, 0.78, 0.86, 0.80, 0.86, 0.82, 0.82});
    connect(engine.shaft, clutch.a);
    connect(clutch.b, centre.a);
    connect(centre.b1, prop[1].a);
    connect(centre.b2, prop[2].a);
    for a in 1:2 loop
      connect(prop[a].b, final_drive[a].a);
      connect(final_drive[a].b1, half[2*a - 1].a);
      connect(final_drive[a].b2, half[2*a].a);
    end for;
    for i in 1:4 loop
      connect(half[i].b, corner[i].shaft);
      connect(brake[i].shaft, corner[i].shaft);
      connect(chassis.carrier, corner[i].mount);
      connect(axle[if i <= 2 then 1 else 2].guide, corner[i].guide);
    end for;
  end Car56;

  model Car56Pressures "Case C, with the measured pressures of the brakes as inputs"
    extends Car56(brake(p = {p1, p2, p3, p4}));
    input Real p1(unit = "bar") "Front left";
    input Real p2(unit = "bar") "Front right";
    input Real p3(unit = "bar") "Rear left";
    input Real p4(unit = "bar") "Rear right";
  end Car56Pressures;

  model Bicycle3 "Case A: the planar car that is identified; lambda = 0 is the plain model"
    import Entrain.Vehicle.*;
    parameter Real Along(unit = "1") = 100 "Largest force over load, longitudinal";
    parameter Real Blong(unit = "1") = 100 "Decay over slip";
    parameter Real Alat(unit = "1") = 1 "Largest force over load, lateral";
    parameter Real Blat(unit = "1/rad") = 1 "Decay over slip angle";
    parameter Real lambda(unit = "1") = 0 "Coupling to the measurements";
    parameter Real K(unit = "1/s") = 0.5 "Its gain";
    parameter Real m(unit = "kg") = 2117 "Mass";
    parameter Real g(unit = "m/s2") = 9.81 "Gravity";
    parameter Real Izz(unit = "kg.m2") = 3500 "Moment of inertia of the body";
    parameter Real ms(unit = "kg") = 10 "Mass of a wheel and its suspension";
    parameter Real wf(unit = "m") = 0.760 "Half track, front";
    parameter Real wr(unit = "m") = 0.795 "Half track, rear";
    parameter Real df(unit = "m") = 1.353 "Distance of the front axle";
    parameter Real dr(unit = "m") = 1.487 "Distance of the rear axle";
    input Real delta(unit = "rad") "Front steer angle";
    input Real wF(unit = "rad/s") "Front wheel speed";
    input Real wR(unit = "rad/s") "Rear wheel speed";
    input Real xe(unit = "m") "Measured position";
    input Real ye(unit = "m") "Measured position";
    input Real psie(unit = "rad") "Measured yaw";
    PlanarBody body(m = m, J = Izz + 2*ms*(df^2 + dr^2 + wf^2 + wr^2), v0 = 4,
      Fx = front.Fx + rear.Fx, Fy = front.Fy + rear.Fy, M = df*front.Fy - dr*rear.Fy,
      pull = lambda*K*{xe - body.x, ye - body.y, psie - body.psi, xe - body.x, ye - body.y, psie - body.psi});
    PlanarWheel front(x = df, w = wF, delta = delta, Fz = m*g/2, Along = Along, Blong = Blong, Alat = Alat,
      Blat = Blat, u = body.u, v = body.v, r = body.om);
    PlanarWheel rear(x = -dr, w = wR, Fz = m*g/2, Along = Along, Blong = Blong, Alat = Alat, Blat = Blat,
      u = body.u, v = body.v, r = body.om);
  end Bicycle3;

  model Bicycle2 "Case B: the lateral car that is identified"
    import Entrain.Vehicle.*;
    parameter Real rsteer(unit = "1") = 0.0625 "Front steer angle over angle of the steering wheel";
    parameter Real B(unit = "1") = 10 "Stiffness factor";
    parameter Real C(unit = "1") = 1.5 "Shape factor";
    parameter Real D(unit = "N") = -8000 "Peak; negative: the force opposes the slip";
    parameter Real E(unit = "1") = -1 "Curvature factor";
    parameter Real vx(unit = "m/s") = 22.222222 "Speed";
    parameter Real lf(unit = "m") = 1.353 "Distance of the front axle";
    parameter Real lr(unit = "m") = 1.487 "Distance of the rear axle";
    input Real u(unit = "rad") "Angle of the steering wheel";
    LateralBody body(m = 2117, J = 3605.0281, vx = vx, Fy = front.F + rear.F, M = lf*front.F - lr*rear.F);
    LateralAxle front(x = lf, vx = vx, B = B, C = C, D = D, E = E, beta = body.alpha, r = body.psid, delta = rsteer*u);
    LateralAxle rear(x = -lr, vx = vx, B = B, C = C, D = D, E = E, beta = body.alpha, r = body.psid);
  end Bicycle2;
end Cars;
