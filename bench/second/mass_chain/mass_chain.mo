model MassChain "five masses in a row between springs; the first and the fourth are measured"
  parameter Real k1(unit = "N/m") = 30, k3(unit = "N/m") = 55, k5(unit = "N/m") = 18 "springs; 2, 4 and 6 are known";
  parameter Real d(unit = "N.s/m") = 0.25 "damping between neighbours";
  parameter Real k2(unit = "N/m") = 40, k4(unit = "N/m") = 35, k6(unit = "N/m") = 25;
  Real x1(start = 0, fixed = true), v1(start = 0, fixed = true), x2(start = 0, fixed = true), v2(start = 0, fixed = true);
  Real x3(start = 0, fixed = true), v3(start = 0, fixed = true), x4(start = 0, fixed = true), v4(start = 0, fixed = true);
  Real x5(start = 0, fixed = true), v5(start = 0, fixed = true);
  Real F1, F2, F3, F4, F5, F6 "N, in the springs";
equation
  F1 = k1*x1 + d*v1;
  F2 = k2*(x2 - x1) + d*(v2 - v1);
  F3 = k3*(x3 - x2) + d*(v3 - v2);
  F4 = k4*(x4 - x3) + d*(v4 - v3);
  F5 = k5*(x5 - x4) + d*(v5 - v4);
  F6 = -k6*x5 - d*v5;
  der(x1) = v1;
  der(x2) = v2;
  der(x3) = v3;
  der(x4) = v4;
  der(x5) = v5;
  der(v1) = F2 - F1 + 5*sin(2.3*time) + 4*sin(7.1*time);
  der(v2) = F3 - F2;
  der(v3) = F4 - F3;
  der(v4) = F5 - F4;
  der(v5) = F6 - F5;
end MassChain;
