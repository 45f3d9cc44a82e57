// --solver rk8
model Waves2
  parameter Real p1 = 0.991;
  parameter Real p2 = -0.394;
  Real x1(start = p1, fixed = true);
  Real n1;
equation
  der(x1) = if x1 < (-0.808) then p2 else -0.726;
  n1 = ceil(10*cos(4.086*time) + 0.185);
end Waves2;
