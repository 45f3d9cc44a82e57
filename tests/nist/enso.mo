model Enso "ENSO: three cycles"
  constant Real pi = 3.141592653589793;
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1, b5 = 1, b6 = 1, b7 = 1, b8 = 1, b9 = 1;
  input Real x;
  Real y;
equation
  y = b1 + b2*cos(2*pi*x/12) + b3*sin(2*pi*x/12) + b5*cos(2*pi*x/b4) + b6*sin(2*pi*x/b4)
    + b8*cos(2*pi*x/b7) + b9*sin(2*pi*x/b7);
end Enso;
