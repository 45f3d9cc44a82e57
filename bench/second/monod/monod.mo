model Monod "cells that grow on sugar in a batch; cells and sugar are measured. g/l, h"
  parameter Real mu = 0.42, Ks = 0.9, Y = 0.48, X0 = 0.12;
  Real X(start = X0, fixed = true), S(start = 9, fixed = true);
  Real growth;
equation
  growth = mu*S/(Ks + S)*X;
  der(X) = growth;
  der(S) = -growth/Y;
end Monod;
