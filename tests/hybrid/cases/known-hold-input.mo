// --interpolation hold
model HoldInput "an input jumps onto a limit at the time of another event"
  input Real u;
  Real x(start = 0, fixed = true);
  Boolean high = u >= 1;
  Real n = integer(time);
equation
  der(x) = if high then n else -1;
end HoldInput;
