// Den Hartog (1931), Transactions of the ASME 53:107-115: forced vibration with Coulomb friction.
// At the parameters below the mass never sticks. With F0 = 0 it is released and comes to rest: sign(v) then chatters.
model FrictionOscillator "a mass on a spring with dry friction, driven by a cosine force"
  parameter Real m(min = 0.01, max = 100, unit = "kg") = 1 "mass";
  parameter Real k(min = 0, max = 1000, unit = "N/m") = 10 "stiffness";
  parameter Real mu(min = 0, max = 2) = 0.1 "coefficient of friction";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  parameter Real F0(unit = "N") = 5 "amplitude of the force";
  parameter Real omega(unit = "rad/s") = 2 "its angular frequency";
  Real x(start = 1, fixed = true, unit = "m") "displacement";
  Real v(start = 0, fixed = true, unit = "m/s") "velocity";
equation
  der(x) = v;
  m*der(v) = -k*x - mu*m*g*sign(v) + F0*cos(omega*time);
  annotation(experiment(StopTime = 20, Interval = 0.05));
end FrictionOscillator;
