model GearTable "a gear number chooses a ratio"
  Real v(start = 0, fixed = true);
  Real n = floor(v);
  Real ratio = if n >= 3 then 0.25 elseif n >= 2 then 0.5 elseif n >= 1 then 1 else 2;
equation
  der(v) = ratio;
end GearTable;
