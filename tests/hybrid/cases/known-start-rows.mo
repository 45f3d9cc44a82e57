model StartRows "the row at the start is literal, later rows show the value after an event"
  Real x(start = 0, fixed = true);
  Boolean begun = time > 0, first = time <= 0, later = time > 1, moved = x > 0;
  Real s = sign(time), c = ceil(time), m = if begun then 2 else 1;
equation
  der(x) = m;
end StartRows;
