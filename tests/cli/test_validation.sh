# Experiments of role validation and windows: never fitted, reported apart.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

"$ENTRAIN" simulate decay.mo --set k=2.2 --stop 4 --step 0.1 --variables x --noise 0.02 --noise_kind additive --seed 5 -o proof.csv
cat >both.yaml <<'END'
model: decay.mo
experiments:
  - data: proof.csv
    measure: {x: x}
    role: validation
    windows: {tail: [1, ~]}
  - data: decay.csv
    measure: {x: x}
    windows: {early: [0, 1], late: [1.01, 3]}
estimate:
  k: {start: 0.5, min: 0.01, max: 50}
END
it "a fit is the same bit for bit, with validation and windows or without"
run fit decay.yaml --json plain.json; status 0
run fit both.yaml --json both.json; status 0; no_err
cat >same.py <<'END'
import json
a, b = json.load(open('plain.json')), json.load(open('both.json'))
for d in (a, b):
    for part in (d['work'], d['work']['search'], d['work']['profiles']): part.pop('seconds')
for key in a:
    if key not in ('problem', 'channels', 'experiments', 'files'): assert a[key] == b[key], key
fit, proof = b['channels']
assert (fit['experiment'], fit['role'], proof['experiment'], proof['role']) == (1, 'fit', 0, 'validation')
assert all(fit[k] == a['channels'][0][k] for k in fit if k not in ('experiment', 'windows'))
assert [e['role'] for e in b['experiments']] == ['validation', 'fit']
w = fit['windows']
assert list(w) == ['early', 'late'] and w['early']['n'] + w['late']['n'] == fit['n']
total = sum(v['n'] * v['rmse'] ** 2 for v in w.values())
assert abs(total - fit['n'] * fit['rmse'] ** 2) < 1e-6 * total # with sensitivities other steps are taken
assert proof['n'] == 41 and proof['rmse'] > 0.005 and proof['failed'] is None
assert proof['windows']['tail']['n'] == 31, proof
END
if command -v python3 >/dev/null; then python3 same.py 2>why || wrong "$(tail -n 3 why)"; fi
it "the report shows both apart"
out "^Validation"; out "^  proof .*41"; out "^  tail\|proof .* tail"; out "windows"
holds test "$(sed -n '/^Fit$/,/^$/p' out | grep -c proof)" = 0
it "the validation is that of a simulation at the estimate"
k=$(python3 -c "import json; print(repr(json.load(open('both.json'))['parameters'][0]['value']))")
"$ENTRAIN" simulate decay.mo --set k="$k" --stop 4 --step 0.1 --variables x --rel_tol 1e-10 -o at.csv
rmse=$(paste -d, at.csv proof.csv | awk -F, 'NR > 1 { s += ($2 - $4)^2; n++ } END { printf "%.12g", sqrt(s/n) }')
json both.json "abs(d['channels'][1]['rmse'] - $rmse) < 1e-7"
it "the residuals have a column that tells them apart"
run fit both.yaml --quiet --residuals r.csv; status 0
holds test "$(head -n 1 r.csv)" = experiment,variable,time,data,model,residual,role
holds test "$(grep -c ',fit$' r.csv)" = 61; holds test "$(grep -c ',validation$' r.csv)" = 41
it "a validation that cannot be simulated is no failure of the fit"
cat >sick.mo <<'END'
model Sick
  parameter Real k(min = 0) = 1; parameter Real a = 0;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x + a*x^2;
end Sick;
END
sed 's/decay.mo/sick.mo/; s/role: validation/&\n    set: {a: 100}/' both.yaml >sick.yaml
run fit sick.yaml --json s.json; status 0; out "proof could not be simulated"
json s.json "d['outcome'] == 'converged' and d['channels'][1]['rmse'] is None and d['channels'][1]['failed'] and d['channels'][0]['rmse'] > 0"
it "windows are times of the data, from wherever these count"
awk -F, 'NR == 1 { print; next } { printf "%.2f,%s\n", $1 + 1.7e9, $2 }' decay.csv >epoch.csv
sed 's/decay.csv/epoch.csv/; s/\[0, 1\]/[1.7e9, 1.7e9+1]/; s/\[1.01, 3\]/[1700000001.01, ~]/' both.yaml >epoch.yaml
run fit epoch.yaml --json e.json; status 0
json e.json "[w['n'] for w in d['channels'][0]['windows'].values()] == [21, 40] and d['channels'][0]['windows']['early']['stop'] == 1 and d['experiments'][1]['time_origin'] == '2023-11-14T22:13:20Z'"
it "studies leave validation alone"
for command in "check" "recover --trials 2" "profile" "basin --random 2"; do
  run $command both.yaml --json a.json; status 0; cp a.json b.json; run $command decay.yaml --json a.json
  for f in a.json b.json; do sed -i 's/both\.yaml\|decay\.yaml/P/g; s/"\(problem\|seconds[a-z_]*\|entrain\)": [^,}]*//g' $f; done
  cmp -s a.json b.json || { diff <(tr ',' '\n' <a.json) <(tr ',' '\n' <b.json) | head -n 5 >diffs; wrong "$command differs: $(cat diffs)"; }
done
it "errors by unit count what only the model gives a unit, with a factor or none, but not with a gain"
printf 'model Two\nparameter Real k = 4;\nReal x(start = 1, fixed = true, unit = "m"), y(unit = "m"), v(start = 0, fixed = true, unit = "m/s");\nequation\nder(x) = v;\nder(v) = -k*x;\ny = 2*x;\nend Two;\n' >two.mo
run simulate two.mo --stop 5 --step 0.1 --variables x,y,v --noise 0.01 --noise_kind additive -o two.csv; status 0
two() { # two MEASURE: all in m
  printf 'model: two.mo\nexperiments:\n  - {data: two.csv, measure: %s, name: a}\n  - {data: two.csv, measure: %s, name: b}\nestimate: {k: 3}\n' "$1" "$1" >two.yaml
  run evaluate two.yaml --json two.json; status 0
  json two.json "[p['n'] for p in d['pooled'] if not p.get('variable')] == $2"
}
two '{x: x, y: y, v: v}' '[204]'; out "all in m"
two '{x: {column: x, factor: 1e-3}, y: y, v: v}' '[204]'
two '{x: {column: x, gain: 1e3}, y: y, v: v}' '[]'
two '{x: {column: x, offset: 0.1}, y: {column: y, offset: estimate}}' '[204]'
