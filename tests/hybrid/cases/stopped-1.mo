// --solver rosenbrock
model M92
  parameter Real m1 = 1.361;
  parameter Real A1 = 4.963;
  parameter Real om1 = 2.327;
  parameter Real F1 = 0.923;
  parameter Real L3 = 1.496;
  parameter Real e = 0.472;
  parameter Real L1 = 1.453;
  parameter Real m2 = 1.088;
  parameter Real F2 = 1.375;
  parameter Real F3 = 0.938;
  Real x1(start = -0.163, fixed = true);
  Real v1(start = -0.579, fixed = true);
  Real x2(start = 0.01, fixed = true);
  Real v2(start = 0.719, fixed = true);
  Real s1;
  Real w2;
  Real s2;
  Real s3;
  Real f_v1;
equation
  s3 = (if v2 > 0 then 1 elseif v2 < 0 then -1 else 0);
  der(v2) = 0.0 + ((F2*(1 + 0.5*exp(-(v1 + (-1)*v2)*(v1 + (-1)*v2)/0.3)))/m2)*s2 + (-(F3*(1 + 0.5*exp(-(v2)*(v2)/0.3)))/m2)*s3;
  2*der(v1) + f_v1 = 2*((A1*sin(om1*time))/m1) - f_v1;
  der(x2) = v2;
  der(x1) = v1;
  w2 = v1 + (-1)*v2;
  s2 = sign(w2);
  f_v1 + 0.5*(der(v1) - ((A1*sin(om1*time))/m1)) = -0.5*((-(F1)/m1)*s1 + (-(F2*(1 + 0.5*exp(-(v1 + (-1)*v2)*(v1 + (-1)*v2)/0.3)))/m1)*s2);
  s1 = sign(v1);
  when {x1 > L3, x1 < -L1} then reinit(v1, -e*pre(v1)); end when;
end M92;
