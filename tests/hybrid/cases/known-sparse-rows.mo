model SparseRows "peaks pass a limit for a short time between rows"
  Real x(start = 1, fixed = true);
  Real n = floor(10*sin(6.97*time) + 0.3);
equation
  der(x) = 0;
end SparseRows;
