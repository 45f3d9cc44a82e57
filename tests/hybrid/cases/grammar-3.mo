model Grammar3
  parameter Real p1 = 0.982;
  parameter Real p2 = 0.291;
  parameter Real p3 = 1.26;
  parameter Real p5 = -0.793;
  Real x1(start = 0.5, fixed = true);
  Real x2(start = p1, fixed = true);
  Real x3(start = -0.409, fixed = true);
  Real y1;
  Real y2;
  Real y3 = x2;
  Real y4 = sin(2.439*time);
  Boolean b5 = tanh(1.154*y2) > (-0.184);
  Real y6 = mod(ceil(time/1)*sin(0.539*time), 2);
equation
  der(x3) = (-2.29)*x2 - (0.3*x3 - (if (if y4 >= 0 then 1 - exp(-(1.86*tanh(y4))) else exp(1.86*tanh(y4)) - 1) > 0.19 then -0.415 else -0.469));
  der(x1) = (-0.98)*x1 + (if integer(time/0.5) - floor(time/0.75) <= 0 then p5 else -0.682);
  y2 = ceil(time/0.959)*max(-1, min(1, p3*x3));
  der(x2) = x3;
  y1 + p2*sin(y1) = floor(time/0.75)*x1;
end Grammar3;
