// --solver rk5
model Waves1
  parameter Real p1 = 4.311;
  parameter Real p2 = 9.325;
  parameter Real p3 = -0.456;
  Real n1;
  Real n2;
equation
  n2 = floor(1*sin(p2*time) + p3);
  n1 = integer(1*(cos(p1*time)*sin(0.357*time)) + 0.357);
end Waves1;
