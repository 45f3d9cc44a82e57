// Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I; Test Set for IVP Solvers, problem PLEI. End 3.
model Pleiades "seven stars in a plane that attract each other and nearly collide"
  parameter Real G(min = 0, max = 10) = 1 "constant of gravity";
  parameter Real m1(min = 0, max = 20) = 1 "mass of star 1";
  parameter Real m2(min = 0, max = 20) = 2 "mass of star 2";
  parameter Real m3(min = 0, max = 20) = 3 "mass of star 3";
  parameter Real m4(min = 0, max = 20) = 4 "mass of star 4";
  parameter Real m5(min = 0, max = 20) = 5 "mass of star 5";
  parameter Real m6(min = 0, max = 20) = 6 "mass of star 6";
  parameter Real m7(min = 0, max = 20) = 7 "mass of star 7";
  Real x1(start = 3, fixed = true) "first coordinate of star 1";
  Real x2(start = 3, fixed = true) "first coordinate of star 2";
  Real x3(start = -1, fixed = true) "first coordinate of star 3";
  Real x4(start = -3, fixed = true) "first coordinate of star 4";
  Real x5(start = 2, fixed = true) "first coordinate of star 5";
  Real x6(start = -2, fixed = true) "first coordinate of star 6";
  Real x7(start = 2, fixed = true) "first coordinate of star 7";
  Real y1(start = 3, fixed = true) "second coordinate of star 1";
  Real y2(start = -3, fixed = true) "second coordinate of star 2";
  Real y3(start = 2, fixed = true) "second coordinate of star 3";
  Real y4(start = 0, fixed = true) "second coordinate of star 4";
  Real y5(start = 0, fixed = true) "second coordinate of star 5";
  Real y6(start = -4, fixed = true) "second coordinate of star 6";
  Real y7(start = 4, fixed = true) "second coordinate of star 7";
  Real u1(start = 0, fixed = true) "rate of x of star 1";
  Real u2(start = 0, fixed = true) "rate of x of star 2";
  Real u3(start = 0, fixed = true) "rate of x of star 3";
  Real u4(start = 0, fixed = true) "rate of x of star 4";
  Real u5(start = 0, fixed = true) "rate of x of star 5";
  Real u6(start = 1.75, fixed = true) "rate of x of star 6";
  Real u7(start = -1.5, fixed = true) "rate of x of star 7";
  Real v1(start = 0, fixed = true) "rate of y of star 1";
  Real v2(start = 0, fixed = true) "rate of y of star 2";
  Real v3(start = 0, fixed = true) "rate of y of star 3";
  Real v4(start = -1.25, fixed = true) "rate of y of star 4";
  Real v5(start = 1, fixed = true) "rate of y of star 5";
  Real v6(start = 0, fixed = true) "rate of y of star 6";
  Real v7(start = 0, fixed = true) "rate of y of star 7";
  Real d12 "cube of the distance of stars 1 and 2";
  Real d13 "cube of the distance of stars 1 and 3";
  Real d14 "cube of the distance of stars 1 and 4";
  Real d15 "cube of the distance of stars 1 and 5";
  Real d16 "cube of the distance of stars 1 and 6";
  Real d17 "cube of the distance of stars 1 and 7";
  Real d23 "cube of the distance of stars 2 and 3";
  Real d24 "cube of the distance of stars 2 and 4";
  Real d25 "cube of the distance of stars 2 and 5";
  Real d26 "cube of the distance of stars 2 and 6";
  Real d27 "cube of the distance of stars 2 and 7";
  Real d34 "cube of the distance of stars 3 and 4";
  Real d35 "cube of the distance of stars 3 and 5";
  Real d36 "cube of the distance of stars 3 and 6";
  Real d37 "cube of the distance of stars 3 and 7";
  Real d45 "cube of the distance of stars 4 and 5";
  Real d46 "cube of the distance of stars 4 and 6";
  Real d47 "cube of the distance of stars 4 and 7";
  Real d56 "cube of the distance of stars 5 and 6";
  Real d57 "cube of the distance of stars 5 and 7";
  Real d67 "cube of the distance of stars 6 and 7";
equation
  d12 = ((x1 - x2)^2 + (y1 - y2)^2)^(3/2);
  d13 = ((x1 - x3)^2 + (y1 - y3)^2)^(3/2);
  d14 = ((x1 - x4)^2 + (y1 - y4)^2)^(3/2);
  d15 = ((x1 - x5)^2 + (y1 - y5)^2)^(3/2);
  d16 = ((x1 - x6)^2 + (y1 - y6)^2)^(3/2);
  d17 = ((x1 - x7)^2 + (y1 - y7)^2)^(3/2);
  d23 = ((x2 - x3)^2 + (y2 - y3)^2)^(3/2);
  d24 = ((x2 - x4)^2 + (y2 - y4)^2)^(3/2);
  d25 = ((x2 - x5)^2 + (y2 - y5)^2)^(3/2);
  d26 = ((x2 - x6)^2 + (y2 - y6)^2)^(3/2);
  d27 = ((x2 - x7)^2 + (y2 - y7)^2)^(3/2);
  d34 = ((x3 - x4)^2 + (y3 - y4)^2)^(3/2);
  d35 = ((x3 - x5)^2 + (y3 - y5)^2)^(3/2);
  d36 = ((x3 - x6)^2 + (y3 - y6)^2)^(3/2);
  d37 = ((x3 - x7)^2 + (y3 - y7)^2)^(3/2);
  d45 = ((x4 - x5)^2 + (y4 - y5)^2)^(3/2);
  d46 = ((x4 - x6)^2 + (y4 - y6)^2)^(3/2);
  d47 = ((x4 - x7)^2 + (y4 - y7)^2)^(3/2);
  d56 = ((x5 - x6)^2 + (y5 - y6)^2)^(3/2);
  d57 = ((x5 - x7)^2 + (y5 - y7)^2)^(3/2);
  d67 = ((x6 - x7)^2 + (y6 - y7)^2)^(3/2);
  der(x1) = u1;
  der(x2) = u2;
  der(x3) = u3;
  der(x4) = u4;
  der(x5) = u5;
  der(x6) = u6;
  der(x7) = u7;
  der(y1) = v1;
  der(y2) = v2;
  der(y3) = v3;
  der(y4) = v4;
  der(y5) = v5;
  der(y6) = v6;
  der(y7) = v7;
  der(u1) = G*(m2*(x2 - x1)/d12 + m3*(x3 - x1)/d13 + m4*(x4 - x1)/d14 +
    m5*(x5 - x1)/d15 + m6*(x6 - x1)/d16 + m7*(x7 - x1)/d17);
  der(u2) = G*(m1*(x1 - x2)/d12 + m3*(x3 - x2)/d23 + m4*(x4 - x2)/d24 +
    m5*(x5 - x2)/d25 + m6*(x6 - x2)/d26 + m7*(x7 - x2)/d27);
  der(u3) = G*(m1*(x1 - x3)/d13 + m2*(x2 - x3)/d23 + m4*(x4 - x3)/d34 +
    m5*(x5 - x3)/d35 + m6*(x6 - x3)/d36 + m7*(x7 - x3)/d37);
  der(u4) = G*(m1*(x1 - x4)/d14 + m2*(x2 - x4)/d24 + m3*(x3 - x4)/d34 +
    m5*(x5 - x4)/d45 + m6*(x6 - x4)/d46 + m7*(x7 - x4)/d47);
  der(u5) = G*(m1*(x1 - x5)/d15 + m2*(x2 - x5)/d25 + m3*(x3 - x5)/d35 +
    m4*(x4 - x5)/d45 + m6*(x6 - x5)/d56 + m7*(x7 - x5)/d57);
  der(u6) = G*(m1*(x1 - x6)/d16 + m2*(x2 - x6)/d26 + m3*(x3 - x6)/d36 +
    m4*(x4 - x6)/d46 + m5*(x5 - x6)/d56 + m7*(x7 - x6)/d67);
  der(u7) = G*(m1*(x1 - x7)/d17 + m2*(x2 - x7)/d27 + m3*(x3 - x7)/d37 +
    m4*(x4 - x7)/d47 + m5*(x5 - x7)/d57 + m6*(x6 - x7)/d67);
  der(v1) = G*(m2*(y2 - y1)/d12 + m3*(y3 - y1)/d13 + m4*(y4 - y1)/d14 +
    m5*(y5 - y1)/d15 + m6*(y6 - y1)/d16 + m7*(y7 - y1)/d17);
  der(v2) = G*(m1*(y1 - y2)/d12 + m3*(y3 - y2)/d23 + m4*(y4 - y2)/d24 +
    m5*(y5 - y2)/d25 + m6*(y6 - y2)/d26 + m7*(y7 - y2)/d27);
  der(v3) = G*(m1*(y1 - y3)/d13 + m2*(y2 - y3)/d23 + m4*(y4 - y3)/d34 +
    m5*(y5 - y3)/d35 + m6*(y6 - y3)/d36 + m7*(y7 - y3)/d37);
  der(v4) = G*(m1*(y1 - y4)/d14 + m2*(y2 - y4)/d24 + m3*(y3 - y4)/d34 +
    m5*(y5 - y4)/d45 + m6*(y6 - y4)/d46 + m7*(y7 - y4)/d47);
  der(v5) = G*(m1*(y1 - y5)/d15 + m2*(y2 - y5)/d25 + m3*(y3 - y5)/d35 +
    m4*(y4 - y5)/d45 + m6*(y6 - y5)/d56 + m7*(y7 - y5)/d57);
  der(v6) = G*(m1*(y1 - y6)/d16 + m2*(y2 - y6)/d26 + m3*(y3 - y6)/d36 +
    m4*(y4 - y6)/d46 + m5*(y5 - y6)/d56 + m7*(y7 - y6)/d67);
  der(v7) = G*(m1*(y1 - y7)/d17 + m2*(y2 - y7)/d27 + m3*(y3 - y7)/d37 +
    m4*(y4 - y7)/d47 + m5*(y5 - y7)/d57 + m6*(y6 - y7)/d67);
  annotation(experiment(StopTime = 3));
end Pleiades;
