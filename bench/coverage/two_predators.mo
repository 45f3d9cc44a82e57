// Two predators of one prey, which the first hunts better when it is rare. The second predator is hidden.
model TwoPredators
  parameter Real growth = 1;
  parameter Real capacity = 4;
  parameter Real hunt1 = 0.9;
  parameter Real hunt2 = 0.7;
  parameter Real death1 = 0.45;
  parameter Real death2 = 0.6;
  Real prey(start = 1.5, fixed = true);
  Real first(start = 0.4, fixed = true);
  Real second(start = 0.6, fixed = true);
equation
  der(prey) = growth*prey*(1 - prey/capacity) - hunt1*prey*first - hunt2*prey*second;
  der(first) = 0.5*hunt1*prey*first - death1*first;
  der(second) = 0.8*hunt2*prey*second - death2*second;
end TwoPredators;
