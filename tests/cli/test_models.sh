# Models of the same data side by side.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

cat >spring.mo <<'END'
model Spring
  parameter Real k = 4;
  parameter Real d = 0;
  parameter Real c = 0;
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -k*x - d*v - c*v*abs(v);
end Spring;
END
"$ENTRAIN" simulate spring.mo --set d=0.3 --stop 10 --step 0.05 --noise 0.02 --noise_kind additive --seed 1 --variables x -o a.csv
"$ENTRAIN" simulate spring.mo --set d=0.3 --stop 10 --step 0.05 --noise 0.02 --noise_kind additive --seed 2 --variables x -o v.csv
problem() { # NAME ESTIMATE
  printf 'model: spring.mo\nexperiments:\n  - {data: a.csv, measure: [x]}\n  - {data: v.csv, measure: [x], role: validation}\nestimate: {k: {start: 3, min: 0.1, max: 20}%s}\n' "$2" >"$1.yaml"
}
problem none ""
problem viscous ", d: {start: 0.1, min: 0, max: 5}"
problem both ", d: {start: 0.1, min: 0, max: 5}, c: {start: 0.1, min: -5, max: 5}"

it "a row for each model, the right one is the best, and warnings name what misleads"
run compare none.yaml viscous.yaml both.yaml --folds 4 --nested none.yaml:viscous.yaml --nested viscous.yaml:both.yaml; status 0; no_err
out "^3 models of the same data"; out "model .*delta AIC .*validation x .*cv x .*verdict"; out "^  viscous.yaml .* 0.00 .*certain"
tr -s '\n ' ' ' <out >line; holds grep -q "The residuals of none.yaml are correlated" line; holds grep -q "none.yaml in viscous.yaml: .*p below 0.0001; the smaller model is rejected" line
holds grep -q "d is 0 in the smaller model, which is a bound" line; holds grep -q "viscous.yaml in both.yaml: .* the smaller model is enough" line
it "no line is wider than 80 columns"
holds awk 'length > 80 { exit 1 }' out
it "JSON, CSV and Markdown hold the same"
run compare none.yaml viscous.yaml both.yaml --folds 4 --nested viscous.yaml:both.yaml --json m.json --format csv -o m.csv; status 0; no_out; no_err; valid_json m.json
json m.json "[r['model'] for r in d['models']] == ['none.yaml', 'viscous.yaml', 'both.yaml'] and [r['parameters'] for r in d['models']] == [2, 3, 4]"
json m.json "[float(l.split(',')[7]) for l in open('m.csv').read().split('\n')[1:4]] == [r['aic'] for r in d['models']]"
json m.json "all(abs(r['aic'] - 2*r['parameters'] + 2*r['log_likelihood']) < 1e-9 for r in d['models']) and abs(sum(r['akaike_weight'] for r in d['models']) - 1) < 1e-12"
json m.json "abs(d['nested'][0]['ratio'] - 2*(d['models'][2]['log_likelihood'] - d['models'][1]['log_likelihood'])) < 1e-9 and d['nested'][0]['freedom'] == 1"
json m.json "[r['correlated'] for r in d['models']] == [True, False, False] and all(0.005 < r['cv_rmse']['x'] < 0.02 for r in d['models'][1:])"
run compare none.yaml viscous.yaml --format markdown; status 0; out "^| model | parameters |"; out "^| viscous.yaml | 3 |"
it "the row of a fit that failed has its parameters, too"
sed 's/der(v) = -k\*x/der(v) = exp(1e3*x*x) - k*x/' spring.mo >sick.mo; sed 's/spring.mo/sick.mo/; s/both/sick/; $a method: lm' both.yaml >sick.yaml
run compare both.yaml sick.yaml --json sick.json; json sick.json "[r['parameters'] for r in d['models']] == [4, 4] and d['models'][1].get('aic') is None"
it "data that differ are told with times as in the data"
for t in 1.95 2; do awk -F, -v t=$t 'NR > 1 { $1 -= t } { print $1 "," $2 }' v.csv >v$t.csv; sed "s/v.csv/v$t.csv/" both.yaml >both$t.yaml; done
run compare both1.95.yaml both2.yaml; status 2; err "at -1.95 there and at -2 here"
it "a row is what fit gives"
run fit viscous.yaml --json f.json --quiet; status 0
json m.json "d['models'][1]['values'] == {p['name']: p['value'] for p in json.load(open('f.json'))['parameters']} and d['models'][1]['validation_rmse']['x'] > 0.005"
it "weights beside estimated sigmas make no likelihood: no p, no failed search, and a sentence"
for m in viscous both; do sed 's/measure: \[x\]/measure: {x: {sigma: estimate}, 2*x + v: {column: x, sigma: estimate, weight: 30}}/' $m.yaml >w_$m.yaml; done
run compare w_viscous.yaml w_both.yaml --nested w_viscous.yaml:w_both.yaml --json w.json; tr -s '\n ' ' ' <out >line
holds grep -q "w_viscous.yaml and w_both.yaml: the fit does not make log L as large as it can be" line; holds grep -q "there is no p\." line; grep -q "search of" line && wrong "says that a search failed"
json w.json "d['nested'][0]['p'] is None and not d['nested'][0]['failed'] and not any(r['greatest'] for r in d['models']) and d['models'][1]['objective'] <= d['models'][0]['objective'] + 1e-3"
it "words and exit status are those of fit, for each method and end"
for how in "method: lm" "method: auto" "method: auto, max_simulations: 5" "method: lm, max_simulations: 3" "method: auto, confirm: off"; do
  for m in none viscous; do { grep -v '^method\|^options' $m.yaml; echo "${how%%,*}"; [[ $how == *,* ]] && echo "options: {${how#*, }}"; } >as_$m.yaml; done
  most=0; : >words
  for m in none viscous; do
    run fit as_$m.yaml --json f_$m.json; [[ $code -gt $most ]] && most=$code
    case "$(head -n 1 out)" in *"not certain"*) echo "not certain" ;; *"searches agree"*) echo agreed ;; *ambiguous*) echo ambiguous ;; *certain*) [[ $code -eq 0 ]] && echo certain || echo doubtful ;; *) echo doubtful ;; esac >>words
  done
  run compare as_none.yaml as_viscous.yaml --format markdown --json m2.json; status $most
  for m in none viscous; do holds grep -q "^| as_$m.yaml .*| $(sed -n "$([[ $m == none ]] && echo 1 || echo 2)p" words) |" out; done
  json m2.json "all(r['verdict'] == json.load(open('f_' + r['model'][3:-5] + '.json'))['certificate']['verdict'] and r['outcome'] == json.load(open('f_' + r['model'][3:-5] + '.json'))['outcome'] for r in d['models'])"
done
it "the order of files does not matter"
run compare both.yaml none.yaml viscous.yaml --folds 4 --json o.json --quiet; status 0
json m.json "all(next(o for o in json.load(open('o.json'))['models'] if o['model'] == r['model'])[k] == r[k] for r in d['models'] for k in ('aic', 'delta_aic', 'cv_rmse', 'validation_rmse', 'values'))"
it "page and pictures"
run compare none.yaml viscous.yaml --folds 2 --report r.html --figures pictures -q; status 0; no_out; holds grep -q "delta AIC" r.html; holds grep -q "</svg>" pictures/criteria.svg; holds grep -q "validation" pictures/errors.svg
it "other data are an error that names the first difference, and nothing is written"
sed '50s/,.*/,7/' a.csv >a2.csv; sed 's/a.csv/a2.csv/' viscous.yaml >other.yaml; run compare none.yaml other.yaml --json no.json; status 2; no_out
err "^other.yaml: error: these data are not those of none.yaml.*experiment 1, column 'x': the value at 2.4 is .* there and 7 here$"; holds test ! -e no.json
sed 's/measure: \[x\]/measure: {x: {sigma: 0.02}}/' viscous.yaml >sigma.yaml; run compare none.yaml sigma.yaml; status 2; err "sigma is unknown there and 0.02 here"
sed 's/, role: validation//' viscous.yaml >all.yaml; run compare none.yaml all.yaml; status 2; err "1 experiments there and 2 here"
it "the same samples in another file are the same data"
cp a.csv copy.csv; sed 's/a.csv/copy.csv/' both.yaml >copy.yaml; run compare none.yaml copy.yaml -q; status 0
it "wrong use is refused, with what is allowed"
run compare viscous.yaml both.yaml --nested both.yaml:viscous.yaml; status 2; err "must have more parameters, but it has 2 and the smaller one 3"
run compare viscous.yaml both.yaml --nested viscous.yaml:bth.yaml; status 2; err "SMALL:LARGE, such as viscous.yaml:both.yaml"
run compare viscous.yaml both.yaml --folds 1; status 2; err "whole number from 2 to 1000"
run compare viscous.yaml both.yaml --folds 900; status 2; err "too few samples for 900 folds"
run compare viscous.yaml both.yaml --methods lm; status 2; err "compares methods on one problem"
run compare viscous.yaml both.yaml --store s.db; status 2; err "not kept in a store"; holds test ! -e s.db
run compare viscous.yaml both.yaml --live; status 2; err "follows one problem"
run compare viscous.yaml --folds 3; status 2; err "give two problem files"
run compare viscous.yaml both.yaml --json a.csv; status 2; err "which is read"
run compare viscous.yaml gone.yaml; status 2; err "gone.yaml"
it "a model that cannot be fitted well makes the exit status 1, the others keep their rows"
run compare none.yaml viscous.yaml --max_simulations 3 --format csv; status 1; out "^viscous.yaml,"
it "Ctrl-C keeps the finished rows"
printf 'model Slow\n  parameter Real k = 4;\n  parameter Real w = 1;\n  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n  der(v) = -k*x + 0*sin(w*20000*time);\nend Slow;\n' >slow.mo
printf 'model: slow.mo\nexperiments:\n  - {data: a.csv, measure: [x]}\n  - {data: v.csv, measure: [x], role: validation}\nestimate: {k: {start: 3, min: 0.1, max: 20}}\nmethod: multistart(lm, 1000000)\noptions: {max_simulations: 2000000000}\n' >slow.yaml
interrupt INT "slow.yaml (2 of 2)" compare viscous.yaml slow.yaml --format csv; status 1; out "^viscous.yaml,3,2,0,201,0"
it "max_seconds limits all fits together"
run compare viscous.yaml slow.yaml --max_seconds 1 --json t.json -q; status 1; json t.json "d['models'][1]['outcome'] == 'budget' and d['seconds'] < 3 and d['models'][0]['usable']"
