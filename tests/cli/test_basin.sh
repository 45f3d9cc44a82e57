# Which optimum is reached from which start.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

cat >swing.mo <<'MODEL'
model Swing
  parameter Real w(min = 0.5, max = 8) = 3 "frequency";
  parameter Real d(min = 0, max = 0.2) = 0.1;
  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(x) = v; der(v) = -w^2*x - d*v;
end Swing;
MODEL
"$ENTRAIN" simulate swing.mo --stop 20 --step 0.2 --variables x -o swing.csv
cat >swing.yaml <<'MODEL'
model: swing.mo
experiments: [{data: swing.csv, measure: {x: x}}]
estimate: {w: {start: 5}, d: {start: 0.05}}
MODEL

it "a map, the optima with their shares, and the work"
run basin swing.yaml --grid 12x4 --method lm --truth; status 0; no_err
out "^swing.yaml: .* % of the starts reach the best optimum"; out "12 x 4 starts over w and d; lm"; out "^  no\. .*share .*objective"; out "fits the noise; error"; out "with sensitivities in 48 searches"
it "results are not confirmed, so none is called certain"
run basin swing.yaml --grid 3x3 --method auto --json a.json; status 0; holds test "$(grep -c certain out a.json | grep -vc ':0')" = 0; json a.json "d['optima'][0]['fits'] is True"
run basin swing.yaml --grid 3x3 --method auto --confirm off --json o.json; json a.json "d['optima'] == json.load(open('o.json'))['optima']"
it "no line is wider than 80 columns"
holds awk 'length > 80 { exit 1 }' out
it "files hold the same study"
run basin swing.yaml --grid 12x4 --method lm --json b.json --csv b.csv --svg b.svg --png b.png --quiet; status 0; no_out; no_err; valid_json b.json
holds test "$(wc -l <b.csv)" = 49; holds grep -q "^start,outcome,optimum,objective,fits,iterations,simulations,sensitivity_simulations,start w,start d,w,d$" b.csv
json b.json "d['starts'] == d['done'] == 48 and len(d['reached']) == 48 and d['reached'].count(1) == d['reached_best'] == d['optima'][0]['starts']"
json b.json "abs(d['optima'][0]['values'][0] - 3) < 1e-5 and sum(o['starts'] for o in d['optima']) + d['failed'] + d['not_converged'] == 48"
json b.json "[int(l.split(',')[2] or 0) for l in open('b.csv').read().split('\n')[1:-1]] == d['reached']"
holds test "$(head -c 4 b.png | tail -c 3)" = PNG; holds grep -q "<title>.* of the starts reach the best optimum</title>" b.svg
if command -v python3 >/dev/null; then holds python3 -c "import xml.dom.minidom as m; m.parse('b.svg')"; fi
it "the number of threads changes nothing"
for n in 1 2 3 8; do run basin swing.yaml --grid 12x4 --method lm -j $n --csv t$n.csv --quiet; status 0; done; holds cmp t1.csv t2.csv; holds cmp t1.csv t3.csv; holds cmp t1.csv t8.csv
it "homotopy reaches the best optimum from everywhere"
run basin swing.yaml --grid 12x4 --method homotopy --json h.json -q; status 0; json h.json "d['basin_fraction'] == 1 and len(d['optima']) == 1"
it "one number is a strip"
run basin swing.yaml --over w --grid 30 --start d=0.1 --method lm --svg one.svg; status 0; out "30 starts over w, d = 0.1; lm"; holds grep -q "objective reached" one.svg
it "random starts depend on the seed only"
run basin swing.yaml --random 20 --method lm --csv r.csv; status 0; out "20 random starts over w and d; lm; seed 1"
run basin swing.yaml --random 20 --method lm --csv r2.csv -q; holds cmp r.csv r2.csv
run basin swing.yaml --random 20 --method lm --seed 2 --csv r3.csv -q; holds test "$(cmp -s r.csv r3.csv; echo $?)" = 1
it "ranges and spacings"
run basin swing.yaml --over w --grid 3 --range w=1:4 --log w --method lm --csv g.csv -q; status 0; holds test "$(awk -F, 'NR > 1 { printf "%s ", $9 }' g.csv)" = "1 2 4 "
run basin swing.yaml --random 5 --range w=1:1.5,d=0.1:0.2 --method lm --csv g.csv -q; holds test "$(awk -F, 'NR > 1 && ($9 < 1 || $9 > 1.5 || $10 < 0.1)' g.csv | wc -l)" = 0
run basin swing.yaml --over w --grid 3 --range w=3/2:4 --method lm --csv g.csv -q; holds grep -q ",1.5,0.05," g.csv
it "the default grid of a problem with one number"
run basin decay.yaml --method lm --json d.json -q; status 0; json d.json "d['starts'] == 100 and d['over'][0]['name'] == 'k'"
it "- is standard output, which then has nothing else"
run basin swing.yaml --over w --grid 4 --method lm --json -; status 0; valid_json out
it "wrong plans are refused with what is allowed"
run basin swing.yaml --over ww; status 2; no_out; err "did you mean 'w'"
run basin swing.yaml --over w,d --grid 5; status 2; no_out; err "one count for each of the 2 unknowns"
run basin swing.yaml --over w --grid 5x5; status 2; no_out; err "one count for each"
run basin swing.yaml --grid 0x5; status 2; no_out; err "not a count from 1"
run basin swing.yaml --grid 5x5 --random 3; status 2; no_out; err "not both"
run basin swing.yaml --random many; status 2; no_out; err "not a count"
run basin swing.yaml --over w --range d=0:1; status 2; no_out; err "'d' does not vary between starts"
run basin swing.yaml --over w --range w=1; status 2; no_out; err "name=low:high"
run basin swing.yaml --over w --range w=1:2:3; status 2; no_out; err "name=low:high, two numbers"
run basin swing.yaml --over w,d,w --grid 3x3; status 2; no_out; err "--over names 'w' twice"
run basin swing.yaml --over w --log w --linear w; status 2; no_out; err "give 'w' in --log or in --linear"
run basin swing.yaml --over w --range w=1:9; status 2; no_out; err "leaves its bounds"
run basin swing.yaml --over d --log d; status 2; no_out; err "must be positive"
run basin swing.yaml --grid 5000x5000; status 2; no_out; err "too many"
run basin swing.yaml --truth u=1; status 2; no_out; err "'u' is not estimated"
run basin swing.yaml --svg swing.csv; status 2; no_out; err "would overwrite"
it "three numbers need --over"
sed 's/estimate: {/estimate: {x.start: {start: 1, min: 0, max: 2}, /' swing.yaml >three.yaml
run basin three.yaml; status 2; no_out; err "unknowns that vary between starts (3 are estimated)"
run basin three.yaml --over w,d,x.start; status 2; no_out; err "give --grid with one count for each of the 3"
run basin three.yaml --over w,d,x.start --grid 3x2x2 --method lm --svg three.svg; status 0; out "3 x 2 x 2 starts over w, d and x.start"; holds grep -q "most frequent outcome" three.svg
it "--progress tells starts, rate and time left"
run basin swing.yaml --grid 40x40 --method lm --lanes off --progress; err "^start [0-9]* of 1600"
it "a signal ends it with the starts so far and exit status 1"
interrupt INT '^start [1-9][0-9]* of' basin swing.yaml --grid 300x300 --method lm --lanes off --json s.json
status 1; out "stopped, [0-9]* of 90000 were done"; valid_json s.json; json s.json "0 < d['done'] < d['starts'] and len(d['reached']) == d['done']"
