model StickSlip "a block on a belt, held by a spring: friction that falls with the speed makes it stick and slip. SI units"
  parameter Real k = 22, Fs = 2.6 "friction at rest", Fc = 1.5 "friction in motion", vs = 0.25 "where it falls";
  parameter Real m = 1, belt = 0.2;
  Real x(start = 0, fixed = true), v(start = 0.1, fixed = true);
  Real slip;
equation
  slip = belt - v;
  der(x) = v;
  m*der(v) = (Fc + (Fs - Fc)*exp(-(slip/vs)^2))*tanh(slip/0.01) - k*x - 0.3*v;
end StickSlip;
