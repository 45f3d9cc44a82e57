// Manikantan, Chakraborty, Uchida, Vyasarayani (2020), journal Mathematics, section 3.2, tables 4 and 5: the equations as
// they stand there, with the massless point x2 and the force L of its lever, before anything is eliminated.
// Units: N, mm, s, but masses in kg and g in m/s2; the published figures come from this mixture.
model MountDaePublished "a hydraulic engine mount as a differential-algebraic system, as published"
  constant Real pi = 3.141592653589793;
  parameter Real mL = 20 "mass of the engine";
  parameter Real mM = 0.002 "mass of the membrane";
  parameter Real mH = 0.0019 "mass of the fluid in the channel";
  parameter Real g = 9.81 "gravity";
  parameter Real cH = 375 "stiffness of the fluid chamber, N/mm";
  parameter Real dH1 = 0.8e-4 "linear damping in the channel, N.s/mm";
  parameter Real cM = 9 "stiffness of the membrane, N/mm";
  parameter Real dM = 0.01 "damping of the membrane, N.s/mm";
  parameter Real a = 95 "lever arm of the channel, mm";
  parameter Real b = 3.6 "lever arm of the membrane, mm";
  parameter Real dH2(min = 1e-13, max = 5) = 2e-9 "cubic damping in the channel, N.s3/mm3";
  parameter Real cE1(min = 1, max = 200) = 123 "linear stiffness of the elastomer, N/mm";
  parameter Real cE2(min = 0.1, max = 20) = 2.5 "cubic stiffness of the elastomer, N/mm3";
  parameter Real dE(min = 1e-6, max = 5) = 5e-3 "damping of the elastomer, N.s/mm";
  Real x1(start = 0, fixed = true) "displacement of the engine, measured, mm";
  Real v1(start = 0, fixed = true) "velocity of the engine";
  Real x2 "displacement of the massless point of the lever, mm";
  Real x3(start = 0, fixed = true) "displacement of the membrane, mm";
  Real v3(start = 0, fixed = true) "velocity of the membrane";
  Real x4(start = 0, fixed = true) "displacement of the fluid, mm";
  Real v4(start = 0, fixed = true) "velocity of the fluid";
  Real L "multiplier of the lever, N/mm";
  Real F "force of the engine, a sweep from 0 to 500 Hz in 5 s, N";
equation
  F = 100*sin(4*pi*25*time*time);
  der(x1) = v1;
  der(x3) = v3;
  der(x4) = v4;
  mL*der(v1) = F + mL*g - cE1*x1 - cE2*x1^3 - dE*v1 - cH*(x1 - x2);
  (a + b)*L = cH*(x1 - x2);
  mM*der(v3) = b*L - cM*x3 - dM*v3;
  mH*der(v4) = a*L - dH1*v4 - dH2*v4^3;
  x2*(a + b) = b*x3 + a*x4;
  annotation(experiment(StopTime = 5, Interval = 0.001));
end MountDaePublished;
