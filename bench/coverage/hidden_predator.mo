// Predator and prey, of which only the prey is counted.
model HiddenPredator
  parameter Real growth = 0.8;
  parameter Real hunt = 0.5;
  parameter Real gain = 0.3;
  parameter Real death = 0.5;
  Real prey(start = 2, fixed = true);
  Real predator(start = 0.7, fixed = true);
equation
  der(prey) = growth*prey - hunt*prey*predator;
  der(predator) = gain*prey*predator - death*predator;
end HiddenPredator;
