model EmpsSign "the carriage with four parameters and sticking: sign(v) instead of a smooth law"
  parameter Real M(unit = "kg") = 95.1 "mass, with that of the screw and the motor";
  parameter Real Fv(unit = "N.s/m") = 203.5 "viscous friction", Fc(unit = "N") = 20.4 "dry friction";
  parameter Real offset(unit = "N") = -3.2 "of the amplifier, and the weight along the rail";
  parameter Real gtau(unit = "N/V") = 35.15065188248547 "force by voltage";
  input Real vir(unit = "V");
  Real q(start = 0, fixed = true, unit = "m"), v(start = 0, fixed = true, unit = "m/s");
equation
  der(q) = v;
  M*der(v) = gtau*vir - offset - Fv*v - Fc*sign(v);
end EmpsSign;
