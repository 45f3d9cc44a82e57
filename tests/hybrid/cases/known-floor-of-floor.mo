model FloorOfFloor "floor of floor of a state"
  Real x(start = 0.25, fixed = true), y(start = 0, fixed = true);
  Real n = floor(floor(x)), m = ceil(floor(x)/2);
equation
  der(x) = 1;
  der(y) = n;
end FloorOfFloor;
