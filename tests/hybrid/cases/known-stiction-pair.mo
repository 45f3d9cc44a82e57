model KnownStictionPair "two bodies with stiction on the ground and friction between them; one is pushed: nothing moves before t = 1.4"
  parameter Real Fc = 0.8, Fs = 1, Fm = 0.5;
  Real v1(start = 0, fixed = true), L1, F1;
  Real v2(start = 0, fixed = true), L2, F2;
equation
  L1 = time + Fm*sign(v2 - v1);
  F1 = if v1 > 0 then Fc elseif v1 < 0 then -Fc else max(-Fs, min(Fs, L1));
  der(v1) = L1 - F1;
  L2 = 0.6 - Fm*sign(v2 - v1);
  F2 = if v2 > 0 then Fc elseif v2 < 0 then -Fc else max(-Fs, min(Fs, L2));
  der(v2) = L2 - F2;
end KnownStictionPair;
