// A two-stage transistor amplifier: node potentials y1 .. y8, of which capacitors keep the differences u1, u3, u5 and the potentials y3,
// y6. Rentrop, Roche, Steinebach (1989); Mazzia and Magherini, Test Set for IVP Solvers, release 2.4, where the charges
// stand in a singular matrix; here their voltages are variables. Index 1.
model Transistor "transistor amplifier"
  constant Real pi = 3.1415926535897931;
  parameter Real Ub(unit = "V") = 6 "supply";
  parameter Real Uf(unit = "V") = 0.026;
  parameter Real alpha = 0.99;
  parameter Real beta(unit = "A") = 1e-6;
  parameter Real Ue(unit = "V") = 0.1 "size of the signal";
  parameter Real R0(unit = "Ohm") = 1000;
  parameter Real R(unit = "Ohm") = 9000 "all other resistances";
  parameter Real C1(unit = "F") = 1e-6;
  parameter Real C2(unit = "F") = 2e-6;
  parameter Real C3(unit = "F") = 3e-6;
  parameter Real C4(unit = "F") = 4e-6;
  parameter Real C5(unit = "F") = 5e-6;
  Real u1(start = -Ub/2, fixed = true, unit = "V") "voltages of the capacitors";
  Real y3(start = Ub/2, fixed = true, unit = "V");
  Real u3(start = Ub/2, fixed = true, unit = "V");
  Real y6(start = Ub/2, fixed = true, unit = "V");
  Real u5(start = Ub, fixed = true, unit = "V");
  Real y1(unit = "V"), y2(start = 3, unit = "V"), y4(unit = "V"), y5(start = 3, unit = "V"), y7(unit = "V"), y8(unit = "V");
  Real ue(unit = "V") = Ue*sin(200*pi*time);
  Real g1(unit = "A") = beta*(exp((y2 - y3)/Uf) - 1) "currents of the transistors";
  Real g2(unit = "A") = beta*(exp((y5 - y6)/Uf) - 1);
equation
  u1 = y1 - y2;
  u3 = y4 - y5;
  u5 = y7 - y8;
  -C1*der(u1) = (y1 - ue)/R0;
  C1*der(u1) = y2/R + (y2 - Ub)/R + (1 - alpha)*g1;
  -C2*der(y3) = y3/R - g1;
  -C3*der(u3) = (y4 - Ub)/R + alpha*g1;
  C3*der(u3) = y5/R + (y5 - Ub)/R + (1 - alpha)*g2;
  -C4*der(y6) = y6/R - g2;
  -C5*der(u5) = (y7 - Ub)/R + alpha*g2;
  C5*der(u5) = y8/R;
end Transistor;
