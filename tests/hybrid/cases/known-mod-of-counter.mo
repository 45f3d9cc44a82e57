model ModOfCounter "mod of a counter is never the modulus"
  Real x(start = 0, fixed = true);
  Real m = mod(floor(time), 2);
equation
  der(x) = m;
end ModOfCounter;
