// --solver rk5
model Begin3
  parameter Real p1 = 1.782;
  parameter Real p2 = 0.514;
  parameter Real p3 = -0.981;
  parameter Real p5 = 0.262;
  Real x1(start = 0.893, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = 0, fixed = true);
  Real y1;
  Real y2;
equation
  der(x2) = abs(x1 + ceil(time));
  der(x1) = (-0.1)*x1;
  y2 + 0.112*sin(y2) = p3*(x2 + 0.5*floor(time/p2)) + (-0.704)*y1;
  der(x3) = if ceil(time/0.5) >= 0.75 then 1.435 else p5;
  y1 = sin(p1*(floor(time/0.5)*x2));
end Begin3;
