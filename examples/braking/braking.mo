model Braking "a car that brakes in a straight line: its speed and those of its four wheels"
  parameter Real mu1(min = 0.05, max = 0.5) = 0.1954 "friction of the brake pads, front left";
  parameter Real mu2(min = 0.05, max = 0.5) = 0.1772 "front right";
  parameter Real mu3(min = 0.05, max = 0.5) = 0.1672 "rear left";
  parameter Real mu4(min = 0.05, max = 0.5) = 0.1669 "rear right";
  parameter Real m = 1520 "kg", J = 1.2 "kg.m2, a wheel", R = 0.31 "m, a wheel";
  parameter Real Ff = 4000 "N, load of a front wheel", Fr = 3450 "N, of a rear wheel";
  parameter Real B = 12, C = 1.5, D = 1.1 "tyre";
  parameter Real cf = 62, cr = 30 "N.m/bar, brake torque by pressure and friction", pmax = 90 "bar";
  Real u(start = 19.5, fixed = true) "m/s";
  Real w1(start = 62.9, fixed = true) "rad/s";
  Real w2(start = 62.9, fixed = true);
  Real w3(start = 62.9, fixed = true);
  Real w4(start = 62.9, fixed = true);
  Real p "bar";
  Real F1, F2, F3, F4 "N";
equation
  p = pmax*(1 - exp(-time/0.1))*(0.9 + 0.1*sin(6*time));
  F1 = Ff*D*sin(C*atan(B*(w1*R - u)/(u + 0.5)));
  F2 = Ff*D*sin(C*atan(B*(w2*R - u)/(u + 0.5)));
  F3 = Fr*D*sin(C*atan(B*(w3*R - u)/(u + 0.5)));
  F4 = Fr*D*sin(C*atan(B*(w4*R - u)/(u + 0.5)));
  m*der(u) = F1 + F2 + F3 + F4;
  J*der(w1) = -R*F1 - mu1*cf*p*tanh(w1);
  J*der(w2) = -R*F2 - mu2*cf*p*tanh(w2);
  J*der(w3) = -R*F3 - mu3*cr*p*tanh(w3);
  J*der(w4) = -R*F4 - mu4*cr*p*tanh(w4);
end Braking;
