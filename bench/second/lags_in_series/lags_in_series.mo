model LagsInSeries "two first-order lags one behind the other: their time constants can be exchanged"
  parameter Real T1(unit = "s") = 2.1, T2(unit = "s") = 0.6;
  input Real u;
  Real a(start = 0, fixed = true), y(start = 0, fixed = true);
equation
  T1*der(a) = u - a;
  T2*der(y) = a - y;
end LagsInSeries;
