model BicycleModel "lateral motion of a car at 25 m/s: yaw rate and lateral acceleration by the steering angle"
  parameter Real Cf(unit = "kN/rad") = 95, Cr(unit = "kN/rad") = 120 "cornering stiffness of the axles";
  parameter Real Iz(unit = "t.m2") = 2.4;
  parameter Real m(unit = "t") = 1.45, a(unit = "m") = 1.15, b(unit = "m") = 1.5, u(unit = "m/s") = 25;
  input Real steer(unit = "rad");
  Real v(start = 0, fixed = true, unit = "m/s"), r(start = 0, fixed = true, unit = "rad/s");
  Real Ff(unit = "kN"), Fr(unit = "kN"), ay(unit = "m/s2");
equation
  Ff = Cf*(steer - (v + a*r)/u);
  Fr = -Cr*(v - b*r)/u;
  ay = (Ff + Fr)/m;
  der(v) = ay - u*r;
  Iz*der(r) = a*Ff - b*Fr;
end BicycleModel;
