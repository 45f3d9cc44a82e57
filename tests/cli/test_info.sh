# Reports about a model.
source "$(dirname "$0")/lib.sh"

it "info tells name, states and parameters"
run info decay.mo; status 0; no_err; out "Decay"; out "x"; out "k"
it "--flat is a model again, which means the same"
run info decay.mo --flat; status 0; out "der(x)"; cp out flat.mo
run simulate decay.mo --stop 1 --step 0.1; cp out expected; run simulate flat.mo --stop 1 --step 0.1; status 0; holds cmp out expected
it "--flat writes the time as such"
printf 'model Clock\n  Real x;\nequation\n  x = 2*time;\nend Clock;\n' >clock.mo
run info clock.mo --flat; status 0; cp out flat.mo; run simulate flat.mo --times 1; status 0; out "^1,2$"
it "--equations names what is solved"
run info decay.mo --equations; status 0; no_err; out "der(x)"
it "--json is valid"
run info decay.mo --json; status 0; if command -v python3 >/dev/null; then holds python3 -m json.tool out; fi
it "--dot is a graph"
run info decay.mo --dot; status 0; out "digraph"
cat >rod.mo <<'END'
model Rod "a pendulum in Cartesian coordinates"
  parameter Real L = 1;
  Real x(start = 0.6, fixed = true), y(start = -1), vx, vy, F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = L^2;
end Rod;
END
it "constraints, free start values and multipliers are told"
run info rod.mo; status 0; no_err; out "^ *9  x^2 + y^2 = L^2  twice"; out "free start values: 2"; out "multipliers: F"; out "index 3"
it "--flat of a model with constraints is the model again"
run info rod.mo --flat; status 0; cp out flat.mo
run simulate rod.mo --stop 1 --step 0.1; cp out expected; run simulate flat.mo --stop 1 --step 0.1; status 0; holds cmp out expected
it "--json and --dot of a model with constraints"
run info rod.mo --json; status 0; out '"free_start_values": 2'; if command -v python3 >/dev/null; then holds python3 -m json.tool out; fi
run info rod.mo --dot; status 0; out "der(der(x))"
