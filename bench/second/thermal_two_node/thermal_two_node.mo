model ThermalTwoNode "winding and housing of a motor; the winding is measured"
  parameter Real C1(unit = "kJ/K") = 0.9, C2(unit = "kJ/K") = 6.5, G(unit = "W/K") = 11, H(unit = "W/K") = 4.2;
  input Real P(unit = "W");
  Real T1(start = 0, fixed = true, unit = "K"), T2(start = 0, fixed = true, unit = "K") "above the room";
equation
  1000*C1*der(T1) = P - G*(T1 - T2);
  1000*C2*der(T2) = G*(T1 - T2) - H*T2;
end ThermalTwoNode;
