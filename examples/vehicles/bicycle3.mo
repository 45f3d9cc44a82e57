model Bicycle3 "planar 3-DOF bicycle, 4-parameter tyre, homotopy coupling (lambda = 0: plain model)"
  parameter Real Along = 100, Blong = 100, Alat = 1, Blat = 1 "to be identified";
  parameter Real lambda = 0, K = 0.5 "homotopy";
  parameter Real m = 2117, g = 9.81, df = 1.353, dr = 1.487, R = 0.330;
  parameter Real Iz = 3500 + 10*(2*df^2 + 2*dr^2 + 2*0.760^2 + 2*0.795^2) "= 3605.0281";
  parameter Real Fz = m*g/2 "per axle";
  input Real delta "front steer angle", wF, wR "average front / rear wheel speeds (measured)", xe, ye,
    psie "measured positions and yaw";
  Real x(start = 0), y(start = 0), psi(start = 0), vX(start = 4), vY(start = 0), om(start = 0);
  Real u, v, vyf, xwf, ywf, ywr, sF, sR, aF, aR, FxF, FxR, FyF, FyR, Fxb, Fyb;
equation
  u = vX*cos(psi) + vY*sin(psi);
  v = -vX*sin(psi) + vY*cos(psi);
  vyf = v + df*om;
  xwf = u*cos(delta) + vyf*sin(delta);
  ywf = -u*sin(delta) + vyf*cos(delta);
  ywr = v - dr*om;
  sF = 1 - xwf/(R*wF);
  sR = 1 - u/(R*wR);
  aF = atan(ywf/xwf);
  aR = atan(ywr/u);
  FxF = Along*Fz*(if sF >= 0 then 1 - exp(-Blong*sF) else exp(Blong*sF) - 1);
  FxR = Along*Fz*(if sR >= 0 then 1 - exp(-Blong*sR) else exp(Blong*sR) - 1);
  FyF = -Alat*Fz*(if aF >= 0 then 1 - exp(-Blat*aF) else exp(Blat*aF) - 1);
  FyR = -Alat*Fz*(if aR >= 0 then 1 - exp(-Blat*aR) else exp(Blat*aR) - 1);
  Fxb = FxF*cos(delta) - FyF*sin(delta) + FxR;
  Fyb = FxF*sin(delta) + FyF*cos(delta) + FyR;
  der(x) = vX + lambda*K*(xe - x);
  der(y) = vY + lambda*K*(ye - y);
  der(psi) = om + lambda*K*(psie - psi);
  der(vX) = (Fxb*cos(psi) - Fyb*sin(psi))/m + lambda*K*(xe - x);
  der(vY) = (Fxb*sin(psi) + Fyb*cos(psi))/m + lambda*K*(ye - y);
  der(om) = (df*(FxF*sin(delta) + FyF*cos(delta)) - dr*FyR)/Iz + lambda*K*(psie - psi);
end Bicycle3;
