model ThreeLags "three first-order lags in series: six equal solutions"
  parameter Real T1 = 3.2, T2 = 1.1, T3 = 0.4;
  input Real u;
  Real a(start = 0, fixed = true), b(start = 0, fixed = true), y(start = 0, fixed = true);
equation
  T1*der(a) = u - a;
  T2*der(b) = a - b;
  T3*der(y) = b - y;
end ThreeLags;
