# Studies with known truth.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "a study tells bias, spread and coverage"
run recover decay.yaml --truth k=2 --noise 0.02 --noise_kind additive --trials 30; status 0; no_err
out "^decay.yaml: 30 of 30 trials succeeded"; out "noise 0.02, additive; seed 1"; out "^  name .*truth.*mean.*bias.*spread.*predicted.*coverage"; out "^  k "
it "no line is wider than 80 columns"
holds awk 'length > 80 { exit 1 }' out
it "--json and --csv hold the same study"
run recover decay.yaml --truth k=2 --noise 0.02 --noise_kind additive --trials 30 --json r.json --csv r.csv --quiet; status 0; no_out; valid_json r.json
holds test "$(wc -l <r.csv)" = 31; holds grep -q "^trial,succeeded,objective,objective_truth,simulations,k,k std_error$" r.csv
json r.json "abs(sum(float(l.split(',')[5]) for l in open('r.csv').read().split('\n')[1:-1])/30 - d['parameters'][0]['mean']) < 1e-9"
json r.json "abs(d['parameters'][0]['bias']) < 0.02 and 0.8 < d['parameters'][0]['coverage'] <= 1 and d['false_certain'] == 0"
it "it says whether results were confirmed; only those that were can be certain"
run recover decay.yaml --truth k=2 --trials 3 --noise 0.02 --noise_kind additive --confirm on --json y.json; status 0; tr -s '\n ' ' ' <out >line; holds grep -q "confirm each result: 3 are certain (0 of them wrongly), 0 agreed, 0 ambiguous and 0 doubtful" line
json y.json "d['confirmed'] and d['certain'] == 3 and d['verdicts'] == {'doubtful': 0, 'certain': 3, 'agreed': 0, 'ambiguous': 0}"
for how in "--method lm --confirm on" ""; do
  run recover decay.yaml --truth k=2 --trials 3 --json n.json $how; status 0; out "were not confirmed by searches"; json n.json "not d['confirmed'] and d['certain'] == 0 and d['verdicts'] is None"
  tr -s "\n " " " <out >line; holds grep -q "$([[ $how ]] && echo method lm never || echo confirm on) does that" line
done
it "results that are ambiguous are counted as such"
cat >sum.mo <<'END'
model Sum
  parameter Real a = 0.3; parameter Real b = 2;
  Real x(start = 1, fixed = true); Real z(start = 1, fixed = true);
equation
  der(x) = -a*x; der(z) = -b*z;
end Sum;
END
run simulate sum.mo --stop 5 --step 0.05 -o sum.csv; status 0
cat >sum.yaml <<'END'
model: sum.mo
experiments: [{data: sum.csv, measure: {x + z: x}}]
estimate: {a: {start: 1, min: 0.01, max: 10}, b: {start: 1.5, min: 0.01, max: 10}}
END
run recover sum.yaml --confirm on --trials 3 --noise_kind additive --noise 0.01 --json v.json; json v.json "d['verdicts']['ambiguous'] == 3 and d['certain'] == 0"
out "3 ambiguous"
it "the same seed gives the same study, another one another"
run recover decay.yaml --truth k=2 --trials 5 --csv a.csv --quiet; run recover decay.yaml --truth k=2 --trials 5 --csv b.csv --quiet; holds cmp a.csv b.csv
run recover decay.yaml --truth k=2 --trials 5 --seed 2 --csv c.csv --quiet; holds test "$(cmp -s a.csv c.csv; echo $?)" = 1
it "without --truth the truth is the value in the model"
run recover decay.yaml --trials 3 --start k=0.7 --json t.json --quiet; status 0; json t.json "d['parameters'][0]['truth'] == 1"
it "a truth may be an expression of numbers"
run recover decay.yaml --truth k=8/3 --trials 1 --json t.json --quiet; status 0; json t.json "d['parameters'][0]['truth'] == 8/3"
it "a truth outside of the bounds is refused"
run recover decay.yaml --set estimate.k.max=0.9; status 2; no_out; err "the truth of k, 1, is outside its bounds"
it "random starts, spelled with a dash too"
run recover decay.yaml --truth k=2 --trials 10 --random-starts --noise 0; status 0; out "10 of 10 trials succeeded"
it "an unknown truth gets the nearest name"
run recover decay.yaml --truth kk=2; status 2; no_out; err "did you mean 'k'"
it "a truth that is named twice is refused"
run recover decay.yaml --truth k=2,k=3; status 2; no_out; err "k is named twice"
it "no trials are refused with the range"
run recover decay.yaml --trials 0; status 2; no_out; err "1 to 1e6"
it "noise unlike sigma is told; noise can be as sigma says"
run recover decay.yaml --set experiments.0.measure.x.sigma=0.001 --truth k=2 --noise 0.02 --noise_kind additive --trials 3 --json n.json
holds test "$code" -le 1; out "The simulated noise of x is .* times its sigma"; valid_json n.json; json n.json "d['noise_over_sigma'] > 5"
run recover decay.yaml --set experiments.0.measure.x.sigma=0.01 --truth k=2 --noise_kind sigma --trials 3 --json n.json; status 0
out "noise of size sigma; seed 1"; holds test "$(grep -c "times its sigma" out)" = 0; json n.json "d['noise_kind'] == 'sigma' and d['noise_over_sigma'] == 1"
run recover decay.yaml --truth k=2 --trials 3 --json n.json; status 0; json n.json "d['noise_over_sigma'] is None"
run recover decay.yaml --truth k=2 --noise_kind sigma; status 2; no_out; err "x has none"
it "noise may be correlated and data rounded"
run recover decay.yaml --truth k=2 --noise 0.02 --noise_kind additive --noise_correlation 0.8 --noise_slow_share 0.5 --quantum 0.01 --trials 5 --json n.json; status 0
out "noise 0.02, additive, correlation 0.8 in 0.5 of its variance; rounded to 0.01;"; json n.json "d['noise_correlation'] == 0.8 and d['noise_slow_share'] == 0.5 and d['quantum'] == 0.01"
run recover decay.yaml --noise_correlation 1; status 2; no_out; err "-0.999 to 0.999"
it "rounding counts as noise, and without noise no bias is told that simulations are too coarse for"
run recover decay.yaml --set experiments.0.measure.x.sigma=0.03 --truth k=2 --noise 0 --quantum 0.1 --trials 3 --json n.json; status 0
json n.json "abs(d['noise_over_sigma'] - 0.1/12**0.5/0.03) < 1e-12"; holds test "$(grep -c "times its sigma" out)" = 0
run recover decay.yaml --set experiments.0.measure.x.sigma=0.1 --truth k=2 --noise 0.001 --quantum 0.1 --trials 3; out "The simulated noise of x, rounding included, is 0.29 times its"
run recover decay.yaml --truth k=2 --noise 0 --random_starts --trials 20 --json n.json; status 0; json n.json "abs(d['parameters'][0]['bias_t']) > 3"; holds test "$(grep -c biased out)" = 0
it "noise of another kind gets the list"
run recover decay.yaml --noise_kind loud; status 2; no_out; err "additive"
it "--progress tells the trials"
run recover decay.yaml --truth k=2 --trials 5 --progress; status 0; err "^trial"
it "a signal ends it with the trials so far and exit status 1"
interrupt INT '^trial [2-9]' recover decay.yaml --truth k=2 --trials 100000 --json s.json
status 1; out "stopped; 100000 were requested"; valid_json s.json; json s.json "0 < d['done'] < d['trials']"
