model MissingFriction "a torsion pendulum with viscous damping; that of the data also has dry friction"
  parameter Real w2(unit = "1/s2") = 12, d(unit = "1/s") = 0.08;
  Real th(start = 1, fixed = true, unit = "rad"), w(start = 0, fixed = true, unit = "rad/s");
equation
  der(th) = w;
  der(w) = -w2*th - d*w;
end MissingFriction;
