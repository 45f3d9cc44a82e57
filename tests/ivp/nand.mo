// A NAND gate of three field effect transistors (one load, two inputs) in the model of Shichman and Hodges: every transistor has a drain
// current of three regimes for each direction, two diodes, and capacities that depend on the voltage. Implicit, of index 0.
// Guenther and Rentrop (1993); Mazzia and Magherini, Test Set for IVP Solvers, release 2.4. Times in ns.
model Nand "NAND gate"
  parameter Real RGS = 4;
  parameter Real RGD = 4;
  parameter Real RBS = 10;
  parameter Real RBD = 10;
  parameter Real CGS = 0.6e-4;
  parameter Real CGD = 0.6e-4;
  parameter Real CB = 2.4e-5 "bulk capacities without voltage";
  parameter Real C9 = 0.5e-4;
  parameter Real slope = 0.02 "channel length modulation";
  parameter Real IS = 1e-14;
  parameter Real VTH = 25.85;
  parameter Real VDD = 5;
  parameter Real VBB = -2.5;
  parameter Real phib = 0.87;
  parameter Real threshold1 = -2.43 "depletion transistor";
  parameter Real gamma1 = 0.2;
  parameter Real phi1 = 1.28;
  parameter Real beta1 = 5.35e-4;
  parameter Real threshold2 = 0.2 "enhancement transistors";
  parameter Real gamma2 = 0.035;
  parameter Real phi2 = 1.01;
  parameter Real beta2 = 1.748e-3;
  parameter Real back2 = 1.748e-4 "when drain and source are exchanged, as in the test set";
  Real y1(start = 5, fixed = true);
  Real y2(start = 5, fixed = true);
  Real y3(start = -2.5, fixed = true);
  Real y4(start = -2.5, fixed = true);
  Real y5(start = 5, fixed = true);
  Real y6(start = 3.62385, fixed = true);
  Real y7(start = 5, fixed = true);
  Real y8(start = -2.5, fixed = true);
  Real y9(start = -2.5, fixed = true);
  Real y10(start = 3.62385, fixed = true);
  Real y11(start = 0, fixed = true);
  Real y12(start = 3.62385, fixed = true);
  Real y13(start = -2.5, fixed = true);
  Real y14(start = -2.5, fixed = true);
  // the two input signals and their slopes
  Real s1 = mod(time, 20), s2 = mod(time, 40);
  Real V1 = if s1 <= 5 then 0 elseif s1 <= 10 then s1 - 5 elseif s1 <= 15 then 5 else 20 - s1;
  Real V1D = if s1 <= 5 then 0 elseif s1 <= 10 then 1 elseif s1 <= 15 then 0 else -1;
  Real V2 = if s2 <= 15 then 0 elseif s2 <= 20 then s2 - 15 elseif s2 <= 35 then 5 else 40 - s2;
  Real V2D = if s2 <= 15 then 0 elseif s2 <= 20 then 1 elseif s2 <= 35 then 0 else -1;
  // transistor 1: voltages, excess over the threshold seen from the source and from the drain, drain current
  Real ds1 = y2 - y1, gs1 = y5 - y1, bs1 = y3 - y5, gd1 = y5 - y2, bd1 = y4 - VDD;
  Real es1 = gs1 - threshold1 - gamma1*(sqrt(phi1 - bs1) - sqrt(phi1));
  Real ed1 = gd1 - threshold1 - gamma1*(sqrt(phi1 - bd1) - sqrt(phi1));
  Real id1 = if noEvent(ds1 > 0) then
      (if es1 <= 0 then 0 elseif es1 <= ds1 then -beta1*es1^2*(1 + slope*ds1) else -beta1*ds1*(2*es1 - ds1)*(1 + slope*ds1))
    else (if ed1 <= 0 then 0 elseif ed1 <= -ds1 then beta1*ed1^2*(1 - slope*ds1) else -beta1*ds1*(2*ed1 + ds1)*(1 - slope*ds1));
  // its diodes and bulk capacities
  Real is1 = if bs1 <= 0 then -IS*(exp(bs1/VTH) - 1) else 0;
  Real ib1 = if bd1 <= 0 then -IS*(exp(bd1/VTH) - 1) else 0;
  Real cs1 = if bs1 <= 0 then CB/sqrt(1 - bs1/phib) else CB*(1 + bs1/(2*phib));
  Real cd1 = if bd1 <= 0 then CB/sqrt(1 - bd1/phib) else CB*(1 + bd1/(2*phib));
  // transistor 2: voltages, excess over the threshold seen from the source and from the drain, drain current
  Real ds2 = y7 - y6, gs2 = V1 - y6, bs2 = y8 - y10, gd2 = V1 - y7, bd2 = y9 - y5;
  Real es2 = gs2 - threshold2 - gamma2*(sqrt(phi2 - bs2) - sqrt(phi2));
  Real ed2 = gd2 - threshold2 - gamma2*(sqrt(phi2 - bd2) - sqrt(phi2));
  Real id2 = if noEvent(ds2 > 0) then
      (if es2 <= 0 then 0 elseif es2 <= ds2 then -beta2*es2^2*(1 + slope*ds2) else -beta2*ds2*(2*es2 - ds2)*(1 + slope*ds2))
    else (if ed2 <= 0 then 0 elseif ed2 <= -ds2 then back2*ed2^2*(1 - slope*ds2) else -back2*ds2*(2*ed2 + ds2)*(1 - slope*ds2));
  // its diodes and bulk capacities
  Real is2 = if bs2 <= 0 then -IS*(exp(bs2/VTH) - 1) else 0;
  Real ib2 = if bd2 <= 0 then -IS*(exp(bd2/VTH) - 1) else 0;
  Real cs2 = if bs2 <= 0 then CB/sqrt(1 - bs2/phib) else CB*(1 + bs2/(2*phib));
  Real cd2 = if bd2 <= 0 then CB/sqrt(1 - bd2/phib) else CB*(1 + bd2/(2*phib));
  // transistor 3: voltages, excess over the threshold seen from the source and from the drain, drain current
  Real ds3 = y12 - y11, gs3 = V2 - y11, bs3 = y13, gd3 = V2 - y12, bd3 = y14 - y10;
  Real es3 = gs3 - threshold2 - gamma2*(sqrt(phi2 - bs3) - sqrt(phi2));
  Real ed3 = gd3 - threshold2 - gamma2*(sqrt(phi2 - bd3) - sqrt(phi2));
  Real id3 = if noEvent(ds3 > 0) then
      (if es3 <= 0 then 0 elseif es3 <= ds3 then -beta2*es3^2*(1 + slope*ds3) else -beta2*ds3*(2*es3 - ds3)*(1 + slope*ds3))
    else (if ed3 <= 0 then 0 elseif ed3 <= -ds3 then back2*ed3^2*(1 - slope*ds3) else -back2*ds3*(2*ed3 + ds3)*(1 - slope*ds3));
  // its diodes and bulk capacities
  Real is3 = if bs3 <= 0 then -IS*(exp(bs3/VTH) - 1) else 0;
  Real ib3 = if bd3 <= 0 then -IS*(exp(bd3/VTH) - 1) else 0;
  Real cs3 = if bs3 <= 0 then CB/sqrt(1 - bs3/phib) else CB*(1 + bs3/(2*phib));
  Real cd3 = if bd3 <= 0 then CB/sqrt(1 - bd3/phib) else CB*(1 + bd3/(2*phib));
equation
  CGS*(der(y1) - der(y5)) = -(y1 - y5)/RGS - id1;
  CGD*(der(y2) - der(y5)) = -(y2 - VDD)/RGD + id1;
  cs1*(der(y3) - der(y5)) = -(y3 - VBB)/RBS + is1;
  cd1*der(y4) = -(y4 - VBB)/RBD + ib1;
  CGS*(der(y5) - der(y1)) + CGD*(der(y5) - der(y2)) + cs1*(der(y5) - der(y3)) + cd2*(der(y5) - der(y9)) + C9*der(y5)
    = -(y5 - y1)/RGS - is1 - (y5 - y7)/RGD - ib2;
  CGS*der(y6) = CGS*V1D - (y6 - y10)/RGS - id2;
  CGD*der(y7) = CGD*V1D - (y7 - y5)/RGD + id2;
  cs2*(der(y8) - der(y10)) = -(y8 - VBB)/RBS + is2;
  cd2*(der(y9) - der(y5)) = -(y9 - VBB)/RBD + ib2;
  cs2*(der(y10) - der(y8)) + cd3*(der(y10) - der(y14)) + C9*der(y10)
    = -(y10 - y6)/RGS - is2 - (y10 - y12)/RGD - ib3;
  CGS*der(y11) = CGS*V2D - y11/RGS - id3;
  CGD*der(y12) = CGD*V2D - (y12 - y10)/RGD + id3;
  cs3*der(y13) = -(y13 - VBB)/RBS + is3;
  cd3*(der(y14) - der(y10)) = -(y14 - VBB)/RBD + ib3;
end Nand;
