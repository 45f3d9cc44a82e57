model LinearSpring "a mass on a linear spring; the spring of the data hardens. SI units"
  parameter Real m = 1.5, c = 1.1, k = 60;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  m*der(v) = 6*sin(2.1*time) + 5*sin(4.7*time + 1) + 4*sin(8.3*time + 2) - c*v - k*x;
end LinearSpring;
