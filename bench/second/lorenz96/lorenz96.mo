model Lorenz96 "Lorenz (1996): a ring of six; every second one is measured"
  parameter Real F = 8, c = 1 "damping", s = 1 "transport";
  Real x1(start = 2, fixed = true), x2(start = 7, fixed = true), x3(start = -1, fixed = true);
  Real x4(start = 3, fixed = true), x5(start = 5, fixed = true), x6(start = 0.5, fixed = true);
equation
  der(x1) = s*x6*(x2 - x5) - c*x1 + F;
  der(x2) = s*x1*(x3 - x6) - c*x2 + F;
  der(x3) = s*x2*(x4 - x1) - c*x3 + F;
  der(x4) = s*x3*(x5 - x2) - c*x4 + F;
  der(x5) = s*x4*(x6 - x3) - c*x5 + F;
  der(x6) = s*x5*(x1 - x4) - c*x6 + F;
end Lorenz96;
