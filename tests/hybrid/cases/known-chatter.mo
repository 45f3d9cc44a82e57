// --stop 2
model Toggle "a discrete variable that contradicts itself"
  Real x(start = 0, fixed = true);
  Boolean b(start = false, fixed = true);
equation
  der(x) = 1;
  b = if x > 0.5 then not pre(b) else false;
end Toggle;
