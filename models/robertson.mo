// Robertson (1966); Test Set for IVP Solvers, problem ROBER. End 1e11.
model Robertson "an autocatalytic reaction, very stiff"
  parameter Real k1(min = 1e-3, max = 1) = 0.04 "A -> B";
  parameter Real k2(min = 1e6, max = 1e9) = 3e7 "B + B -> C + B";
  parameter Real k3(min = 1e2, max = 1e6) = 1e4 "B + C -> A + C";
  Real y1(start = 1, fixed = true) "concentration of A";
  Real y2(start = 0, fixed = true, nominal = 1e-5) "concentration of B";
  Real y3(start = 0, fixed = true) "concentration of C";
equation
  der(y1) = -k1*y1 + k3*y2*y3;
  der(y2) = k1*y1 - k3*y2*y3 - k2*y2^2;
  der(y3) = k2*y2^2;
  annotation(experiment(StopTime = 1e11));
end Robertson;
