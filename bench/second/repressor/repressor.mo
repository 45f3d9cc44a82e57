model Repressor "three genes that repress each other in a ring (Elowitz and Leibler 2000), without messengers; one is seen"
  parameter Real a = 30, h = 3, d = 1.1;
  Real p1(start = 1, fixed = true), p2(start = 3, fixed = true), p3(start = 8, fixed = true);
equation
  der(p1) = a/(1 + p3^h) - d*p1;
  der(p2) = a/(1 + p1^h) - d*p2;
  der(p3) = a/(1 + p2^h) - d*p3;
end Repressor;
