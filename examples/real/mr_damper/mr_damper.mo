model MrDamper "a magnetorheological damper without current: dashpot, Dahl's friction and a weak spring. mm, s, N"
  import Entrain.Translational.*;
  parameter Real Kx = 0.8 "viscous", Kw = 60 "force of the yielding fluid", rho = 50 "1/mm: stiffness over that force";
  parameter Real k = 0, k3 = 0 "N/mm, N/mm3: gas in the accumulator, from the place where the record begins";
  parameter Real Kq = 0 "N.s2/mm2: damping by the square of the speed", dKx = 0 "N.s/mm: viscous inwards less outwards";
  parameter Real f0 = 0 "N: force of the gas where the record begins, and the offset of the sensor";
  input Real v "mm/s, of the rod";
  Real F "N, as measured";
  Speed rod(v = v);
  Dahl fluid(sigma0 = rho*Kw, Fc = Kw);
  Damper oil(d = Kx);
  CubicSpring gas(c = k, c3 = k3);
  Fixed housing;
equation
  connect(rod.b, fluid.b);
  connect(rod.b, oil.b);
  connect(rod.b, gas.b);
  connect(fluid.a, housing.a);
  connect(oil.a, housing.a);
  connect(gas.a, housing.a);
  F = fluid.f + oil.f + gas.f + Kq*v*abs(v) + dKx*min(v, 0) + f0;
end MrDamper;
