# scan: the objective over one or two numbers.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "CSV on standard output: ends included, one column a number"
run scan decay.yaml --over k=1:3:5; status 0; no_err; lines 6
holds test "$(head -n 1 out)" = k,lambda,objective; out "^1,0,"; out "^1.5,0,"; out "^3,0,"
it "one point is the first"
run scan decay.yaml --over k=1:3:1; status 0; lines 2; out "^1,0,"
it "each objective is that of evaluate"
run scan decay.yaml --over k=1:3:5 --lambda 1,0; status 0; cp out s.csv; lines 11
for row in "1,1" "2.5,1" "2.5,0" "3,0"; do
  run evaluate decay.yaml --start "k=${row%,*}" --lambda "${row#*,}" --json e.json --quiet
  json e.json "abs(d['objective'] - $(grep "^$row," s.csv | cut -d, -f3)) < 1e-5*d['objective'] + 1e-12"
done
it "the others have the values of a fit, or of --start"
cat >two.yaml <<'END'
model: decay.mo
experiments: [{data: decay.csv, measure: {x: x}}]
estimate: {k: {start: 0.5, min: 0.01, max: 50}, x.start: {start: 0.3, min: 0, max: 5}}
END
run fit two.yaml --json f.json --quiet; status 0
run scan two.yaml --over k=1.9:2.1:21 --parameters f.json -o a.csv; status 0; out "Held: x.start ="
run scan two.yaml --over k=1.9:2.1:21 --parameters f.json --start x.start=0.3 -o b.csv; status 0; out "Held: x.start = 0.3"
least() { awk -F, 'NR > 1 && (m == "" || $NF < m) { m = $NF } END { print m }' "$1"; }
holds test "$(awk -v a="$(least a.csv)" -v b="$(least b.csv)" 'BEGIN { print (a < b/10) }')" = 1
it "two numbers: the first is the fastest"
run scan two.yaml --over k=1:2:3,x.start=0:1:2; status 0; lines 7; holds test "$(sed -n 3p out | cut -d, -f1,2)" = 1.5,0
it "a parameter that is not estimated, and ranges beyond the bounds"
run scan decay.yaml --over x.start=0.5:1.5:11 -o a.csv; status 0; out "at x.start"; out "Held: k = 0.5"
run scan decay.yaml --over k=-1:2:4 -o a.csv; status 0; out "leaves its bounds"
it "logarithmic spacing"
run scan decay.yaml --over k=0.1:10:3 --log k,objective --svg l.svg; status 0; out "^1,0,"; holds grep -q "</svg>" l.svg
it "pictures, and the terminal"
run scan decay.yaml --over k=1:3:21 --lambda 1,0.5,0 --png p.png --svg p.svg --quiet; status 0; no_out; holds test -s p.png; holds grep -q "lambda = 0.5" p.svg
run scan two.yaml --over k=1:3:21,x.start=0:2:11 --svg m.svg --figures pictures --quiet; status 0; holds grep -q "x.start" m.svg; holds test -s pictures/scan.svg
run scan two.yaml --over k=1:3:21,x.start=0:2:11 --plot; status 0; out "x.start"; out "least objective"; holds awk 'length > 80 { exit 1 }' out
run scan decay.yaml --over k=1:3:21 --plot; status 0; out "objective"
it "points that fail are empty cells, and counted"
sed 's/der(x) = .*/der(x) = -k*x + (if k > 2.2 then 1e4*x^2 else 0);/' decay.mo >sick.mo
run scan decay.yaml --set model=sick.mo --over k=2:2.5:6; status 0; out "^2.5,0,$"; err "3 of 6 points could not be simulated"
run scan decay.yaml --set model=sick.mo --over k=2:2.5:6 -o f.csv; status 0; out "3 of 6 points could not be simulated: "
run scan decay.yaml --set model=sick.mo --over k=2.3:2.5:6 -o f.csv --svg g.svg; status 1; holds test ! -e g.svg
it "wrong ranges, names and lambdas are refused, and nothing is written"
rm -f x.csv
for over in k k=1 k=1:2 k=1:2:3:4 k=a:2:3 k=1:2:0 k=1:2:2.5 k=2:1:3 kk=1:2:3 "k=1:2:3,k=1:2:3" "k=1:2:3,x.start=1:2:3,y=1:2:3" x=1:2:3; do
  run scan decay.yaml --over "$over" -o x.csv; status 2; no_out; holds test ! -e x.csv
done
run scan decay.yaml --over kk=1:2:3; err "there is no parameter 'kk'; did you mean 'k'"
run scan decay.yaml; status 2; err "name one or two numbers with --over"
run scan decay.yaml --over k=1:2:3 --lambda 1,2; status 2; err "lambda must be from 1"
run scan decay.yaml --over k=1:2:3 --log x.start; status 2; err "neither scanned"
run scan decay.yaml --over k=-1:2:3 --log k; status 2; err "above 0"
run scan decay.yaml --over k=1:2:3 -o decay.csv; status 2; err "would overwrite"
run scan decay.yaml --over k=1:2:3 --parameters f.json; status 2
it "max_seconds and signals end it with the rows so far"
run scan decay.yaml --over k=0.5:5:2000,x.start=0:2:2000 --max_seconds 0.3 -o t.csv; status 1; out "max_seconds ended the scan"
holds test "$(wc -l <t.csv)" -gt 10; holds test "$(wc -l <t.csv)" -lt 3000000
interrupt INT "point [1-9]" scan decay.yaml --over k=0.5:5:2000,x.start=0:2:2000 -o i.csv; status 1; out "Stopped"; holds test "$(wc -l <i.csv)" -gt 10
it "threads do not matter"
run scan two.yaml --over k=1:3:40,x.start=0:2:30 -j 1; cp out a.csv; run scan two.yaml --over k=1:3:40,x.start=0:2:30 -j 3; holds cmp out a.csv
