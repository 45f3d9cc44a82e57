model DanWood "DanWood"
  parameter Real b1 = 1, b2 = 1;
  input Real x;
  Real y;
equation
  y = b1*x^b2;
end DanWood;
