model Emps "electro-mechanical positioning system: a carriage on a ball screw (Janot, Gautier, Brunot 2019)"
  parameter Real M(unit = "kg") = 95.1, Fv(unit = "N.s/m") = 203.5, Fc(unit = "N") = 20.4, offset(unit = "N") = -3.2;
  parameter Real gtau(unit = "N/V") = 35.15065188248547 "force by voltage", slow(unit = "m/s") = 0.001;
  input Real vir(unit = "V");
  Real q(start = 0, fixed = true, unit = "m"), v(start = 0, fixed = true, unit = "m/s");
equation
  der(q) = v;
  M*der(v) = gtau*vir - Fv*v - Fc*tanh(v/slow) - offset;
end Emps;
