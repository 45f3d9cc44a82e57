// van der Pol (1926); Test Set for IVP Solvers, problem VDPOL, in the scaling with mu = 1000. End 2000.
model VanDerPolStiff "the van der Pol oscillator with slow parts and sudden jumps"
  parameter Real mu(min = 1, max = 1e5) = 1000;
  Real y1(start = 2, fixed = true);
  Real y2(start = 0, fixed = true);
equation
  der(y1) = y2;
  der(y2) = mu*(1 - y1^2)*y2 - y1;
  annotation(experiment(StopTime = 2000));
end VanDerPolStiff;
