model DcMotor "a motor under a switched voltage; the speed is measured, the current is not"
  parameter Real R(unit = "Ohm") = 1.9, J(unit = "kg.m2") = 4.2e-4, b(unit = "N.m.s/rad") = 3.1e-4;
  parameter Real K(unit = "V.s/rad") = 0.052, L(unit = "H") = 0.011;
  input Real u(unit = "V");
  Real i(start = 0, fixed = true, unit = "A"), w(start = 0, fixed = true, unit = "rad/s");
equation
  L*der(i) = u - R*i - K*w;
  J*der(w) = K*i - b*w;
end DcMotor;
