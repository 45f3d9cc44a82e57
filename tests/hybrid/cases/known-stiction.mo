model KnownStiction "friction by cases that holds more than it rubs: arrives moving, rests with Fc < Fe < Fs, is released at Fe = Fs"
  parameter Real Fc = 1, Fs = 1.5, F0 = 1.2, v0 = -0.9, r = 0.1;
  Real s(start = 0, fixed = true), v(start = v0, fixed = true), Fe, F;
equation
  Fe = F0 + r*time;
  F = if v > 0 then Fc elseif v < 0 then -Fc else max(-Fs, min(Fs, Fe));
  der(s) = v;
  der(v) = Fe - F;
end KnownStiction;
