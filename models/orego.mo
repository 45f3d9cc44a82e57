// Field and Noyes (1974); Test Set for IVP Solvers, problem OREGO. End 360.
model Orego "the Oregonator, a model of the Belousov-Zhabotinskii reaction, stiff and periodic"
  parameter Real s(min = 1, max = 1000) = 77.27;
  parameter Real q(min = 1e-7, max = 1e-3) = 8.375e-6;
  parameter Real w(min = 1e-3, max = 10) = 0.161;
  Real y1(start = 1, fixed = true) "HBrO2";
  Real y2(start = 2, fixed = true) "Br-";
  Real y3(start = 3, fixed = true) "Ce(IV)";
equation
  der(y1) = s*(y2 + y1*(1 - q*y1 - y2));
  der(y2) = (y3 - (1 + y1)*y2)/s;
  der(y3) = w*(y1 - y3);
  annotation(experiment(StopTime = 360));
end Orego;
