model FloorOfChoice "floor of a quantity that is constant between events"
  Real x(start = 0, fixed = true);
  Real n = floor(if time < 0.5 then 5 else 2), m = integer(floor(time));
equation
  der(x) = n - m;
end FloorOfChoice;
