model CartPendulum "a cart with a hanging load; only the place of the cart is measured"
  parameter Real M(unit = "kg") = 1.6 "cart", m(unit = "kg") = 0.7 "load", L(unit = "m") = 0.45;
  parameter Real c(unit = "N.s/m") = 0.9 "friction of the cart";
  constant Real g = 9.81;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
  Real th(start = 0.3, fixed = true), w(start = 0, fixed = true);
  Real a, b;
equation
  der(x) = v;
  der(v) = a;
  der(th) = w;
  der(w) = b;
  (M + m)*a + m*L*(b*cos(th) - w^2*sin(th)) = 3*sin(1.3*time) + 2*sin(3.7*time + 1) - c*v;
  a*cos(th) + L*b + g*sin(th) = -0.05*L*w;
end CartPendulum;
