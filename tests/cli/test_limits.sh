#!/bin/bash
# Limits, signals and files: every command ends when it is asked to, with what was reached, and loses nothing of it.
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/problem.sh"

sed 's/^options:.*/options: {restarts: 1000000, max_simulations: 2000000000, max_seconds: 0.5, confirm: off}/' endless.yaml >half.yaml
# ended: nothing that runs for half a second takes as long as this, even on a loaded machine
ended() { [[ $code -ne 124 && $code -ne 137 ]] || wrong "it goes on after max_seconds"; }
limited() { timeout -k 1 20 "$ENTRAIN" "$@" >out 2>err </dev/null; code=$?; ended; sed -i '/ASan doesn.t fully support makecontext/d' err; }

# ---------------------------------------------------------------- max_seconds

it "max_seconds ends a fit, and its seconds contain the statistics"
limited fit half.yaml --json f.json; status 1; out "budget"; json f.json "d['outcome'] == 'budget' and 0.4 < d['work']['seconds'] < 5"
it "max_seconds ends a fit in the middle of its first simulation"
limited fit half.yaml --max_step 1e-6 --max_steps 2000000000 --json f.json; status 1; no_err; valid_json f.json
json f.json "d['outcome'] == 'budget' and d['objective'] is None and 'intervals' in d['missing'] and d['message'] == 'the budget is used up'"
out "There is no result"; holds test "$(grep -c "best point" out)" = 0
it "max_seconds ends a simulation with the rows so far"
limited simulate endless.mo --stop 1e6 --step 1 --max_step 1e-3 --max_steps 2000000000 --max_seconds 0.5 -o rows.csv --json rows.json
status 1; err "stopped"; json rows.json "d['outcome'] == 'stopped' and len(d['columns']['x']) > 10"
holds test "$(tail -n 1 rows.csv | tr -cd , | wc -c)" = 2
it "max_seconds ends a check with the findings so far"
limited check half.yaml --max_step 1e-6 --max_steps 2000000000 --json c.json; status 1; out "stopped before all was examined"; json c.json "d['stopped'] and not d['passed'] and d['findings']"
it "max_seconds ends a basin study"
limited basin half.yaml --grid 300x300 --json b.json; status 1; out "stopped"; valid_json b.json
it "max_seconds ends a comparison, and every method has its share"
limited compare half.yaml --methods homotopy,auto,multistart:starts=1000000 --format json -o m.json; status 1
json m.json "len(d['methods']) == 3 and all(r['runs'] for r in d['methods'])"
it "max_seconds ends a study with known truth"
limited recover half.yaml --trials 100000 --noise 0.01 --json r.json; status 1; valid_json r.json
it "max_seconds ends profiles"
limited profile half.yaml --json p.json; status 1; json p.json "d['stopped']"

it "what there is no time for is named: standard errors, what the data determine"
n=60
{ echo "model Chain"; for ((i = 0; i < n; i++)); do echo "parameter Real k$i = 1; Real x$i(start = 1, fixed = true);"; done
  echo equation; for ((i = 0; i < n; i++)); do echo "der(x$i) = -k$i*x$i;"; done; echo "end Chain;"; } >chain.mo
run simulate chain.mo --stop 2 --step 0.001 -o chain.csv; status 0
{ echo "model: chain.mo"; echo "experiments: [{data: chain.csv, measure: {"; for ((i = 0; i < n; i++)); do echo "x$i: x$i,"; done; echo "}}]"
  echo "estimate: {"; for ((i = 0; i < n; i++)); do echo "k$i: {start: 1.0001, min: 0.1, max: 9},"; done; echo "}"; } >chain.yaml
for seconds in 0.05 0.1 0.2 0.4 0.8; do # long enough for a result, too short for the rest
  limited fit chain.yaml --method lm --max_seconds $seconds --json late.json; status 1
  ! grep -q '^  "objective": null' late.json && break
done
out "^  - Stopped before"
json late.json "d['missing'] and d['missing'][-1] == 'identifiability' and any('Stopped before' in r for r in d['remarks'])"
run fit decay.yaml --json whole.json; status 0; json whole.json "d['missing'] == []"

# ---------------------------------------------------------------- files

it "a file that cannot be written costs no other"
rm -f r.csv t.csv; run fit decay.yaml --json /dev/full --residuals r.csv --trace t.csv; status 2; err "/dev/full: No space left"
holds test "$(wc -l <r.csv)" = 62; holds test -s t.csv; out "Parameters"
run basin decay.yaml --grid 3 --svg /dev/full --csv b.csv --json b.json; status 2; holds test -s b.csv; valid_json b.json
run recover decay.yaml --truth k=2 --trials 2 --json /dev/full --csv r.csv; status 2; holds grep -q "^2" r.csv
run simulate decay.mo --json /dev/full -o s.csv; status 2; holds test "$(wc -l <s.csv)" = 502
it "results are written before the report: a full disk at standard output does not lose them"
for command in "fit decay.yaml" "check decay.yaml" "profile decay.yaml" "basin decay.yaml --grid 3" "recover decay.yaml --truth k=2 --trials 2"; do
  rm -f o.json; "$ENTRAIN" $command --json o.json >/dev/full 2>err </dev/null; code=$?; status 2; err "standard output: No space left"; valid_json o.json
done
it "nor does a closed standard output"
rm -f o.json; "$ENTRAIN" fit decay.yaml --json o.json >&- 2>err </dev/null; code=$?; status 2; err "standard output"; valid_json o.json
it "nothing is written into files that take the place of a closed standard error"
rm -f o.json; "$ENTRAIN" fit decay.yaml --json o.json --residuals absent.csv --method lm 2>&- >out </dev/null; code=$?; status 0; valid_json o.json
it "a closed pipe is quiet"
"$ENTRAIN" simulate decay.mo --step 1e-5 2>err </dev/null | head -n 1 >out; code=${PIPESTATUS[0]}; status 0; no_err; out "^time"
it "a picture that cannot be drawn leaves none of an earlier run"
echo old >old.svg; cp old.svg old.png
interrupt INT '^fit' profile endless.yaml --json s.json --svg old.svg --png old.png
status 1; holds test ! -e old.svg; holds test ! -e old.png; err "old.svg is of an earlier run"; json s.json "d['stopped']"
it "a pipe that nobody reads does not keep a command from ending"
mkfifo pipe; env --default-signal=INT,TERM "$ENTRAIN" fit decay.yaml --json pipe --residuals r.csv >out 2>err </dev/null & pid=$!
sleep 2; kill -INT $pid; wait $pid; code=$?; status 2; err "pipe"; holds test "$(wc -l <r.csv)" = 62
interrupt INT '^growing horizon' fit endless.yaml --json pipe --trace t.csv; status 2; err "pipe"; holds test -s t.csv

# ---------------------------------------------------------------- signals

it "where nothing is reached, a signal says so and changes no file"
mkfifo slow.csv; echo old >kept.json
env --default-signal=HUP "$ENTRAIN" fit decay.yaml --set experiments.0.data=slow.csv --json kept.json >out 2>err </dev/null & pid=$!
until grep -q entrain /proc/$pid/comm && signal_set $pid SigCgt || ! kill -0 $pid; do sleep 0.05; done
kill -HUP $pid; wait $pid; code=$?; status 1; err "before anything was computed"; no_out; holds grep -q old kept.json
if command -v python3 >/dev/null; then
  finish_test; title=
  # a line of TAP and what was seen
  line=$("$models/../tools/signals" "$(dirname "$ENTRAIN")" 50 2>&1); number=$((number + 1))
  grep -q '^ok' <<<"$line" || failures=$((failures + 1))
  sed "s/ok 1 -/ok $number -/" <<<"$line"
else skip "signals at random moments end every command with what was reached" "there is no python3"
fi

it "a stop of the profiles leaves the result, says what is missing, and ends with status 1"
cat >bounded.yaml <<'END'
model: decay.mo
experiments: [{data: decay.csv, measure: {x: x}}]
estimate: {k: {start: 1.9, min: 0.01, max: 2.01}}
options: {max_step: 2e-6, max_steps: 2000000000, threads: 1}
END
interrupt TERM '^profiles' fit bounded.yaml --method lm --json s.json; status 1; err "stopped by a signal"
out "^bounded.yaml: converged"; tr -s '\n ' ' ' <out >line
holds grep -q "The interval of k comes from linear theory.*Not all profiles were done: the fit was stopped" line
json s.json "d['outcome'] == 'converged' and d['missing'] == ['profiles'] and d['parameters'][0]['profile_wanted']"
it "max_simulations counts those of profiles"
run fit bounded.yaml --max_step 1 --method lm --json w.json; status 0; json w.json "d['missing'] == [] and d['work']['profiles']['sensitivity_simulations'] + d['work']['profiles']['simulations'] > 3"
most=$(($(sed -n 's/.* \([0-9]*\) simulations (.*/\1/p' out) - 2))
run fit bounded.yaml --max_step 1 --method lm --max_simulations "$most" --json s.json; status 1; tr -s '\n ' ' ' <out >line
holds grep -q "Not all profiles were done: max_simulations ended the fit" line
json s.json "d['outcome'] == 'converged' and d['missing'] == ['profiles'] and d['work']['simulations'] + d['work']['sensitivity_simulations'] <= $most"
