// A ring modulator mixes a signal of 1 kHz with a carrier of 10 kHz: four diodes, two transformers. Stiff and oscillating, because
// of the small capacity Cs. Horneber (1976); Mazzia and Magherini, Test Set for IVP Solvers, release 2.4. An ODE.
model RingModulator "ring modulator"
  constant Real pi = 3.141592653589793;
  parameter Real C(unit = "F") = 1.6e-8;
  parameter Real Cs(unit = "F") = 2e-12 "the small capacity";
  parameter Real Cp(unit = "F") = 1e-8;
  parameter Real R(unit = "Ohm") = 25000;
  parameter Real Rp(unit = "Ohm") = 50;
  parameter Real Lh(unit = "H") = 4.45;
  parameter Real Ls1(unit = "H") = 2e-3;
  parameter Real Ls2(unit = "H") = 5e-4;
  parameter Real Ls3(unit = "H") = 5e-4;
  parameter Real Rg1(unit = "Ohm") = 36.3;
  parameter Real Rg2(unit = "Ohm") = 17.3;
  parameter Real Rg3(unit = "Ohm") = 17.3;
  parameter Real Ri(unit = "Ohm") = 50;
  parameter Real Rc(unit = "Ohm") = 600;
  parameter Real gamma(unit = "A") = 40.67286402e-9;
  parameter Real delta(unit = "1/V") = 17.7493332;
  parameter Real U1(unit = "V") = 0.5 "sizes of the signal and of the carrier";
  parameter Real U2(unit = "V") = 2;
  Real u1(fixed = true, unit = "V"), u2(fixed = true, unit = "V"), u3(fixed = true, unit = "V"), u4(fixed = true, unit = "V"),
    u5(fixed = true, unit = "V"), u6(fixed = true, unit = "V"), u7(fixed = true, unit = "V");
  Real i1(fixed = true, unit = "A"), i2(fixed = true, unit = "A"), i3(fixed = true, unit = "A"), i4(fixed = true, unit = "A"),
    i5(fixed = true, unit = "A"), i6(fixed = true, unit = "A"), i7(fixed = true, unit = "A"), i8(fixed = true, unit = "A");
  Real signal(unit = "V") = U1*sin(2000*pi*time);
  Real carrier(unit = "V") = U2*sin(20000*pi*time);
  Real d1(unit = "A") = gamma*(exp(delta*(u3 - u5 - u7 - carrier)) - 1) "currents of the diodes";
  Real d2(unit = "A") = gamma*(exp(delta*(u6 - u4 - u7 - carrier)) - 1);
  Real d3(unit = "A") = gamma*(exp(delta*(u4 + u5 + u7 + carrier)) - 1);
  Real d4(unit = "A") = gamma*(exp(delta*(u7 - u3 - u6 + carrier)) - 1);
equation
  C*der(u1) = i1 - i3/2 + i4/2 + i7 - u1/R;
  C*der(u2) = i2 - i5/2 + i6/2 + i8 - u2/R;
  Cs*der(u3) = i3 - d1 + d4;
  Cs*der(u4) = -i4 + d2 - d3;
  Cs*der(u5) = i5 + d1 - d3;
  Cs*der(u6) = -i6 - d2 + d4;
  Cp*der(u7) = -u7/Rp + d1 + d2 - d3 - d4;
  Lh*der(i1) = -u1;
  Lh*der(i2) = -u2;
  Ls2*der(i3) = u1/2 - u3 - Rg2*i3;
  Ls3*der(i4) = -u1/2 + u4 - Rg3*i4;
  Ls2*der(i5) = u2/2 - u5 - Rg2*i5;
  Ls3*der(i6) = -u2/2 + u6 - Rg3*i6;
  Ls1*der(i7) = -u1 + signal - (Ri + Rg1)*i7;
  Ls1*der(i8) = -u2 - (Rc + Rg1)*i8;
end RingModulator;
