model StiffKinetics "Robertson (1966); the middle one in 1e-5. Time in s"
  parameter Real k1 = 0.04, k2 = 3e7, k3 = 1e4;
  Real a(start = 1, fixed = true), b(start = 0, fixed = true, nominal = 1e-5), c(start = 0, fixed = true);
equation
  der(a) = -k1*a + k3*b*c;
  der(b) = k1*a - k3*b*c - k2*b^2;
  der(c) = k2*b^2;
end StiffKinetics;
