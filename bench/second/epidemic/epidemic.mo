model Epidemic "SEIR; the infectious share is counted once a day. Time in days"
  parameter Real beta = 0.62, inc = 0.31, rec = 0.19, I0 = 4e-4;
  Real S(start = 1 - I0, fixed = true), E(start = 0, fixed = true), I(start = I0, fixed = true);
  output Real percent;
equation
  der(S) = -beta*S*I;
  der(E) = beta*S*I - inc*E;
  der(I) = inc*E - rec*I;
  percent = 100*I;
end Epidemic;
