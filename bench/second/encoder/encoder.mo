model Encoder "a turntable against a spring, seen by an encoder of few lines"
  parameter Real w2(unit = "1/s2") = 19, d(unit = "1/s") = 0.7, K = 3.4;
  Real p(start = 0, fixed = true, unit = "rad"), w(start = 0, fixed = true, unit = "rad/s");
equation
  der(p) = w;
  der(w) = -w2*p - d*w + K*(sin(1.9*time) + sin(3.3*time + 0.7));
end Encoder;
