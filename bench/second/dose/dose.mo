model Dose "a drug that is absorbed and eliminated; both rates can be exchanged with another volume. mg, l, h"
  parameter Real ka = 1.4, ke = 0.22, V = 31;
  Real gut(start = 250, fixed = true), body(start = 0, fixed = true);
  output Real c;
equation
  der(gut) = -ka*gut;
  der(body) = ka*gut - ke*body;
  c = body/V;
end Dose;
