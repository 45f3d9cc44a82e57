model NoStates "events of a model without states"
  Real n = floor(10*sin(10*time));
  Boolean up = sin(3*time) > 0.99;
end NoStates;
