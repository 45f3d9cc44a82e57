within A.B;
final encapsulated model 'my model' "a" + "b"
  import SI = Modelica.Units.SI;
  parameter Real p(min = 0.1, final max = 200, unit = "1/s2", each fixed = false) = 10 "g/l", q = 2*p;
  constant Integer n = 3 annotation(Evaluate = true);
  input SI.Force F(start = -1e-3); output Boolean b;
  annotation(Icon(graphics = {Line(points = {{-1, 0}, {1, 0}})}));
protected
  Real x(stateSelect = StateSelect.prefer, nominal = .5e+3);
initial equation
  x = 0 "at rest";
equation
  der(x) + p^2*x/(q - 1) = if initial() then 0 elseif not x < 1 and b or n == 3 then F else -max(x, 1);
  (if b then 1 else 2) = noEvent(x) "text\n" annotation(a(b = "("));
  b = x <> 1 or x >= 2 or x <= 3; /* comment */ // another
  annotation(experiment(StopTime = 1));
end 'my model';
