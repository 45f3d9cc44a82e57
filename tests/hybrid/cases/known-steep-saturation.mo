model KnownSteepSaturation "a slope so steep that explicit steps swing from one of its ends to the other"
  parameter Real c = 1e7;
  Real v(start = 0, fixed = true);
equation
  der(v) = 2*sin(time) - max(-1, min(1, c*v));
end KnownSteepSaturation;
