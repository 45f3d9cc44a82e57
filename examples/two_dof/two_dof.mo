// Vyasarayani, Uchida, Carvalho, McPhee (2011), doi 10.1007/s11044-011-9260-0, section 3.3; zero start assumed.
model TwoDof "two coupled nonlinear oscillators, of which only u is measured"
  parameter Real C1(min = 0.1, max = 20) = 1 "cubic stiffness of u";
  parameter Real C2(min = 0.1, max = 20) = 2 "coupling from v to u";
  parameter Real C3(min = 0.1, max = 20) = 3 "cubic stiffness of v";
  Real u(start = 0, fixed = true) "first displacement, measured";
  Real u_dot(start = 0, fixed = true) "velocity of u";
  Real v(start = 0, fixed = true) "second displacement, hidden";
  Real v_dot(start = 0, fixed = true) "velocity of v";
equation
  der(u) = u_dot;
  der(v) = v_dot;
  der(u_dot) + 0.3*u_dot + u + C1*u^3 + C2*v = 0;
  der(v_dot) + 0.3*v_dot + v + C3*v^3 + cos(time) = 0;
  annotation(experiment(StopTime = 50, Interval = 0.1));
end TwoDof;
