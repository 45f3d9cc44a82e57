model JumpOntoLimit "a quantity jumps exactly onto the limit of a relation"
  Real x(start = 0, fixed = true);
equation
  der(x) = if (if time > 1 then 1 else 0) >= 1 then 1 else 0;
end JumpOntoLimit;
