model Bicycle2
  "2-state bicycle, simplified Magic Formula (Matz et al. eqs 26-31); D is negative in this sign convention"
  parameter Real rsteer = 0.0625, B = 10, C = 1.5, D = -8000, E = -1 "to be identified";
  parameter Real M = 2117, Iz = 3605.0281, lf = 1.353, lr = 1.487, vx = 22.222222;
  input Real u "steering-wheel angle";
  Real alpha(start = 0), psid(start = 0);
  Real af, ar, Ff, Fr;
equation
  af = alpha + lf*psid/vx - rsteer*u;
  ar = alpha - lr*psid/vx;
  Ff = D*sin(C*atan((1 - E)*B*af + E*atan(B*af)));
  Fr = D*sin(C*atan((1 - E)*B*ar + E*atan(B*ar)));
  der(alpha) = (Ff + Fr)/(M*vx) - psid;
  der(psid) = (lf*Ff - lr*Fr)/Iz;
end Bicycle2;
