# Weights of samples: the command, and what they do to a fit.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

cat >forced.mo <<'END'
model Forced
  parameter Real k(min = 0.1, max = 10) = 2;
  parameter Real b = 0.5;
  input Real u;
  Real x(start = 1, fixed = true), y;
equation
  der(x) = -k*x + b*u;
  y = x^2;
end Forced;
END
awk 'BEGIN { srand(7); print "t,x,y,u,w"; for (i = 0; i <= 120; i++) { t = i/20 + (i > 60)*0.3;
  printf "%.4g,%.8g,%s,%.6g,%d\n", t, exp(-t) + 0.02*(rand() - 0.5), i % 4 ? "" : 1 + 0.1*rand(), sin(3*t), i % 3 == 1 ? 0 : 1 + i % 5 } }' >a.csv
sed 's/^\([0-9.]*\),/1\1,/' a.csv | awk -F, 'NR == 1 || NR < 40' | sed '1s/.*/t,x,y,u,w/' >b.csv
cat >forced.yaml <<'END'
model: forced.mo
experiments:
  - {name: first, data: a.csv, measure: {x: {column: x, weight: 3, sigma: 1}, y: {column: y, sigma: 1}}, windows: {early: [0, 1]}}
  - {name: second, data: b.csv, measure: {x: {column: x, sigma: 0.1}}}
estimate: {k: 1, b: 1}
method: lm
weights: {kind: grid, over: [x, u], cells: [6, 4], column: w, regions: [{where: x < 0.3, weight: 0.5}]}
END

it "the weights are a CSV with the mean 1 over those that count"
run weights forced.yaml; status 0; cp out w.csv
holds awk -F, 'NR == 1 && $0 != "experiment,time,weight" { exit 1 } NR > 1 { n += $3 > 0; s += $3; zero += $3 == 0 } END { exit !(zero > 20 && s/n > 1 - 1e-12 && s/n < 1 + 1e-12) }' w.csv
holds test "$(cut -d, -f1 w.csv | sort -u | tr '\n' ' ')" = "experiment first second "
it "the summary is on standard error, so that the CSV can be used"
err "^forced.yaml: weights of 159 samples by grid, times column 'w'"; err "^  early"; err "^  x < 0.3"; err "12 cells of the grid"
it "with -o it is on standard output"
run weights forced.yaml -o w2.csv; status 0; no_err; out "^State space"; holds cmp w.csv w2.csv
it "no line is wider than 80 columns"
holds awk 'length > 80 { exit 1 }' out
it "--quiet leaves the CSV alone"
run weights forced.yaml --quiet; status 0; no_err; holds cmp out w.csv
it "pictures are written"
run weights forced.yaml -o w2.csv --svg w.svg --png w.png --quiet; status 0; no_out; holds grep -q "<svg" w.svg; holds test "$(head -c 4 w.png | tail -c 3)" = PNG
it "--kind and --over replace what the problem says"
run weights decay.yaml --kind distances --over x -o d.csv; status 0; out "weights of 61 samples by distances"
it "a name that is not measured is refused, and nothing is written"
run weights decay.yaml --kind grid --over x,y -o none.csv; status 2; err "y is not measured"; holds test ! -e none.csv
it "no place twice"
run weights forced.yaml -o w.svg --svg w.svg; status 2
it "a problem without weights has the weight 1 everywhere, and says so"
run weights decay.yaml; status 0; err "has no 'weights'"; holds awk -F, 'NR > 1 && $3 != 1 { exit 1 }' out; lines 62

# The objective is half the sum of weight times sample weight times quadrature times (residual/sigma)^2, as recomputed from
# the weights and the residuals that the command writes. $1: sum or integral, the rest: more flags
objective_is_right() {
  local criterion=$1
  shift
  run fit forced.yaml --criterion "$criterion" "$@" --residuals r.csv --json f.json --quiet
  awk -F, -v integral=$([[ $criterion == integral ]] && echo 1 || echo 0) '
    NR == FNR { if (FNR > 1) w[$1 "," $2] = $3; next }
    FNR > 1 { key = $1 "," $2; i = n[key]++; t[key, i] = $3; r[key, i] = $6; weight[key, i] = w[$1 "," $3] }
    END { for (key in n) for (i = 0; i < n[key]; i++) {
            q = integral ? ((i ? t[key, i] - t[key, i - 1] : 0) + (i < n[key] - 1 ? t[key, i + 1] - t[key, i] : 0))/2 : 1
            factor = key == "first,x" ? 3 : key == "second,x" ? 100 : 1
            v += factor*q*weight[key, i]*r[key, i]^2/2 }
          printf "%.10g\n", v }' w.csv r.csv >v
  json f.json "abs(d['objective'] - float(open('v').read())) <= 1e-6*d['objective']"
}
for method in lm gauss-newton nelder-mead homotopy; do
  it "the objective of $method has the weights"
  objective_is_right sum --method $method --confirm off
done
it "so has the integral"
objective_is_right integral
it "so has one whose slopes are differences"
objective_is_right sum --derivatives central

it "samples of weight 0 are as if they were missing"
awk -F, 'BEGIN { OFS = "," } NR > 1 && $5 == 0 { $2 = $3 = "" } { print }' a.csv >gone.csv
cat >gone.yaml <<'END'
model: forced.mo
experiments: {data: a.csv, measure: {x: {column: x, sigma: 0.05}, y: {column: y, sigma: 0.5}}}
estimate: {k: 1, b: 1}
method: lm
weights: {regions: [{where: time >= 0, weight: 1}], column: w}
END
for loss in squares huber; do
  run fit gone.yaml --loss $loss --json zero.json --quiet
  run fit gone.yaml --loss $loss --set experiments.data=gone.csv --json gone.json --quiet
  json zero.json "all(abs(a[k] - b[k]) < 1e-6*abs(b[k]) for a, b in zip(d['parameters'], json.load(open('gone.json'))['parameters']) for k in ('value', 'std_error'))"
  json zero.json "[c['n'] for c in d['channels']] == [c['n'] for c in json.load(open('gone.json'))['channels']] and d['channels'][0]['n'] < 90"
  json zero.json "all(abs(a['rmse'] - b['rmse']) < 1e-3*b['rmse'] for a, b in zip(d['channels'], json.load(open('gone.json'))['channels']))"
done
it "intervals of a weighted fit are sandwiches"
json zero.json "d['sandwich']"

it "with one sample per cell a recording that is given twice changes nothing"
cat >once.yaml <<'END'
model: forced.mo
experiments: [{name: a, data: a.csv, measure: {x: x}}]
estimate: {k: 1, b: 1}
method: lm
weights: {kind: grid, one_per_cell: true}
END
sed "s/^experiments.*/experiments: [{name: a, data: a.csv, measure: {x: x}}, {name: b, data: a.csv, measure: {x: x}}]/" once.yaml >twice.yaml
run fit once.yaml --json once.json --quiet; status 0; no_err
run fit twice.yaml --json twice.json --quiet; status 0; err "no sample of x in experiment 2 (b) counts"
json twice.json "all(abs(a[k] - b[k]) <= 1e-9*abs(b[k]) for a, b in zip(d['parameters'], json.load(open('once.json'))['parameters']) for k in ('value', 'std_error'))"

# The case of the paper: a sine with dwell, then 100 s at one operating point, at 10 ms.
it "the shares of a transient are those of the published weightings"
run simulate "$models/../examples/vehicles/vehicle14b.mo" --stop 105 --step 0.01 --rel_tol 1e-9 --variables usw,vyg,vxg,'der(psi)' -o raw.csv; status 0
awk -F, 'NR == 1 { print "t,u,alpha,psid"; next } { printf "%s,%s,%.17g,%s\n", $1, $2, atan2($3, $4), $5 }' raw.csv >b2.csv
cat >b2.yaml <<END
model: $models/../examples/vehicles/bicycle2.mo
experiments: {data: b2.csv, measure: [alpha, psid]}
estimate: [B]
weights: {kind: grid, cells: 20, over: [alpha, psid, u]}
END
share() { # share KIND SHARE: of the weight up to 5 s
  run weights b2.yaml --kind "$1" -o s.csv; status 0
  near "$(awk -F, 'NR > 1 { s += $3; if ($2 <= 5) e += $3 } END { print e/s }' s.csv)" "$2" 0.005
}
share grid 0.822; out "113 cells of the grid"; share ellipses 0.871; share distances 0.461
near "$(awk -F, 'NR > 1 && (NR == 2 || $3 < s) { s = $3 } END { print s }' s.csv)" 0.520 0.001
near "$(awk -F, 'NR > 1 && $3 > s { s = $3 } END { print s }' s.csv)" 20.1 0.05
