// --solver bdf
model Waves3
  parameter Real p1 = 5.125;
  parameter Real p2 = 1.331;
  Real n1 = floor(10*sin(6.682*time) + 0.208);
  Boolean b2;
equation
  b2 = 3*sin(p1*time) + (-0.109) < p2;
end Waves3;
