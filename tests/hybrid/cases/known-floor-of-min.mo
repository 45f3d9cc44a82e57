model FloorOfMin "an argument reaches its limit and stays there"
  Real x(start = 0, fixed = true);
  Real down = floor(min(time, 3)), up = ceil(min(time, 3)), side = sign(min(time, 3) - 3);
equation
  der(x) = down + up + side;
end FloorOfMin;
