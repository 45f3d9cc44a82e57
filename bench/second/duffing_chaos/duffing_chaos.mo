model DuffingChaos "a buckled beam under a shaker: chaotic motion between two rest positions"
  parameter Real d = 0.3, a = 1, b = 1, A = 0.5;
  Real x(start = 1, fixed = true), v(start = 0.2, fixed = true);
equation
  der(x) = v;
  der(v) = -d*v + a*x - b*x^3 + A*cos(1.2*time);
end DuffingChaos;
