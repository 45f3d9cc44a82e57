model KnownStictionPendulum "a joint with friction in a mechanism with a constraint, which holds up to some tolerances"
  parameter Real Tc = 0.5, Ts = 1.2, g = 9.81;
  Real x(start = 0.6), y(start = -0.8), vx, vy, lam, w, T, load;
equation
  der(x) = vx;
  der(y) = vy;
  w = x*vy - y*vx;
  load = -g*x + 3*sin(1.3*time);
  T = if w > 0 then Tc elseif w < 0 then -Tc else max(-Ts, min(Ts, load));
  der(vx) = -lam*x - y*(3*sin(1.3*time) - T);
  der(vy) = -lam*y - g + x*(3*sin(1.3*time) - T);
  x^2 + y^2 = 1;
initial equation
  x = 0.6;
  w = 0;
end KnownStictionPendulum;
