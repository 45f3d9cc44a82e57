// Schaefer (1975); Test Set for IVP Solvers, problem HIRES. End 321.8122.
model Hires "high irradiance responses of photomorphogenesis, stiff"
  parameter Real k1(min = 0) = 1.71;
  parameter Real k2(min = 0) = 0.43;
  parameter Real k3(min = 0) = 8.32;
  parameter Real k4(min = 0) = 0.69;
  parameter Real k5(min = 0) = 0.035;
  parameter Real k6(min = 0) = 8.32;
  parameter Real kplus(min = 0) = 280;
  parameter Real kminus(min = 0) = 0.69;
  parameter Real kstar(min = 0) = 0.69;
  parameter Real oks(min = 0) = 0.0007;
  Real y1(start = 1, fixed = true) "P_r";
  Real y2(start = 0, fixed = true) "P_fr";
  Real y3(start = 0, fixed = true) "P_r X";
  Real y4(start = 0, fixed = true) "P_fr X";
  Real y5(start = 0, fixed = true) "P_r X'";
  Real y6(start = 0, fixed = true) "P_fr X'";
  Real y7(start = 0, fixed = true) "P_fr X' E";
  Real y8(start = 0.0057, fixed = true) "E";
equation
  der(y1) = -k1*y1 + k2*y2 + k6*y3 + oks;
  der(y2) = k1*y1 - (k2 + k3)*y2;
  der(y3) = -(k6 + k1)*y3 + k2*y4 + k5*y5;
  der(y4) = k3*y2 + k1*y3 - (k4 + k2)*y4;
  der(y5) = -(k1 + k5)*y5 + k2*(y6 + y7);
  der(y6) = -kplus*y6*y8 + k4*y4 + k1*y5 - k2*y6 + kminus*y7;
  der(y7) = kplus*y6*y8 - (k2 + kminus + kstar)*y7;
  der(y8) = -kplus*y6*y8 + (k2 + kminus + kstar)*y7;
  annotation(experiment(StopTime = 321.8122));
end Hires;
