model Kirby2 "Kirby2: quadratic by quadratic"
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1, b5 = 1;
  input Real x;
  Real y;
equation
  y = (b1 + x*(b2 + x*b3))/(1 + x*(b4 + x*b5));
end Kirby2;
