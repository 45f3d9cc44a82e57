model TyreCurve "side force of a tyre on a test rig: magic formula behind a relaxation length"
  parameter Real B = 9.5, C = 1.45, D(unit = "kN") = 3.9, len(unit = "m") = 0.42;
  parameter Real u(unit = "m/s") = 8;
  Real s(start = 0, fixed = true) "slip angle that the tread feels, rad";
  output Real Fy(unit = "kN");
equation
  der(s) = u/len*(0.2*sin(2.6*time)*(1 - exp(-time)) - s);
  Fy = D*sin(C*atan(B*s));
end TyreCurve;
