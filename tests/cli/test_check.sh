# Checks before a fit.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "a sound problem is ready for a fit"
run check decay.yaml; status 0; no_err; out "^decay.yaml: ready for a fit"; out "^Data"; out "^  good"; out "^Parameters at the start"
it "no line is wider than 80 columns"
holds awk 'length > 80 { exit 1 }' out
it "--json holds the findings"
run check decay.yaml --json c.json; status 0; valid_json c.json
json c.json "d['passed'] and d['starts'] and all(set(f) == {'kind', 'topic', 'text'} for f in d['findings'])"
json c.json "d['identifiability']['rank'] == 1"
it "--json - leaves nothing else on standard output"
run check decay.yaml --json -; status 0; cp out c.json; valid_json c.json
it "a start that cannot be simulated is an error with exit status 1"
printf 'model Blow parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = k*x^2; end Blow;\n' >blow.mo
run check decay.yaml --set model=blow.mo --start k=10 --json e.json; status 1; out "not ready for a fit"; out "^  error"; valid_json e.json
json e.json "not d['passed'] and not d['starts']"
it "parameters that cannot be told apart are named"
sed 's/-k\*x/-k*c*x/; s/rate"/rate"; parameter Real c = 1/' decay.mo >product.mo
run check decay.yaml --set model=product.mo --set estimate.c.start=2 --set estimate.c.min=0.1 --json p.json
out "^  warning"; out "k\*c\|c\*k"; json p.json "d['identifiability']['rank'] == 1 and d['identifiability']['free'] == 2"
it "--quiet prints nothing"
run check decay.yaml --quiet; status 0; no_out; no_err
it "--start changes the start"
run check decay.yaml --start k=3 --json s.json; status 0; json s.json "d['parameters'][0]['start'] == 3"
it "warnings of the problem are among the findings of --json, and counted"
sed '1a s,cm' decay.csv >units.csv; sed 's/Real x(/Real x(unit = "m", /' decay.mo >units.mo
run check decay.yaml --set model=units.mo --set experiments.0.data=units.csv --json u.json; out "(1 of them when it was read)"
json u.json "sum('gain: 100' in f['text'] and f['kind'] == 'warning' for f in d['findings']) == 1"
it "wrong input is exit status 2"
run check absent.yaml; status 2; no_out; err "absent.yaml"
cat >rod.mo <<'END'
model Rod
  parameter Real L(min = 0.7, max = 3) = 1;
  Real x(start = 0.6, fixed = true), y(start = -1), vx, vy, F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = L^2;
end Rod;
END
"$ENTRAIN" simulate rod.mo --set L=1.2 --stop 3 --step 0.05 --variables x,F --noise 0.01 --noise_kind additive -o rod.csv 2>/dev/null
printf 'model: rod.mo\nexperiments: {data: rod.csv, measure: {x: x, F: F}}\nestimate: {L: {start: 1}}\n' >rod.yaml
it "constraints and consistent start values are told"
run check rod.yaml; status 0; no_err; out "^Constraints"; out "index 3: 1 constraint (line 9)"; out "satisfy the constraints"; out "y from -1 to -0.8"
it "fixed start values that satisfy a constraint only at one value of what is estimated are an error"
sed 's/y(start = -1)/y(start = -0.8, fixed = true)/' rod.mo >fixed.mo
run check rod.yaml --set model=fixed.mo; status 1; out "line 9"; out "only at this value"
it "and those that satisfy none are one"
sed 's/y(start = -1)/y(start = -2, fixed = true)/' rod.mo >wrong.mo
run check rod.yaml --set model=wrong.mo; status 1; out "differ by 3.36"
