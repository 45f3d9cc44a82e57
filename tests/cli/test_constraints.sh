#!/bin/bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$models/../tests/cli/problem.sh"

cat >two.mo <<'END'
model Two "two springs side by side: only their sum is seen"
  parameter Real k1(min = 0.1, max = 50) = 6;
  parameter Real k2(min = 0.1, max = 50) = 2;
  parameter Real d(min = 0, max = 5) = 0.4;
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -(k1 + k2)*x - d*v;
end Two;
END
"$ENTRAIN" simulate two.mo --stop 10 --step 0.1 --variables x >two.csv
problem() { # problem METHOD CONSTRAINT ...
  printf 'model: two.mo\nexperiments: {data: two.csv, measure: {x: x}}\n'
  printf 'estimate: {k1: {start: 1}, k2: {start: 1}, d: {start: 1}}\nmethod: %s\nconstraints:\n' "$1"
  shift
  printf '  - "%s"\n' "$@"
}

it "finds what the data alone do not tell"
problem sqp "k1 = 3*k2" >p.yaml
run fit p.yaml --json -
status 0; err "the start values do not satisfy 'k1 = 3\*k2': it is -2 there"
out '"text": "k1 = 3\*k2", "value": .*, "active": true, "satisfied": true'
out '"name": "k1", "value": \(6\.0000\|5\.9999\)'
out '"name": "k2", "value": \(2\.0000\|1\.9999\)'

it "shows which constraints are active"
problem sqp "k1 = 3*k2" "0.1 <= d <= 0.3" "k1 + k2 <= 40" >p.yaml
run fit p.yaml
out "^Constraints"; out "0.1 <= d <= 0.3  *0.3  *active"; out "k1 + k2 <= 40  *[0-9.]*$"
out "hold for changes along the active"

for method in "sqp --sqp slsqp" cobyla "multistart(sqp,3)" "portfolio(sqp,cobyla)" "homotopy --local sqp"; do
  it "keeps constraints by $method"
  problem sqp "k1 = 3*k2" "d <= 0.3" >p.yaml
  # shellcheck disable=SC2086
  run fit p.yaml --method ${method} --json -
  out '"text": "k1 = 3\*k2", "value": .*, "satisfied": true'
  out '"text": "d <= 0.3", "value": 0\.\(3\|29999\)[0-9]*, "active": true'
done

it "refuses a method that would ignore them, and names those that do not"
problem lm "k1 = 3*k2" >p.yaml
run fit p.yaml
status 2; err "p.yaml:4:9: .*method lm does not support constraints; these do: auto, homotopy, weak, sqp, cobyla"; no_out
problem sqp "k1 = 3*k2" >p.yaml
run fit p.yaml --method ga
status 2; err "method ga does not support constraints"

it "says where a constraint is wrong"
problem sqp "k1 = 3*k3" >p.yaml
run check p.yaml
status 2; err "p.yaml:6:13: error: there is no parameter 'k3'; did you mean 'k[12]'?"

it "checks whether the start satisfies them"
problem sqp "k1 = 3*k2" "d <= 2" >p.yaml
run check p.yaml
status 0; out "constraint k1 = 3\*k2 does not hold at the start values"
out "constraint d <= 2 holds at the start values"

it "says that constraints cannot be satisfied"
problem sqp "k1*k2 >= 4" "k1^2 + k2^2 <= 1" >p.yaml
run fit p.yaml --json -
out '"end": "infeasible"'; out '"satisfied": false'
run fit p.yaml
status 1; out "no point was found that satisfies the"; out "do not satisfy the constraints, so they are no result"
holds [ "$(grep -c 'above the\|explains' out)" = 0 ]
it "says nothing else about a point that is no result"
out "k1\*k2 >= 4 .*violated"; holds [ "$(grep -c 'std error\|interval\|Remarks\|do not tell\|^Fit' out)" = 0 ]
run fit p.yaml --json n.json; json n.json "all(q['std_error'] is None and q['interval'] == 'none' for q in d['parameters']) and d['remarks'] == [] and d['certificate']['verdict'] is None"
it "numbers that a constraint ties are not called hard to tell apart"
problem sqp "k1 = 3*k2" | sed 's/two.csv/noisy.csv/' >p.yaml
awk -F, 'NR == 1 {print; next} {printf "%s,%.6f\n", $1, $2 + 0.02*sin(NR*NR)}' two.csv >noisy.csv
run fit p.yaml --json n.json; json n.json "min(abs(c) for c in d['correlation'][0][:2]) > 0.999"; holds [ "$(grep -c 'tell apart' out)" = 0 ]

it "takes constraints that say the same for one"
awk -F, 'NR == 1 {print; next} {printf "%s,%.6f\n", $1, $2 + 0.02*sin(NR*NR)}' two.csv >noisy.csv
for more in "2*k1 = 6*k2" "k1^2 = 9*k2^2"; do
  for method in sqp "sqp --sqp slsqp" cobyla; do
    problem sqp "k1 = 3*k2" | sed 's/two.csv/noisy.csv/' >p.yaml
    # shellcheck disable=SC2086
    run fit p.yaml --method ${method}
    grep "^  k[12] .* \.\. " out >once
    problem sqp "k1 = 3*k2" "$more" "k1 <= 3*k2" | sed 's/two.csv/noisy.csv/' >p.yaml
    # shellcheck disable=SC2086
    run fit p.yaml --method ${method}
    status 0
    grep "^  k[12] .* \.\. " out >often
    holds cmp once often
  done
done

it "refuses limits that are not finite, and limits that contradict each other"
problem sqp "k1 <= 1/0" >p.yaml
run fit p.yaml
status 2; err "p.yaml:6:12: error: this side of the constraint is not a finite number"; no_out
problem sqp "k1*k2 <= 5" "k1*k2 >= 10" >p.yaml
run check p.yaml
status 2; err "p.yaml:7:5: error: 'k1\*k2 >= 10' cannot hold together with 'k1\*k2 <= 5'"
