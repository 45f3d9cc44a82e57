model SpikingCell "Morris and Lecar (1981): a barnacle muscle fibre that fires; only the voltage is measured. ms, mV, uA/cm2"
  parameter Real gCa = 4.4, gK = 8, phi = 0.04;
  parameter Real gL = 2, C = 20, current = 95;
  Real V(start = -30, fixed = true), n(start = 0.05, fixed = true);
  Real m, ninf, rate;
equation
  m = 0.5*(1 + tanh((V + 1.2)/18));
  ninf = 0.5*(1 + tanh((V - 2)/30));
  rate = phi*cosh((V - 2)/60);
  C*der(V) = current - gCa*m*(V - 120) - gK*n*(V + 84) - gL*(V + 60);
  der(n) = rate*(ninf - n);
end SpikingCell;
