model Isolator "a machine on an isolator with hysteresis (Bouc and Wen) over a moving floor; the deflection is measured. m, s"
  parameter Real k = 90, share = 0.3 "elastic share", c = 0.5, zy = 0.03 "yield";
  Real x(start = 0, fixed = true), v(start = 0, fixed = true), h(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -c*v - share*k*x - (1 - share)*k*h - 2.5*sin(4.1*time)*(1 - exp(-time)) - 1.6*sin(7.7*time + 1);
  der(h) = v - (0.6*abs(v)*h + 0.4*v*abs(h))/zy;
end Isolator;
