# Profile likelihood.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "a profile tells its interval beside that of the covariance"
run profile decay.yaml; status 0; no_err
out "^decay.yaml: 1 of 1 determined"; out "^95 % intervals"; out "^  name .*estimate.*covariance.*profile"; out "^  k "
it "no line is wider than 80 columns"
holds awk 'length > 80 { exit 1 }' out
it "--json and --csv hold the same profile"
run profile decay.yaml --json p.json --csv p.csv --quiet; status 0; no_out; valid_json p.json
holds grep -q "^parameter,value,objective,ratio,k$" p.csv
json p.json "d['sound'] and d['profiles'][0]['verdict'] == 'determined' and len(d['profiles'][0]['points']) == len(open('p.csv').read().split('\n')) - 2"
json p.json "all(abs(a - b) < 0.1*(d['profiles'][0]['covariance_interval'][1] - d['profiles'][0]['covariance_interval'][0]) for a, b in zip(d['profiles'][0]['covariance_interval'], d['profiles'][0]['profile_interval']))"
it "the truth is inside"
json p.json "d['profiles'][0]['profile_interval'][0] < 2 < d['profiles'][0]['profile_interval'][1]"
it "a higher level gives a wider interval"
run profile decay.yaml --level 0.99 --json w.json --quiet; status 0
json w.json "d['level'] == 0.99 and d['profiles'][0]['profile_interval'][0] < json.load(open('p.json'))['profiles'][0]['profile_interval'][0]"
it "the number of threads changes nothing"
run profile decay.yaml --csv one.csv --quiet --threads 1; run profile decay.yaml --csv four.csv --quiet -j 4; holds cmp one.csv four.csv
it "pictures are written"
run profile decay.yaml --svg p.svg --png p.png --quiet; status 0; holds grep -q "<svg" p.svg; holds test "$(head -c 4 p.png | tail -c 3)" = PNG
it "--plot draws in the terminal"
run profile decay.yaml --plot; status 0; out "threshold"; out "1 of 1 determined"
it "--json - leaves standard output to the JSON"
run profile decay.yaml --json -; status 0; cp out o.json; valid_json o.json
it "a factor of a product is flat, and named so"
cat >product.mo <<'END'
model Product
  parameter Real a(min = 0) = 1;
  parameter Real b(min = 0) = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -a*b*x;
end Product;
END
sed 's/decay.mo/product.mo/; s/^  k:.*/  a: {start: 1, min: 0.1, max: 9}/; $a\  b: {start: 1, min: 0.01, max: 90}' decay.yaml >product.yaml
run profile product.yaml --json f.json; status 0; out "The data do not determine a: its profile is flat over \[0.1, 9\], while b"; valid_json f.json
json f.json "[p['verdict'] for p in d['profiles']] == ['structural']*2 and d['profiles'][0]['moves_along'] == ['b']"
it "--parameters chooses"
run profile product.yaml --parameters b --json b.json --quiet; status 0; json b.json "[p['name'] for p in d['profiles']] == ['b'] and d['names'] == ['a', 'b']"
it "an unknown parameter gets the nearest name"
run profile decay.yaml --parameters kk; status 2; no_out; err "'kk' is not estimated; did you mean 'k'"
it "a parameter that is named twice is refused"
run profile decay.yaml --parameters k,k; status 2; no_out; err "'k' is named twice"
it "a level outside of its range is refused"
run profile decay.yaml --level 95; status 2; no_out; err "the level must be from 0.5 to 0.9999, not 95"
run profile decay.yaml --level 1e-9; status 2; no_out; err "the level must be from 0.5 to 0.9999, not 1e-09"
run profile decay.yaml --level 0.99999; status 2; no_out; err "the level must be from"
run profile decay.yaml --level 0.5; status 0; out "^50 % intervals"; out "1 of 1 determined"
run profile decay.yaml --level x; status 2; no_out; err "level"
it "a range outside of its range is refused"
run profile decay.yaml --range 0.5; status 2; no_out; err "the range must be above 1"
it "the data are not overwritten"
run profile decay.yaml --csv decay.csv; status 2; no_out; err "which is read"
it "a bound ends an interval"
run profile decay.yaml --set estimate.k.max=2.02 --json c.json; status 0; json c.json "d['profiles'][0]['above']['end'] in ('bound', 'finite') and d['profiles'][0]['profile_interval'][1] <= 2.02"
it "a fit that does not converge gives exit status 1"
run profile decay.yaml --method lm --max_iterations 1 --json n.json; status 1; valid_json n.json; json n.json "d['sound'] is False"
it "a rough objective gets one sentence"
run profile decay.yaml --method trust-region --round_digits 1 --json r.json --quiet; status 1; json r.json "d['rough'] and not d['stopped'] and len(d['notes']) == 1"
run profile decay.yaml --method trust-region --round_digits 1; status 1; out "The objective is too rough for profiles"; out "too rough$"
holds test "$(grep -c 'better optimum' out)" = 0
it "a budget that is used up is named"
run profile product.yaml --max_simulations 1 --method trust-region; status 1; out "with max_simulations 1"; out "not finished"
it "--progress tells where it is"
run profile decay.yaml --progress; status 0; err "fit\|profiles"
it "a signal ends it with exit status 1"
interrupt INT '^fit' profile endless.yaml --json s.json
status 1; out "no profile was finished (stopped)"; valid_json s.json; json s.json "d['stopped'] and all(q['below']['end'] == 'stopped' for q in d['profiles'])"
it "an ambiguous fit is told with its other optimum, and the exit status is 1"
cat >sum.mo <<'END'
model Sum
  parameter Real a = 0.3; parameter Real b = 2;
  Real x(start = 1, fixed = true); Real z(start = 1, fixed = true);
  Real y = x + z;
equation
  der(x) = -a*x; der(z) = -b*z;
end Sum;
END
run simulate sum.mo --stop 5 --step 0.05 --variables y --noise 0.01 --noise_kind additive -o sum.csv; status 0
printf 'model: sum.mo\nexperiments: [{data: sum.csv, measure: [y]}]\nestimate: {a: {start: 1, min: 0.01, max: 10}, b: {start: 1.5, min: 0.01, max: 10}}\n' >sum.yaml
run profile sum.yaml --json p.json; status 1; out "2 of 2 determined; ambiguous"; tr -s '\n ' ' ' <out >line; holds grep -q "another optimum fits the data as well: a = [0-9.]* instead of" line
json p.json "d['fit_verdict'] == 'ambiguous' and len(d['optima']) == 2 and d['optima'][1]['distinct'] and 'another optimum' in d['why'] and not d['sound']"
it "without samples for the noise it says why there are no profiles"
printf 'time,x\n0,1\n0.5,0.4\n' >two.csv
printf 'model: decay.mo\nexperiments: [{data: two.csv, measure: [x]}]\nestimate: {k: {start: 1, min: 0.1, max: 10}, x.start: {start: 1, min: 0.1, max: 5}}\n' >two.yaml
run profile two.yaml --method lm --json p.json; status 1; out "^two.yaml: no profiles"
tr -s '\n ' ' ' <out >line; holds grep -q "2 samples for 2 parameters leave nothing to estimate the noise from" line
json p.json "not d['stopped'] and len(d['notes']) == 1 and all(q[s]['end'] == 'none' for q in d['profiles'] for s in ('below', 'above'))"
