model Redundant "the same damper with one number too many: Dahl's friction as a case of Bouc and Wen's. mm, s, N"
  parameter Real Kx = 0.8 "viscous", k = 0 "N/mm: gas", f0 = 0 "N";
  parameter Real alpha = 60, A = 50, beta = 50 "1/mm: force, stiffness and yielding of the hysteresis";
  parameter Real z0 = 0 "state of the hysteresis at the start, of its largest value";
  input Real v "mm/s, of the rod";
  Real x(start = 0, fixed = true), z(start = z0*A/beta, fixed = true), F;
equation
  der(x) = v;
  der(z) = A*v - beta*abs(v)*z;
  F = Kx*v + k*x + alpha*z + f0;
end Redundant;
