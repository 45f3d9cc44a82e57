model StartEvent "an event at the start does not change what the start value does"
  parameter Real p = 0.5;
  Real x(start = p, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = 0.1;
  der(y) = floor(x + sign(time));
end StartEvent;
