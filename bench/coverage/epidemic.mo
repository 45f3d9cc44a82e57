// An epidemic in fractions of the people: susceptible, exposed, infectious. Only the infectious are counted.
model Epidemic
  parameter Real contact = 0.6;
  parameter Real outbreak = 0.25;
  parameter Real recovery = 0.2;
  Real s(start = 0.98, fixed = true);
  Real e(start = 0.01, fixed = true);
  Real i(start = 0.01, fixed = true);
equation
  der(s) = -contact*s*i;
  der(e) = contact*s*i - outbreak*e;
  der(i) = outbreak*e - recovery*i;
end Epidemic;
