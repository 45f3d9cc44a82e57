// --solver rk8
model Converter1
  parameter Real p1 = 1.088;
  parameter Real p2 = 2.529;
  parameter Real p3 = -0.202;
  parameter Real p4 = 0.31;
  parameter Real p5 = 0.72;
  Real x1(start = -0.583, fixed = true);
  Real x2(start = 1, fixed = true);
  Real y1;
  Real n2 = 0.125*integer(floor(y1/0.125 + 0.5));
  Real y3 = x1 + (-1)*n2;
  Real y4;
  Real n5;
  Real y6;
  Real y7;
  Real y8;
  Real y9;
equation
  y8 + p4*sin(y8) = min(y4 - p5, -0.456);
  y7 = 0.41*y6 + y4;
  y4 = mod(sin(p2*time), 1);
  der(x1) = p1*n2;
  der(x2) = sin(if y9 > 0.387 then y9 - 0.387 elseif y9 <= (-0.387) then y9 + 0.387 else 0);
  y9 = (-0.138)*sin(2.422*time) + (-0.447)*cos(2.702*time);
  y6 = n5*y7 + y3;
  n5 = if y3 <= (if sin(1.288*time) > 1.366 then p3 else 1.615) then 0.5 else -0.25;
  y1 = 1.017 - x1;
end Converter1;
