model Roszman1 "Roszman1"
  constant Real pi = 3.141592653589793;
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1;
  input Real x;
  Real y;
equation
  y = b1 - b2*x - atan(b3/(x - b4))/pi;
end Roszman1;
