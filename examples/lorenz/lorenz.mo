// Lorenz (1963), Journal of the Atmospheric Sciences 20:130-141.
model Lorenz "the Lorenz system, chaotic at the usual parameters"
  parameter Real sigma(min = 2, max = 50) = 10 "Prandtl number";
  parameter Real rho(min = 5.6, max = 140) = 28 "Rayleigh number over its critical value";
  parameter Real beta(min = 0.5, max = 13.5) = 8/3 "geometry";
  Real x(start = 1, fixed = true) "intensity of the convection";
  Real y(start = 1, fixed = true) "temperature difference of the streams";
  Real z(start = 1, fixed = true) "distortion of the temperature profile";
equation
  der(x) = sigma*(y - x);
  der(y) = x*(rho - z) - y;
  der(z) = x*y - beta*z;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end Lorenz;
