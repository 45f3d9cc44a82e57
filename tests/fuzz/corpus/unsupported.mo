model M
  Real x[3](each start = 0), y;
  Wheel w(R = 0.3);
equation
  for i in 1:3 loop
    der(x[i]) = {1, 2, 3}[i];
  end for;
  when y > 0 then reinit(x, 1); end when;
  if y > 0 then y = w.R; else y := 2; end if;
  connect(a.p, b.n);
algorithm
  x := f(a = 1) .* 2;
end M;
