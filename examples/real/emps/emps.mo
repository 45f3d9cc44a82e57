model Emps "electro-mechanical positioning system: a carriage on a ball screw (Janot, Gautier, Brunot 2019)"
  parameter Real M(unit = "kg") = 95.1 "mass, with that of the screw and the motor";
  parameter Real Fv(unit = "N.s/m") = 203.5 "viscous friction forwards";
  parameter Real dFv(unit = "N.s/m") = 0 "viscous friction backwards less that forwards";
  parameter Real Fc(unit = "N") = 20.4 "dry friction at q = 0";
  parameter Real Fq(unit = "N/m") = 0, Fqq(unit = "N/m2") = 0 "its change along the rail";
  parameter Real Fs(unit = "N") = 0, vs(unit = "m/s") = 0.02 "more dry friction below the speed vs (Stribeck)";
  parameter Real load(unit = "1") = 0 "more dry friction by the force of the motor";
  parameter Real stiff(unit = "N/m") = 0 "of the cables";
  parameter Real offset(unit = "N") = -3.2 "of the amplifier, and the weight along the rail";
  parameter Real drift(unit = "N/s") = 0 "of the offset";
  parameter Real settling(unit = "N") = 0 "of the offset, from the start of the record", tau(unit = "s") = 10 "how fast";
  parameter Real gtau(unit = "N/V") = 35.15065188248547 "force by voltage", slow(unit = "m/s") = 0.001 "width of the smooth sign";
  input Real vir(unit = "V");
  Real q(start = 0, fixed = true, unit = "m"), v(start = 0, fixed = true, unit = "m/s"), direction;
equation
  direction = tanh(v/slow);
  der(q) = v;
  M*der(v) = gtau*vir - offset - drift*time - settling*exp(-time/tau) - (Fv + dFv*(1 - direction)/2)*v
    - (Fc + Fq*q + Fqq*q^2 + Fs*exp(-(v/vs)^2) + load*abs(gtau*vir))*direction - stiff*q;
end Emps;
