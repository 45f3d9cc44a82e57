if a < b then -x^2*(y + 3)/'z 1' else sin(time) + 1.5e-3
