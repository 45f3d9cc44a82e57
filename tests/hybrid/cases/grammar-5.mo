// --solver bdf
model Grammar5
  parameter Real p1 = 2.585;
  parameter Real p2 = 1.471;
  parameter Real p3 = -0.785;
  parameter Real p4 = 0.18;
  Real x1(start = -0.451, fixed = true);
  Real x2(start = 1, fixed = true);
  Real x3(start = 1, fixed = true);
  Real y1 = sin(p1*time);
  Boolean b2 = abs((if y1 > 0.392 then y1 - 0.392 elseif y1 <= (-0.392) then y1 + 0.392 else 0) - (-0.057)) > p2;
  Real n3 = mod(floor(2.956*y1 + p3), 3);
  Real y4 = x1;
  Real y5;
  Boolean b6 = abs(x3 - 0.694) <= 0.477;
equation
  der(x2) = (-7.21)*x1 - (0.3*x2 - (if tanh(1.368*x1) <= 0.128 then p4 else 0.816));
  der(x3) = sin(y1);
  der(x1) = x2;
  y5 + 0.499*abs(y5) = if y4 >= 0 then 1 - exp(-(1.228*tanh(y4))) else exp(1.228*tanh(y4)) - 1;
end Grammar5;
