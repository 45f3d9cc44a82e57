#!/bin/bash
# What reports and JSON say of windows, start values from data and samples that are left out; many windows are read in time.
. "$(dirname "$0")/lib.sh"

cat >line.mo <<'END'
model Line
  parameter Real a = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = a;
end Line;
END
rows() { awk -v n="$1" -v m="$2" 'BEGIN { print "t,x,w"; for (i = 0; i < n; i++) printf "%.3f,%.3f,%d\n", i / 1000, 2 * i / 1000, i / m }'; }
rows 1000 250 >d.csv
problem() { printf 'model: line.mo\nmethod: lm\nexperiments: {data: d.csv, measure: [x]%s}\nestimate: {a: {start: 1}%s}\n' "$1" "$2" >p.yaml; }

fit() { run fit p.yaml -q --json r.json; [[ $code -lt 2 ]] || wrong "exit status $code: $(head -n 3 err)"; tr -d '\n' <r.json | grep -o '"data_starts": *{[^}]*}' >found; }

it "the JSON has the start values from data of all experiments, under set and under estimate, also for validation"
for way in "set" "estimate"; do
  if [[ $way == set ]]; then problem ', split: {column: w, validation: 3}, set: {x.start: data}' ''
  else problem ', split: {column: w, validation: 3}' ', x.start: {start: data, per_experiment: true}'; fi
  fit
  for value in 0 0.5 1 1.5; do holds grep -q "\"x.start\": *$value *}" found; done
  holds test "$(wc -l <found)" = 4
done

it "the remark about the noise of start values is about those under set only"
awk -F, 'NR > 1 { $2 = sprintf("%.3f", $2 + 0.1 * sin(NR * NR)) } { print $1 "," $2 "," $3 }' d.csv >noisy.csv && mv noisy.csv d.csv
problem ', set: {x.start: data}' ''
run fit p.yaml
out "Samples gave the start value x.start"
problem '' ', x.start: {start: data}'
run fit p.yaml
holds test "$(grep -c 'Samples gave the start value' out)" = 0

it "samples that lack a part of the filter are left out, and report and JSON say how many"
problem ', every: 10' ''
fit
holds grep -q '"left_out": *24' r.json
run fit p.yaml
tr -s ' \n' ' ' <out >flat
holds grep -q 'missing values, 24 are left out' flat

it "the samples that are left out are those of all experiments alike, and how many in each"
problem ', every: 10, split: {column: w}' ''
run fit p.yaml
tr -s ' \n' ' ' <out >flat
holds grep -q 'One of 10 samples of each of 4 experiments (d-0 to d-3) is kept' flat
holds grep -q 'missing values, 96 are left out, 24 in each' flat

it "windows that a column makes are read in a time that grows as the file"
rows 1000000 500 >d.csv
problem ', split: {column: w}' ''
( ulimit -t 60; "$ENTRAIN" check p.yaml --set experiments.split.only=7 >out 2>err </dev/null ); code=$?
[[ $code -lt 2 ]] || wrong "exit status $code: $(head -n 3 err)"
