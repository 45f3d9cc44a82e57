model DrivenPendulum "a pendulum with a motor that swings it beyond the top: chaotic"
  parameter Real d = 0.5, w2 = 1, A = 1.2;
  Real th(start = 0.4, fixed = true), w(start = 0, fixed = true);
equation
  der(th) = w;
  der(w) = -d*w - w2*sin(th) + A*cos(2/3*time);
end DrivenPendulum;
