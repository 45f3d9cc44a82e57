# Fits: report, files, what can be changed on the command line, how they end.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "a fit finds the truth and says how far it can be trusted"
run fit decay.yaml; status 0; no_err; out "^decay.yaml: converged and certain"; out "95 % interval"; out "^  k "; out "white"
it "no line of the report is wider than 80 columns, and there are no colours"
holds awk 'length > 80 { exit 1 }' out; holds test "$(grep -c $'\033' out)" = 0
it "the estimate is near the truth, its interval around it"
run fit decay.yaml --json -; status 0; cp out r.json; valid_json r.json
json r.json "abs(d['parameters'][0]['value'] - 2) < 0.05"
json r.json "d['parameters'][0]['ci95'][0] < d['parameters'][0]['value'] < d['parameters'][0]['ci95'][1]"
it "the JSON has the keys that others read"
json r.json "set('entrain problem method outcome message objective objective_start parameters channels identifiability covariance correlation work homotopy solver certificate stages remarks'.split()) <= set(d)"
json r.json "list(d['parameters'][0])[:10] == 'name value start min max free at_bound std_error ci95 identifiable'.split()"
json r.json "list(d['channels'][0])[:5] == 'experiment variable n rmse fit_percent'.split() and d['channels'][0]['n'] == 61"
json r.json "d['identifiability']['rank'] == 1 and d['work']['simulations'] + d['work']['sensitivity_simulations'] > 2"
json r.json "d['certificate']['certain'] and d['certificate']['by'] and d['outcome'] == 'converged'"

# ---------------------------------------------------------------- verdicts

cat >keys.py <<'END'
import json, sys
d = json.load(open(sys.argv[1])); c = d['certificate']
number = lambda x: x is None or isinstance(x, (int, float)) and not isinstance(x, bool)
assert isinstance(c['certain'], bool) and c['verdict'] in (None, 'certain', 'agreed', 'ambiguous', 'doubtful')
assert c['certain'] == (c['verdict'] == 'certain')
assert all(type(c['searches'][k]) is int for k in ('planned', 'done', 'agree', 'better'))
assert number(c['noise']['ratio']) and number(c['noise']['limit']) and type(c['noise']['holds']) is bool
assert number(c['white']['p']) and type(c['white']['holds']) is bool
for o in c['optima']:
    assert number(o['objective']) and len(o['parameters']) == len(d['parameters']) and type(o['searches']) is int and number(o['difference'])
for f in d['failures']:
    assert type(f['reason']) is str and type(f['count']) is int and f['count'] > 0 and type(f['log']) is str
    assert f['parameters'] is None or len(f['parameters']) == len(d['parameters'])
work, search = d['work'], d['work']['search']
for k in ('iterations', 'simulations', 'sensitivity_simulations', 'rhs', 'steps', 'seconds'):
    assert 0 <= search[k] <= work[k], k
assert search['seconds'] > 0
assert c['searches']['planned'] > 0 or all(search[k] == work[k] for k in search if k != 'seconds'), 'nothing was confirmed'
END
keys() { if command -v python3 >/dev/null; then python3 keys.py "$1" 2>why || wrong "$1: $(tail -n 1 why)"; fi; }
it "the certificate has its keys, whatever the method and the end"
run fit decay.yaml --json a.json --quiet; status 0; keys a.json; json a.json "d['certificate']['verdict'] == 'certain' and d['certificate']['searches']['planned'] >= 5"
run fit decay.yaml --method lm --json l.json --quiet; status 0; keys l.json; json l.json "d['certificate']['verdict'] == 'doubtful' and d['certificate']['searches']['planned'] == 0"
run fit decay.yaml --confirm off --json o.json --quiet; status 0; keys o.json; json o.json "d['certificate']['verdict'] == 'doubtful' and d['certificate']['optima'] == []"
sed 's/der(x) = .*/der(x) = sqrt(-1 - k) - k*x;/' decay.mo >never.mo
run fit decay.yaml --set model=never.mo --json n.json; status 1; keys n.json
json n.json "d['certificate']['verdict'] is None and d['objective'] is None and all(p['std_error'] is None and p['ci95'] == [None, None] for p in d['parameters'])"
json n.json "0 < sum(f['count'] for f in d['failures']) <= d['work']['simulations'] + d['work']['sensitivity_simulations']"
it "without a result there is no table of estimates, but why simulations failed"
out "There is no result"; out "^  [0-9]* of [0-9]* simulations ended in "; holds test "$(grep -c "Parameters\|std error\|95 %" out)" = 0
cat >lags.mo <<'END'
model Lags
  parameter Real k1(min = 0.05, max = 50) = 1; parameter Real k2(min = 0.05, max = 50) = 4;
  Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);
equation
  der(x) = k1*(1 - x); der(y) = k2*(x - y);
end Lags;
END
run simulate lags.mo --stop 6 --step 0.05 --variables y --noise 0.003 --noise_kind additive -o lags.csv; status 0
cat >lags.yaml <<'END'
model: lags.mo
experiments: [{data: lags.csv, measure: {y: y}}]
estimate: {k1: 0.7, k2: 6}
END
it "two optima that fit as well are named, with exit status 1"
run fit lags.yaml --json g.json; status 1; out "^lags.yaml: uncertain; ambiguous"; out "have changed places"; out "Optima found"; keys g.json
run fit lags.yaml --json g.json --quiet; json g.json "d['certificate']['verdict'] == 'ambiguous' and d['outcome'] == 'uncertain' and len(d['certificate']['optima']) >= 2"
it "and a constraint makes the result certain"
(cat lags.yaml; echo "constraints: ['k1 <= k2']") >order.yaml
run fit order.yaml --json g.json; status 0; out "^order.yaml: converged and certain"; keys g.json
it "what the model misses is told; searches that agree give exit status 0"
sed 's/der(x) = .*/der(x) = -k*x - 0.5*x^3;/' decay.mo >cubic.mo
run simulate cubic.mo --set k=2 --stop 3 --step 0.02 --variables x --noise 0.003 --noise_kind additive -o cubic.csv; status 0
run fit decay.yaml --set experiments.0.data=cubic.csv --json g.json; status 0; out "converged; searches agree"; out "unexplained"; out "no proof"; keys g.json
holds test "$(grep -c 'no pattern\|and certain' out)" = 0; json g.json "d['certificate']['verdict'] == 'agreed' and d['outcome'] == 'converged' and not d['certificate']['certain']"
it "a budget that ends confirming gives exit status 1, and the report says how far it came"
simulations=$(sed -n 's/.*"search": {"iterations": [0-9]*, "simulations": \([0-9]*\), "sensitivity_simulations": \([0-9]*\).*/\1 + \2/p' a.json)
run fit decay.yaml --max_simulations $((simulations + 12)); status 1; out "^decay.yaml: budget"; tr -s '\n ' ' ' <out >line; holds grep -q "This fits the noise, confirmed by [0-9] of [0-9] searches only" line
it "Ctrl-C ends confirming soon, with the result and what was confirmed"
: >err
env --default-signal=INT,TERM "$ENTRAIN" fit decay.yaml --max_step 2e-6 --max_steps 2000000000 --json c.json --progress >out 2>err </dev/null & pid=$!
until grep -q '^confirming' err || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
before=$(date +%s%N); kill -INT $pid; wait $pid; code=$?; status 1
holds test $((($(date +%s%N) - before) / 1000000)) -lt 3000 # a second, on a loaded machine three
holds test -s c.json; keys c.json; json c.json "d['outcome'] == 'stopped' and d['objective'] is not None and not d['certificate']['certain']"

# ---------------------------------------------------------------- what is asked for
it "--json into a file leaves the report on standard output"
run fit decay.yaml --json file.json; status 0; out "Parameters"; valid_json file.json
it "--trace has a row for every step, the last one at the estimate"
run fit decay.yaml --method lm --trace trace.csv --json lm.json; status 0
holds grep -qx "stage,lambda,iteration,objective,k" trace.csv; holds test "$(wc -l <trace.csv)" -gt 3
json lm.json "abs(float(open('trace.csv').read().split()[-1].split(',')[-1]) - d['parameters'][0]['value']) < 1e-6"
json lm.json "d['method'] == 'lm'"
it "--residuals has a row for every sample, and they are those of the objective"
run fit decay.yaml --residuals residuals.csv --json r.json; status 0
holds grep -qx "experiment,variable,time,data,model,residual" residuals.csv; holds test "$(wc -l <residuals.csv)" = 62
json r.json "abs(sum(float(l.split(',')[5])**2 for l in open('residuals.csv').read().split()[1:])/2 - d['objective']) < 1e-9"
it "the values of the model do not depend on the data"
awk -F, 'NR == 20 { $2 = "1e15" } NR == 21 { $2 = "-3e20" } { print $1 "," $2 }' decay.csv >huge.csv
run evaluate decay.yaml --residuals plain.csv; status 0
run evaluate decay.yaml --set experiments.0.data=huge.csv --residuals huge_r.csv; status 0
holds cmp -s <(cut -d, -f2,3,5 plain.csv) <(cut -d, -f2,3,5 huge_r.csv)
it "--start says where the search begins"
run fit decay.yaml --start k=7 --json s.json; status 0; json s.json "d['parameters'][0]['start'] == 7"
it "a start may be an expression of numbers"
run fit decay.yaml --start k=8/3 --json s.json; status 0; json s.json "d['parameters'][0]['start'] == 8/3"
it "warnings of the model and of the problem are told once, whatever the command, and go to standard error"
sed 's/Real x(/Real x(unit = "m", /; s/"rate"/"rate"; parameter Real z(unit = "s") = 1; parameter Real w(unit = "m") = z/' decay.mo >units.mo
sed '1a s,cm' decay.csv >units.csv
for command in "fit --quiet" "fit" "check" "recover --trials 1 --truth k=2"; do
  run ${command%% *} decay.yaml --set model=units.mo --set experiments.0.data=units.csv ${command#"${command%% *}"}
  holds test "$(grep -c "units.mo:.*warning: " err)" = 1; holds test "$(grep -c "gain: 100" err)" = 1; holds test "$(grep -c "gain: 100" out)" = 0
done
it "--set replaces what the file says"
run fit decay.yaml --set estimate.k.start=9 --set "experiments.0.window=[0,1]" --json s.json; status 0
json s.json "d['parameters'][0]['start'] == 9 and d['channels'][0]['n'] == 21"
it "options are flags, with a dash or an underscore"
run fit decay.yaml --max-iterations=5 --rel_tol 1e-6 --json s.json; status 0; out "Options: max_iterations=5 rel_tol=1e-06"
json s.json "d['options'] == {'max_iterations': 5, 'rel_tol': 1e-6}"
it "a problem may come from standard input"
"$ENTRAIN" fit - <decay.yaml >out 2>err; code=$?; status 0; out "<stdin>: converged"
it "a problem in another folder finds its files"
mkdir -p sub; cp decay.mo decay.csv decay.yaml sub; cd sub; rm ../decay.csv; run fit decay.yaml; cd ..; mv sub/out sub/err .; status 0
run fit sub/decay.yaml; status 0; cp sub/decay.csv .
it "--quiet writes files only"
run fit decay.yaml --quiet --json q.json; status 0; no_out; no_err; holds test -s q.json
it "no progress when standard error is no terminal, some with --progress"
run fit decay.yaml; no_err; run fit decay.yaml --progress; status 0; err "step"
it "every method finds the truth here"
for method in auto homotopy weak lm gauss-newton trust-region newton newton-fd; do
  run fit decay.yaml --method $method --json m.json; status 0; json m.json "abs(d['parameters'][0]['value'] - 2) < 0.05"
done
it "the weak form begins a local search with what it found, and says what it did not find"
sed 's/rate"/rate"; parameter Real s = 1/' decay.mo >seen.mo
run fit decay.yaml --method weak --set model=seen.mo --set experiments.0.measure='{x: x, s*x: x}' --set estimate.s.start=2 --set estimate.s.min=0.1 --json w.json
status 0; json w.json "abs(d['parameters'][0]['value'] - 2) < 0.05 and abs(d['parameters'][1]['value'] - 1) < 0.05"
json w.json "[s['name'] for s in d['stages']] == ['weak form', 'local search'] and '1 of 2 unknowns found' in d['stages'][0]['message'] and 's: it enters no equation' in d['stages'][0]['message']"
it "where the weak form finds nothing it has no result, and says why"
run fit decay.yaml --method weak --set model=seen.mo --set experiments.0.measure='{s*x: x}' --set estimate.s.start=2 --set estimate.s.min=0.1 --json n.json
status 1; out "The weak form does not apply; k: "; out "and x is neither"; json n.json "d['outcome'] == 'no-start'"
it "the cost is that of each experiment times their number" # CPU times; 8 times as many took 40 times as long once
many() { # many COUNT: seconds of a fit of so many experiments
  awk -v n="$1" 'BEGIN { print "model: decay.mo\nexperiments:"; for (i = 0; i < n; i++) print "  - {data: decay.csv, measure: {x: x}, name: e" i "}"
    print "estimate:\n  k: {start: 0.5, min: 0.01, max: 50}\nmethod: weak" }' >many.yaml
  TIMEFORMAT="%U"; { time "$ENTRAIN" fit many.yaml --quiet --threads 1; } 2>&1
}
few=$(many 100); holds awk -v few="$few" -v all="$(many 800)" 'BEGIN { exit !(all < 16*few + 0.5) }'
it "a parameter at its bound is told"
run fit decay.yaml --set estimate.k.max=1; out "at its upper bound"; holds test "$code" -le 1
it "a parameter that changes nothing is told"
sed 's/rate"/rate"; parameter Real idle = 1/' decay.mo >idle.mo
run fit decay.yaml --set model=idle.mo --set estimate.idle.start=3 --set estimate.idle.max=10 --json i.json
out "^  idle .*\(changes nothing\|not determined\)"; out "Rank 1 of 2"; json i.json "not d['parameters'][1]['identifiable']"

it "an unknown flag gets the nearest one"
run fit decay.yaml --methd lm; status 2; no_out; err "did you mean '--method'"
it "an unknown method gets the nearest one"
run fit decay.yaml --method lmm; status 2; no_out; err "'lmm'"; err "'lm'"
it "an unknown option in --set gets the nearest one"
run fit decay.yaml --set options.rel_tl=1; status 2; no_out; err "did you mean 'rel_tol'"
it "an unknown start gets the nearest name"
run fit decay.yaml --start kk=1; status 2; no_out; err "did you mean 'k'"
it "a start outside of the bounds is refused"
run fit decay.yaml --start k=1000; status 2; no_out; err "outside its bounds"
for value in k k= =3 k=nan k=abc; do
  it "--start $value is refused"
  run fit decay.yaml --start "$value"; status 2; no_out; err "error: --start"
done
it "a start that is named twice is refused"
run fit decay.yaml --start k=3,k=4; status 2; no_out; err "k is named twice in 'k=3,k=4'"
it "an option of another command is refused, and it says whose it is"
run fit decay.yaml --noise 0.1; status 2; no_out; err "recover, simulate"
it "a missing problem file is told"
run fit absent.yaml; status 2; no_out; err "absent.yaml"
it "a missing data file is told with its place"
run fit decay.yaml --set experiments.0.data=absent.csv; status 2; no_out; err "absent.csv"
it "a problem is needed"
run fit; status 2; err "fit needs a PROBLEM"
it "what is read is not written over, under no name"
for file in decay.yaml decay.csv decay.mo ./sub/../decay.csv; do
  run fit decay.yaml --json $file; status 2; no_out; err "would overwrite"
done
holds grep -q "^model" decay.yaml
it "a place that cannot be written is told before the search"
run fit endless.yaml --json absent/r.json; status 2; no_out; err "absent/r.json"
it "two results do not go to one place"
run fit decay.yaml --json one --trace one; status 2; no_out; err "cannot both be 'one'"; holds test ! -e one
it "a full disk is reported"
run fit decay.yaml --json /dev/full; status 2; err "No space left"

it "a budget ends with the best point and exit status 1"
run fit endless.yaml --max_simulations 200 --json b.json; status 1; no_err; out "^endless.yaml: budget"; valid_json b.json; json b.json "d['outcome'] == 'budget'"
it "a start that cannot be simulated is an outcome"
printf 'model Blow parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = k*x^2; end Blow;\n' >blow.mo
run fit decay.yaml --set model=blow.mo --set estimate.k.start=10 --set estimate.k.min=5 --method lm --json n.json; status 1; out "no-start"; valid_json n.json
holds test "$(grep -c 'inf\|nan\|^Fit\|^Remarks' out)" = 0
it "constant data and values beyond all numbers make no absurd numbers"
awk 'BEGIN { print "time,x"; for (i = 0; i <= 60; i++) print i/20 ",0" }' >zero.csv
sed '/^0.05,/s/,.*/,1e300/' zero.csv >huge.csv; sed 's/,0$/,0.3/' zero.csv >flat.csv
for data in zero flat huge; do
  run fit decay.yaml --set experiments.0.data=$data.csv --restarts 2; holds test "$code" -le 1; holds test "$(grep -ci '\<-\?\(inf\|nan\)\>\|[0-9]\{13\}' out)" = 0
done
for data in zero flat; do
  run fit decay.yaml --set experiments.0.data=$data.csv --restarts 2; out "data do not change"; holds test "$(grep -c "and certain" out)" = 0
done
run check decay.yaml --set experiments.0.data=huge.csv; status 1; out "too large to"; holds test "$(grep -c '\<inf\>' out)" = 0
for signal in INT TERM; do
  it "SIG$signal ends with the best point: report, files, exit status 1"
  interrupt $signal '^growing horizon' fit endless.yaml --json stop.json --trace stop.csv
  status 1; out "^endless.yaml: stopped"; out "Parameters"; valid_json stop.json; json stop.json "d['outcome'] == 'stopped'"; holds test -s stop.csv; rm -f stop.json
done
it "a second signal ends at once, even where nobody reads the result"
mkfifo unread; sleep 60 <unread & reader=$!
env --default-signal=TERM "$ENTRAIN" simulate endless.mo --stop 1e5 --step 0.2 --max_step 1e-3 --max_steps 2000000000 >unread 2>err </dev/null &
pid=$!
until grep -q entrain /proc/$pid/comm && signal_set $pid SigCgt || ! kill -0 $pid; do sleep 0.05; done
# a second of CPU time: more rows than a pipe takes
until [[ $(awk '{ print $14 + $15 }' /proc/$pid/stat 2>/dev/null || echo 100) -ge 100 ]]; do sleep 0.05; done
kill -TERM $pid
sleep 2; holds kill -0 $pid; kill -TERM $pid; wait $pid; code=$?; status 143; kill $reader

if has_terminal >/dev/null; then
  it "a terminal gets colours and a line of progress that is cleared"
  script -qec "stty cols 80; '$ENTRAIN' fit endless.yaml --max_seconds $([[ $ENTRAIN == *-san* ]] && echo 4 || echo 1)" /dev/null >tty 2>&1 </dev/null
  holds grep -q $'\033\[K' tty; holds grep -q $'\033\[1mParameters' tty
  it "NO_COLOR is respected"
  NO_COLOR=1 script -qec "'$ENTRAIN' fit decay.yaml" /dev/null >tty 2>&1 </dev/null
  holds test "$(grep -c $'\033\[1m' tty)" = 0
else
  skip "a terminal gets colours and a line of progress that is cleared" "there is no pseudo-terminal (script, /dev/pts)"
  skip "NO_COLOR is respected" "there is no pseudo-terminal (script, /dev/pts)"
fi
cat >rod.mo <<'END'
model Rod
  parameter Real L(min = 0.7, max = 3) = 1;
  Real x(start = 0.6, fixed = true), y(start = -1), vx, vy, F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = L^2;
end Rod;
END
"$ENTRAIN" simulate rod.mo --set L=1.2 --stop 3 --step 0.02 --variables x,F --noise 0.01 --noise_kind additive -o rod.csv 2>/dev/null
printf 'model: rod.mo\nexperiments: {data: rod.csv, measure: {x: x, F: F}}\nestimate: {L: {start: 1}}\n' >rod.yaml
it "a model with constraints is fitted to a position and a multiplier"
run fit rod.yaml --json rod.json; status 0; no_err; out "constraints hold to"
json rod.json "abs(d['parameters'][0]['value'] - 1.2) < 0.01"
json rod.json "0 <= d['solver']['invariant_violation'] < 1e-7 and d['solver']['invariant']['line'] == 9"
it "other models have no violation"
run fit decay.yaml --json d.json; json d.json "d['solver']['invariant_violation'] == 0 and 'invariant' not in d['solver']"

# ---------------------------------------------------------------- simulations that fail
cat >fail.mo <<'END'
model Fail
  parameter Real k = 0.5; parameter Real a = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*sqrt(a - 0.2)*x;
end Fail;
END
printf 'model: fail.mo\nexperiments: {data: decay.csv, measure: [x]}\nestimate: {a: {start: -3, min: -5, max: 0}}\n' >fail.yaml
it "every simulation that fails counts, and one of them is told with its parameters and its reason"
for how in "" "--method ga" "--method ga --lanes off" "--method lm --derivatives forward" "--method multistart" "--method implicit-filtering"; do
  run fit fail.yaml $how --json f.json; status 1; out "sqrt(a - 0.2) is not a number"
  json f.json "len(d['failures']) == 1 and d['failures'][0]['count'] == d['work']['simulations'] + d['work']['sensitivity_simulations'] and -5 <= d['failures'][0]['parameters'][0] <= 0 and 'sqrt(a - 0.2)' in d['failures'][0]['log']"
done
printf 'model: fail.mo\nexperiments: {data: decay.csv, measure: [x]}\nestimate: {k: {start: 2, min: 0.01, max: 10}, a: {start: 3, min: -5, max: 5}}\n' >half.yaml
for how in "--method ga" "" "--method multistart --starts 8 --confirm off" "--method pso --threads 1"; do
  run fit half.yaml $how --json f.json; json f.json "all(f['parameters'] and f['parameters'][1] < 0.2 and 'sqrt(a - 0.2)' in f['log'] for f in d['failures'])"
done
it "the weak form says that equations cannot be computed"
run fit fail.yaml --method weak; status 1; tr -s '\n ' ' ' <out >line; holds grep -q "a: der(x), which contains it, cannot be computed from the data" line
it "no part of a search exceeds max_simulations"
for most in $(seq 1 2 40); do
  run fit endless.yaml --max_simulations "$most" --json f.json; json f.json "d['work']['simulations'] + d['work']['sensitivity_simulations'] <= $most"
done

# ---------------------------------------------------------------- friction that holds the body at the start values
cat >rub.mo <<'END'
model Rub
  parameter Real M = 1.5, Fc = 0.8, Fv = 0.3;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  M*der(v) = 2.2*sin(0.8*time) + 0.8*sin(2.1*time) - Fc*sign(v) - Fv*v - 2*x;
end Rub;
END
run simulate rub.mo --stop 25 --step 0.1 --variables x --noise 0.01 --noise_kind additive --seed 3 -o rub.csv
rub() { printf 'model: rub.mo\nexperiments: {data: rub.csv, measure: [x]}\nestimate: {M: {start: %s, min: 0.05, max: 30}, Fc: {start: %s, min: 0.001, max: 30}, Fv: {start: %s, min: 0, max: 30}}\n' "$@" >rub.yaml; }
rub 1.2 1 0.2; run fit rub.yaml --method homotopy --confirm off --json moves.json; status 0
it "a body that is stuck at the start values costs not many more steps than one that moves"
for start in "6 3 2" "2 12 1" "2 25 20"; do
  rub $start; run fit rub.yaml --method homotopy --confirm off --json stuck.json; status 0
  holds python3 -c 'import json
a, b = (json.load(open(f + ".json")) for f in ("moves", "stuck"))
assert b["work"]["steps"] < 150*a["work"]["steps"], b["work"]
assert all(abs(p["value"] - q["value"]) < 1e-3 for p, q in zip(a["parameters"], b["parameters"]))'
done
it "check says that nothing acts there, not how much"
run check rub.yaml; out "M changes no measured value at the start"; out "The same holds for Fc and Fv"; out "Rank 0 of 3"
if grep -q "1 % more" out; then wrong "it tells rounding errors"; fi
