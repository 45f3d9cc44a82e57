model Cubics "Hahn1, Thurber: cubic by cubic"
  parameter Real b1 = 1, b2 = 1, b3 = 1, b4 = 1, b5 = 1, b6 = 1, b7 = 1;
  input Real x;
  Real y;
equation
  y = (b1 + x*(b2 + x*(b3 + x*b4)))/(1 + x*(b5 + x*(b6 + x*b7)));
end Cubics;
