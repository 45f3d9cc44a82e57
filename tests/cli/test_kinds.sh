# residual: prediction and equation through the command: case B of the vehicles, noise in the states, steps, studies.
source "$(dirname "$0")/lib.sh"
cars=$models/../examples/vehicles

# value KEY: the first number of that key in fit.json. near A B PART: A equals B up to this part of B.
value() { grep -o "\"$1\": *[-+0-9.e]*" fit.json | head -n 1 | sed 's/.*: *//'; }
near() { awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { d = a - b; d = d < 0 ? -d : d; b = b < 0 ? -b : b; exit !(d <= part*b) }'; }

run simulate "$cars/vehicle14b.mo" --stop 105 --step 0.01 --rel_tol 1e-9 --variables 'usw,beta,der(psi)' -o made.csv
sed '1s/.*/t,u,alpha,psid/' made.csv >drive.csv
cat >drive.yaml <<END
model: $cars/bicycle2.mo
residual: prediction
scale: range
method: lm
experiments: {data: drive.csv, measure: [alpha, psid]}
estimate:
  rsteer: {start: 1/15, min: 0.01, max: 0.12}
  B: {start: 8, min: 1, max: 30}
  C: {start: 1.3, min: 1, max: 3}
  D: {start: -10000, min: -20000, max: -2000}
  E: {start: -0.5, min: -20, max: 1}
options: {profiles: off}
END
# noisy SIGMA FILE: with noise of SIGMA rad/s in psid and a fifth of it in alpha.
noisy() {
  awk -F, -v OFS=, -v s="$1" 'BEGIN { srand(3) } function normal() { return sqrt(-2*log(1 - rand()))*cos(6.283185307*rand()) }
    NR > 1 { $3 = sprintf("%.10g", $3 + s/5*normal()); $4 = sprintf("%.10g", $4 + s*normal()) } { print }' drive.csv >"$2"
}

it "reaches the published objective of the two-state bicycle"
run fit drive.yaml --json fit.json
holds near "$(value objective)" 0.0395419 1e-5 # J = 2 V = 7.9084e-2
out 'predictions 1 sample ahead'; out 'States: alpha, psid measured'
grep -q 'states that residuals begin at' out && wrong "a remark on noise, where there is none"

it "says the ranges of the increments"
holds near "$(value range)" 2.531e-3 2e-3

it "does so from the other starts, from the last by another method: lm ends in a worse optimum at a bound"
run fit drive.yaml --start rsteer=1/18,B=12,C=1.5,D=-9000,E=-2 --json fit.json
holds near "$(value objective)" 0.0395419 1e-5
run fit drive.yaml --method lmder --start rsteer=1/14,B=6,C=1.2,D=-12000,E=-1 --json fit.json
holds near "$(value objective)" 0.0395419 1e-5

it "warns of errors in variables where noise is not small, and only there"
noisy 2e-3 loud.csv
noisy 2e-4 quiet.csv
run fit drive.yaml --set experiments.data=loud.csv
out 'errors in'
run fit drive.yaml --set experiments.data=quiet.csv
grep -q 'errors in' out && wrong "a remark, although the noise changes nothing"

cat >swing.mo <<'END'
model Swing
  parameter Real k = 4, c = 0.3;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -k*sin(x) - c*v;
end Swing;
END
run simulate swing.mo --stop 10 --step 0.05 --rel_tol 1e-12 -o swing.csv
cat >swing.yaml <<'END'
model: swing.mo
residual: prediction
experiments: {data: swing.csv, measure: [x, v]}
estimate: {k: {start: 2, min: 0, max: 20}, c: {start: 1, min: 0, max: 5}}
END

it "finds the truth by all kinds of prediction and from equations"
for how in "" --prediction_by=integrator --prediction_ahead=3 --residual=equation "--set experiments.measure=[x]" \
           "--set experiments.measure=[x] --prediction_by=integrator --prediction_ahead=2" \
           "--set experiments.measure=[x] --residual=equation"; do
  run fit swing.yaml $how --json fit.json # words of $how are arguments
  status 0
  near "$(value value)" 4 2e-3 || wrong "k is $(value value) with $how"
done

it "is certain of exact predictions by the integrator, and never of others"
run fit swing.yaml --prediction_by=integrator
out 'converged and certain'; out 'Predictions follow the data'
run fit swing.yaml --prediction_by=euler
out 'searches agree'; out 'not tell how large the errors'
run fit swing.yaml --residual=equation
out 'not tell how large the errors'

it "remarks that a step is too long"
run fit swing.yaml --prediction_by=euler
out 'One Euler step'
run fit swing.yaml --prediction_by=integrator
grep -q 'One .* step' out && wrong "a remark on steps of the integrator"

it "reports errors of the recorded quantities in windows, also where derivatives are fitted"
for kind in prediction equation; do
  run fit swing.yaml --residual=$kind --set experiments.windows.late=[5,10] --json fit.json
  out '\bx  *late  *101 '; out '\bv  *late  *101 '
done
[[ $(grep -c '"role": "free-run"' fit.json) -eq 2 ]] || wrong "JSON has no channels of the free run"

it "tells where states come from"
run fit swing.yaml --set experiments.measure=[x] --json fit.json
out 'v from the model coupled'
grep -q '"state": "v", "from": "tied"' fit.json || wrong "JSON: $(grep -A3 '"states"' fit.json)"
run fit swing.yaml --set experiments.measure=[x] --residual=equation
out 'smoothing splines'
run check swing.yaml
out 'predictions 1 sample ahead'

it "refuses methods of simulations by name"
run fit swing.yaml --method homotopy
status 2; err 'method homotopy is about simulations'; no_out
run compare swing.yaml --methods homotopy,lm
out 'method homotopy is about simulations'

it "works in studies"
run recover swing.yaml --trials 10 --noise 0.001
status 0; out '10 of 10 trials'
run recover swing.yaml --trials 10 --noise 0.001 --residual=equation
status 0; out '10 of 10 trials'
run profile swing.yaml --residual=equation
status 0; out '2 of 2 determined'
run basin swing.yaml --over k,c --grid 3x3
status 0
run compare swing.yaml --methods lm,nelder-mead,newton,ga --prediction_ahead=2
status 0

it "uses linear residuals where there are no second derivatives"
run fit swing.yaml --method newton
out 'second derivatives'
