# evaluate: a problem at one point. What a fit found is found again.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

# agree A.json B.json TOLERANCE: objectives, errors by channel, values
cat >agree.py <<'END'
import json, sys
a, b, tol = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), float(sys.argv[3])
near = lambda x, y, what: abs(x - y) <= tol * max(abs(x), abs(y)) or sys.exit('%s: %r %r' % (what, x, y))
near(a['objective'], b['objective'], 'objective')
assert [p['name'] for p in a['parameters']] == [p['name'] for p in b['parameters']]
assert [p['value'] for p in a['parameters']] == [p['value'] for p in b['parameters']]
assert len(a['channels']) == len(b['channels'])
for c, d in zip(a['channels'], b['channels']):
    assert (c['experiment'], c['variable'], c['role'], c['n']) == (d['experiment'], d['variable'], d['role'], d['n'])
    near(c['rmse'], d['rmse'], 'rmse'); near(c['fit_percent'], d['fit_percent'], 'fit_percent')
    assert list(c['windows']) == list(d['windows'])
    for w in c['windows']: near(c['windows'][w]['rmse'], d['windows'][w]['rmse'], w)
assert b['outcome'] == 'evaluated' and b['lambda'] == 0 and 'certificate' not in b and 'stages' not in b
assert b['at_minimum'] is True, b['decrease']
for p, q in zip(a['parameters'], b['parameters']):
    if p['interval'] == q['interval'] != 'profile' and p['std_error'] is not None: near(p['std_error'], q['std_error'], p['name'])
END
agree() { if command -v python3 >/dev/null; then python3 agree.py "$@" 2>why || wrong "$1 and $2: $(tail -n 1 why)"; fi; }
# round_trip PROBLEM TOLERANCE [FLAG ...]
round_trip() {
  local problem=$1 tolerance=$2
  shift 2
  run fit "$problem" --json f.json --quiet "$@"
  [[ $code -le 1 ]] || wrong "the fit of $problem failed: $(head -n 2 err)"
  run evaluate "$problem" --parameters f.json --json e.json --quiet "$@"; status 0
  agree f.json e.json "$tolerance"
}

it "evaluates what a fit has found: bit for bit where its last evaluation had slopes (gauss-newton adds in another order)"
round_trip decay.yaml 0 --set method=lm; round_trip decay.yaml 1e-14 --set method=gauss-newton
it "... up to the accuracy of simulations where it had none, or shared a simulation"
round_trip decay.yaml 1e-6; round_trip decay.yaml 1e-6 --set method=nelder-mead
cat >two.mo <<'END'
model Two
  parameter Real k(min = 0) = 2; parameter Real c = 0.3; parameter Real a = 1;
  input Real u = 0;
  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(x) = v; der(v) = -k*x - c*v + a*u;
end Two;
END
for i in 1 2 3; do
  "$ENTRAIN" simulate two.mo --set "k=2,c=0.3,x.start=$i" --stop 6 --step 0.1 --variables x,v --noise 0.02 --noise_kind additive --seed $i -o e$i.csv
done
cat >all.yaml <<'END'
model: two.mo
experiments:
  - {data: e3.csv, name: proof, measure: {x: x}, role: validation, set: {x.start: 3}, windows: {late: [3, ~]}}
  - data: e1.csv
    measure: {x: {column: x, sigma: estimate, offset: estimate, delay: {start: 0.01, max: 0.1}}, v: {column: v, sigma: 0.02}}
    windows: {early: [0, 2]}
  - {data: e2.csv, measure: {v: {column: v, sigma: 3%}}}
estimate:
  k: {start: 1, min: 0.1, max: 20, scale: log}
  c: {start: 0.1, min: 0, max: 3, prior: {mean: 0.2, sd: 0.2}}
  x.start: {start: 1, per_experiment: true, min: 0.2, max: 5}
END
it "... with validation, windows, priors, scales, sensors, unknowns of each experiment, estimated sigmas"
round_trip all.yaml 3e-4 --set method=lm # sigmas are settled to 1e-4
sed 's/sigma: estimate/sigma: 0.02/' all.yaml >given.yaml
it "... bit for bit with given sigmas"
round_trip given.yaml 0 --set method=lm
json e.json "d['channels'][-1]['role'] == 'validation' and d['channels'][-1]['experiment'] == 0"
it "... with constraints and bounds that are active"
sed '$a constraints: [k + c = 2.5]' given.yaml >tied.yaml; sed -i 's/max: 3,/max: 0.25,/' tied.yaml
round_trip tied.yaml 1e-6 --set method=sqp; json e.json "d['constraints'][0]['active'] and d['parameters'][1]['at_bound']"
it "... with the Huber loss and the integral"
round_trip given.yaml 1e-6 --set method=lm --loss huber; round_trip given.yaml 1e-6 --set method=lm --criterion integral

it "away from a minimum there are no standard errors"
run evaluate decay.yaml --start k=3 --json e.json; status 0
run evaluate decay.yaml --start k=3; out "no minimum"; out "^  k .*3$"
json e.json "d['at_minimum'] is False and d['decrease'] > 0 and d['parameters'][0]['std_error'] is None and d['objective'] > 0"
it "the objective is half the sum of the squared residuals"
run evaluate decay.yaml --start k=3 --quiet --residuals r.csv; status 0; no_out
sum=$(awk -F, 'NR > 1 { s += $6^2/2 } END { printf "%.15g", s }' r.csv)
json e.json "abs(d['objective'] - $sum) < 1e-9*$sum"
it "--start replaces single values of the file, also outside the bounds"
run evaluate given.yaml --parameters e.json; status 2; err "e.json:.*error: 'k' is not\|has no value"
run fit given.yaml --set method=lm --json f.json --quiet
run evaluate given.yaml --parameters f.json --start k=0.01 --json g.json; status 0
json g.json "d['parameters'][0]['value'] == 0.01 and d['at_minimum'] is False"
run evaluate given.yaml --parameters f.json --start k=0.01; out "below its min"
run evaluate given.yaml --start x.start=1.5 --json g.json; json g.json "[p['value'] for p in d['parameters'] if 'start[' in p['name']] == [1.5, 1.5]"
it "wrong files of values have a place"
echo '{"parameters": [{"name": "kk", "value": 1}]}' >a.json
run evaluate decay.yaml --parameters a.json; status 2; err "^a.json:1:26: error: 'kk' is not estimated in decay.yaml; did you mean 'k'?"; no_out
echo '{"parameters": [{"name": "k", "value": null}]}' >a.json
run evaluate decay.yaml --parameters a.json; status 2; err "^a.json:1:40: error: k has no value here"
echo '{"parameters": [{"name": "k", "value": "1"}]}' >a.json
run evaluate decay.yaml --parameters a.json; status 2; err "must be a number"
echo '{"parameters": [{"name": "k", "value": 1}, {"name": "k", "value": 2}]}' >a.json
run evaluate decay.yaml --parameters a.json; status 2; err "k is given twice"
echo '[1, 2' >a.json
run evaluate decay.yaml --parameters a.json; status 2; err "^a.json:2:1: error: "
echo '{"parameters": []}' >a.json
run evaluate decay.yaml --parameters a.json; status 2; err "a.json has no value of k; give it with --start k="
run evaluate decay.yaml --parameters a.json --start k=2; status 0
echo '{"x": 1}' >a.json
run evaluate decay.yaml --parameters a.json; status 2; err "not the JSON of a fit"
run evaluate decay.yaml --parameters nothing.json; status 2; err "nothing.json"
it "a value outside the bounds is told, not refused"
echo '{"parameters": [{"name": "k", "value": 60}]}' >a.json
run evaluate decay.yaml --parameters a.json; status 0; err "^a.json:1:40: warning: k = 60 is above its max 50"; out "above its max"
it "the file of values is not overwritten"
run evaluate decay.yaml --parameters a.json --json a.json; status 2; err "would overwrite"
it "lambda ties the model to the data: errors shrink"
run evaluate decay.yaml --start k=5 --json free.json; run evaluate decay.yaml --start k=5 --lambda 1 --json tied.json; status 0
json tied.json "d['lambda'] == 1 and 0 < d['objective'] < 0.2*$(python3 -c "import json; print(json.load(open('free.json'))['objective'])")"
run evaluate decay.yaml --start k=5 --lambda 1 --residuals r.csv --quiet; status 0
sum=$(awk -F, 'NR > 1 { s += $6^2/2 } END { printf "%.15g", s }' r.csv); json tied.json "abs(d['objective'] - $sum) < 1e-5*$sum"
run evaluate decay.yaml --lambda 2; status 2; err "lambda must be from 1"
run evaluate decay.yaml --lambda x; status 2
it "a simulation that fails is told, with what the others say"
sed 's/der(x) = v;/der(x) = v + (if k > 5 and x > 1.5 then 1e3*x^3 else 0);/' two.mo >sick.mo
run evaluate given.yaml --set model=sick.mo --start "k=6,x.start[e2]=2" --json s.json; status 1
run evaluate given.yaml --set model=sick.mo --start "k=6,x.start[e2]=2"; status 1; out "no objective"; out "annot be simulated"
json s.json "d['objective'] is None and d['outcome'] == 'no-start' and d['failures'] and d['channels'][0]['rmse'] is not None and d['channels'][-1]['failed']"

it "gives first derivatives of the objective, and second ones with --hessian"
run evaluate decay.yaml --json g.json --quiet; status 0
grep -q '"gradient": \[' g.json || wrong "no gradient"
! grep -q '"hessian"' g.json || wrong "a hessian that nobody asked for"
run evaluate decay.yaml --hessian --json h.json --quiet; status 0
grep -q '"hessian": \[' h.json || wrong "no hessian"
it "says why there is no hessian"
run evaluate decay.yaml --lambda 1 --hessian --quiet; status 1; err "free model"
