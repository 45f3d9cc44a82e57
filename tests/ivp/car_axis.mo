// The axis of a car on a bumpy road: two masses on springs of stiffness 1/eps^2 above the wheels, the left wheel at rest, the right
// one moved; distances kept by two constraints, one of which depends on time. Index 3.
// Schneider (1999); Mazzia and Magherini, Test Set for IVP Solvers, release 2.4.
model CarAxis "index-3 model of a car axis"
  parameter Real eps = 0.01;
  parameter Real M = 10;
  parameter Real L = 1;
  parameter Real L0 = 0.5;
  parameter Real r = 0.1 "height of the bumps";
  parameter Real w = 10 "their frequency";
  parameter Real g = 1;
  parameter Real K = eps^2*M/2 "scaled mass";
  Real xl(start = 0), yl(start = 0.5, fixed = true) "left end";
  Real xr(start = 1), yr(start = 0.5, fixed = true) "right end";
  Real vxl(start = -0.5), vyl(start = 0, fixed = true);
  Real vxr(start = -0.5), vyr(start = 0, fixed = true);
  Real lambda1, lambda2;
  Real yb = r*sin(w*time) "the right wheel";
  Real xb = sqrt(L^2 - yb^2);
  Real Ll = sqrt(xl^2 + yl^2);
  Real Lr = sqrt((xr - xb)^2 + (yr - yb)^2);
equation
  der(xl) = vxl;
  der(yl) = vyl;
  der(xr) = vxr;
  der(yr) = vyr;
  K*der(vxl) = (L0 - Ll)*xl/Ll + lambda1*xb + 2*lambda2*(xl - xr);
  K*der(vyl) = (L0 - Ll)*yl/Ll + lambda1*yb + 2*lambda2*(yl - yr) - K*g;
  K*der(vxr) = (L0 - Lr)*(xr - xb)/Lr - 2*lambda2*(xl - xr);
  K*der(vyr) = (L0 - Lr)*(yr - yb)/Lr - 2*lambda2*(yl - yr) - K*g;
  xl*xb + yl*yb = 0;
  (xl - xr)^2 + (yl - yr)^2 = L^2;
end CarAxis;
