model PredatorPrey "prey counted, predators not"
  parameter Real r = 0.9, a = 0.45, e = 0.28, q = 0.7;
  Real prey(start = 3, fixed = true), predator(start = 1.2, fixed = true);
equation
  der(prey) = r*prey - a*prey*predator;
  der(predator) = e*prey*predator - q*predator;
end PredatorPrey;
