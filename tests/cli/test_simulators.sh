#!/bin/bash
# FMUs from the command line: what they are, what they do, and what entrain makes of those that misbehave.
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/problem.sh"

fmus=${ENTRAIN%/*}/fmu
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
# Signals are the simulator's, not the sanitizer's.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigfpe=0
sanitized() { [[ $ENTRAIN == *-san* ]]; }

# Worker processes of this test: those that know its TMPDIR. A zombie knows nothing.
workers() {
  local p name
  for p in /proc/[0-9]*; do
    read -r name 2>/dev/null <"$p/comm" && [[ $name == entrain-worker ]] && grep -qzx "TMPDIR=$TMPDIR" "$p/environ" 2>/dev/null && echo "${p#/proc/}"
  done
}
zombies_of() { # PID
  local p
  for p in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do grep -s '^State:.*zombie' "/proc/$p/status"; done
}
nothing_left() {
  [[ -z $(workers) ]] || wrong "workers are left: $(workers)"
  [[ -z $(ls -A "$TMPDIR") ]] || wrong "left in TMPDIR: $(ls -A "$TMPDIR")"
}
# within SECONDS COMMAND ...: it becomes true so soon
within() {
  local until=$((${EPOCHREALTIME/./} + ${1/./} * 100000))
  shift
  until "$@"; do
    [[ ${EPOCHREALTIME/./} -lt $until ]] || { wrong "not in time: $*"; return; }
    sleep 0.02
  done
}
is_clean() { [[ -z $(workers) && -z $(ls -A "$TMPDIR") ]]; }

# ---------------------------------------------------------------- info

it "info of every test FMU says what it is"
for f in "$fmus"/*.fmu; do
  name=${f##*/} name=${name%.fmu}
  run info "$f"; status 0; no_err; out "^${name%?}\(:\|$\)"; out "FMI version *${name: -1}\.0"
done
for name in oscillator2 arrays3; do run info "$fmus/$name.fmu" --json; status 0; cp out info.json; valid_json info.json; done
nothing_left

it "info never loads the binary"
cat >loud.c <<END
#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { FILE *f = fopen("$work/was-loaded", "w"); if (f) fclose(f); }
END
if command -v python3 >/dev/null && ${CC:-cc} -shared -fPIC -o loud.so loud.c 2>log; then
  python3 - "$fmus/oscillator2.fmu" loud.so loud.fmu <<'END'
import sys, zipfile
source, library, target = sys.argv[1:]
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
    for name in old.namelist():
        new.writestr(name, open(library, "rb").read() if name.endswith(".so") else old.read(name))
END
  run info loud.fmu; status 0; out "^oscillator: mass on a spring"
  holds test ! -e was-loaded
  run simulate loud.fmu; status 2; err "the binary of 'loud.fmu' lacks functions of FMI 2: fmi2Instantiate"
  holds test -e was-loaded # so the test tests something
  nothing_left
fi

# ---------------------------------------------------------------- misbehaviour

# bad INTERFACE MODE STATUS OUTCOME TEXT: with 11 rows wanted, the simulation ends like this
bad() {
  run simulate "$fmus/bad${version}.fmu" --interface "$1" --set "mode=$2" --step 0.1 --memory 3e8 --timeout "$([[ $2 == 4 ]] && echo 0.3 || echo 60)"
  status "$3"
  [[ -z $5 ]] && no_err || err "($4), .*$5"
}
for version in 2 3; do
  for interface in me cs; do
    it "a crash is an outcome (bad$version, $interface)"
    bad $interface 1 1 crashed "bad$version.fmu was ended by signal 11 (Segmentation fault)"
    bad $interface 2 1 crashed "bad$version.fmu was ended by signal 6 (Aborted)"
    it "so is an exit (bad$version, $interface)"
    sanitized || bad $interface 3 1 exited "bad$version.fmu ended its process with exit status 0"
    it "so is a hang (bad$version, $interface)"
    bad $interface 4 1 timed-out "bad$version.fmu took longer than its timeout of 0.3 s"
    if sanitized; then
      skip "so is lack of memory (bad$version, $interface)" "the address sanitizer allows no limit of memory"
    else
      it "so is lack of memory (bad$version, $interface)"
      bad $interface 5 1 out-of-memory "of the 300 MB that it may use"
    fi
    it "what it prints does no harm (bad$version, $interface)"
    bad $interface 6 0 reached-end ""
    lines 12
    it "its own errors and ends are outcomes (bad$version, $interface)"
    bad $interface 7 1 simulator-error "reported an error at time 0\.[45]"
    bad $interface 9 1 terminated "ended the simulation itself at time 0\.[5-9]"
    nothing_left
  done
  it "numbers that are none, and steps that are refused (bad$version)"
  bad me 8 1 not-computable "its derivatives cannot be computed or are not finite"
  bad cs 8 1 bad-output "x is not finite at time 0.5"
  bad me 10 1 not-computable "its derivatives cannot be computed or are not finite"
  bad cs 10 1 simulator-error "refused (discarded) the step from time 0.4"
  it "the log of an FMU reaches the user as visible text (bad$version)"
  run simulate "$fmus/bad$version.fmu" --set mode=7; status 1; err 'the spring \\x1b\[31mbroke'
done

it "a library that is missing is named"
for version in 2 3; do
  run simulate "$fmus/needy$version.fmu"; status 2; no_out
  err "cannot load the binary of 'needy$version.fmu': libabsent.so: cannot open shared object file"
done
nothing_left

it "one instance in a process gives values, and slopes by whole runs"
for version in 2 3; do
  run simulate "$fmus/once$version.fmu" --stop 1 --step 1 --sensitivities k; status 0; no_err
  near "$(sed -n 's/^1,\(.*\),.*/\1/p' out)" 0.36787944117 1e-6
  near "$(sed -n 's/^1,.*,//p' out)" -0.36787944117 1e-4
done
nothing_left

it "a String parameter is set"
run simulate "$fmus/table2.fmu" --stop 1 --step 1; status 0; cp out first
run simulate "$fmus/table2.fmu" --stop 1 --step 1 --set file=other.txt; status 0
holds test "$(tail -n 1 out)" != "$(tail -n 1 first)"
run simulate "$fmus/table2.fmu" --stop 1 --step 1 --set file=none.txt; status 1; err "none.txt: No such file"
"$ENTRAIN" simulate "$fmus/table2.fmu" --stop 1 --step 0.1 --set file=other.txt -o other.csv
cat >table.yaml <<END
model: $fmus/table2.fmu
experiments:
  - data: other.csv
    measure: {x: x}
    set: {file: other.txt}
estimate:
  x.start: {start: 0.3, min: -1, max: 1}
END
run fit table.yaml --method lm --json table.json; status 0
json table.json "abs(d['parameters'][0]['value']) < 1e-6"

# ---------------------------------------------------------------- fits

cat >oscillator.mo <<'END'
model Oscillator
  parameter Real m = 1, k(min = 0) = 4, c(min = 0) = 0.2, k3 = 0;
  input Real F = 0;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  m*der(v) = F - k*x - c*v - k3*x^3;
end Oscillator;
END
run simulate oscillator.mo --set k=5,c=0.3,k3=2 --stop 8 --step 0.1 --variables x --noise 0.02 --noise_kind additive -o oscillator.csv
fit_as() { # fit_as NAME MODEL
  cat >"$1.yaml" <<END
model: $2
experiments:
  - data: oscillator.csv
    measure: {x: x}
estimate:
  k: {start: 4, min: 0.5, max: 20}
  c: {start: 0.2, min: 0, max: 2}
  k3: {start: 1, min: -1, max: 10}
options: {rel_tol: 1e-8}
END
  run fit "$1.yaml" --method lm --json "$1.json"; status 0
}
same_fit() { # same_fit A B: within 1e-3 of a standard error, standard errors to 1 %
  holds python3 - "$1.json" "$2.json" <<'END'
import json, sys
a, b = (json.load(open(f))["parameters"] for f in sys.argv[1:])
for p, q in zip(a, b):
    assert p["name"] == q["name"]
    assert abs(p["value"] - q["value"]) <= max(1e-3 * p["std_error"], 1e-6 * abs(p["value"])), (p, q)
    assert abs(p["std_error"] - q["std_error"]) <= 0.01 * p["std_error"], (p, q)
END
}
fit_as text oscillator.mo
for version in 2 3; do
  it "a fit of an FMU is that of its equations (oscillator$version)"
  fit_as me "$fmus/oscillator$version.fmu"; same_fit text me
  fit_as cs "{fmu: $fmus/oscillator$version.fmu, interface: cs}"; same_fit text cs
done
nothing_left
it "a homotopy couples an FMU to the data"
run fit me.yaml --method homotopy --start k=15,k3=0 --json me.json; status 0; same_fit text me
it "from a start where a local search fails, a homotopy on an FMU finds the optimum"
run simulate "$fmus/oscillator3.fmu" --set k=4.4 --set c=0.02 --set k3=0.5 --stop 60 --step 0.1 --variables x --noise 0.02 --noise_kind additive -o far.csv; status 0
cat >far.yaml <<END
model: $fmus/oscillator3.fmu
experiments:
  - {data: far.csv, measure: {y: x}, set: {c: 0.02, k3: 0.5}}
estimate:
  k: {start: 8, min: 1, max: 20}
END
run fit far.yaml --method lm --json far.json; status 0; json far.json "abs(d['parameters'][0]['value'] - 4.4) > 1"
for method in homotopy auto; do
  run fit far.yaml --method $method --json far.json; status 0; json far.json "abs(d['parameters'][0]['value'] - 4.4) < 0.01"
done
it "a point where only the runs for slopes fail has an objective"
cat >only.sh <<'END'
#!/bin/sh
[ "$1" = 3 ] || { echo "k must be 3"; exit 7; }
printf 't,x\n0,1\n1,0.5\n2,0.2\n' >o.csv
END
chmod +x only.sh; printf 't,x\n0,1.1\n1,0.4\n2,0.3\n' >only.csv
cat >only.yaml <<'END'
model: {command: [./only.sh, "{{k:%g}}"], parameters: {k: {value: 3, min: 1, max: 9}}, output: {file: o.csv, time: t}}
experiments: {data: only.csv, measure: [x]}
estimate: [k]
END
run evaluate only.yaml --json only.json; status 0; out "The objective has no slopes here: 'only.sh' ended with exit status 7"; out "it wrote: 'k must be 3'"
json only.json "d['failures'][0]['reason'] == 'exited' and d['failures'][0]['count'] >= 2 and d['objective'] > 0"
run check only.yaml; out "can be simulated at the start values, but not next to them"
run scan only.yaml --over k=3:4:2; status 0; out "^3,0,0.015"; err "1 of 2 points could not be simulated, one of them because: 'only.sh' ended"

it "the slope by the delay of a sensor is that of the equations"
run simulate oscillator.mo --stop 10 --step 0.25 --variables x -o late.csv; status 0
for model in oscillator.mo "$fmus/oscillator2.fmu" "{fmu: $fmus/oscillator2.fmu, interface: cs}"; do
  cat >late.yaml <<END
model: $model
experiments:
  - {data: late.csv, measure: {x: {column: x, delay: {start: 0.033, min: 0, max: 0.2}}}}
estimate: {k: {start: 4.2, min: 1, max: 10}}
END
  run evaluate late.yaml --json late.json; status 0
  [[ $model == oscillator.mo ]] && cp late.json text_late.json
  holds python3 - text_late.json late.json <<'END'
import json, sys
a, b = (json.load(open(f))["gradient"] for f in sys.argv[1:])
assert all(abs(x - y) <= 1e-3 * abs(x) for x, y in zip(a, b)), (a, b)
END
done
it "bounds that are close to each other against the size of a parameter leave room for slopes"
cat >narrow.yaml <<END
model: $fmus/stairs2.fmu
experiments:
  - {data: narrow.csv, measure: {x: x}, set: {period: 1000}}
estimate: {gain: {start: 1000000, min: 999999.99, max: 1000000.01}}
END
printf 't,x\n0,0\n1,0\n' >narrow.csv
run evaluate narrow.yaml; status 0
it "a single experiment of a program may be a mapping"
printf '#!/bin/sh\nprintf "t,y\\n0,%%s\\n10,0\\n" "$1" >r.csv\n' >one.sh; chmod +x one.sh
cat >one.yaml <<END
model:
  command: [./one.sh, "{{a}}"]
  parameters: {a: 2}
  output: {file: r.csv, time: t}
experiments:
  data: late.csv
  measure: {y: x}
estimate: {a: {min: 0, max: 5}}
END
run evaluate one.yaml; status 0; out "one.yaml: objective"
it "methods that need equations are refused by name for co-simulation"
run fit cs.yaml --method homotopy; status 2; err "homotopy cannot be used with the co-simulation FMU"
run fit cs.yaml --method weak; status 2; err "weak cannot be used with the co-simulation FMU"
nothing_left

it "a fit does not depend on the number of workers"
for method in lm ga; do
  for jobs in 1 2; do
    run fit cs.yaml --method $method --max_simulations 300 --seed 1 -j $jobs --json "j$jobs.json"
    sed -i -e '/"seconds"/d' -e '/"threads"/d' -e 's/threads=[0-9]*//' "j$jobs.json"
  done
  holds cmp j1.json j2.json
done

# ---------------------------------------------------------------- many runs of a fragile simulator

run simulate "$fmus/bad2.fmu" --set k=4.3 --stop 1 --step 0.05 --variables x -o bad.csv
# Crashes in a tenth of the range of k, hangs in a hundredth.
cat >fragile.yaml <<END
model: {fmu: $fmus/bad2.fmu, timeout: 0.5}
experiments:
  - data: bad.csv
    measure: {x: x}
    set: {fragile: 9, sticky: 2.05}
estimate:
  k: {start: 3, min: 0, max: 10}
  v.start: {start: 0.1, min: -1, max: 1}
END

it "a scan of 100 points goes around those that crash and hang"
run scan fragile.yaml --over k=0.05:9.95:100; status 0
err "11 of 100 points could not be simulated"
holds test "$(grep -c ',$' out)" = 11
holds awk -F, 'NR > 1 && ($1 > 9 || ($1 > 2.04 && $1 < 2.06)) != ($3 == "") { exit 1 }' out
nothing_left

it "a genetic search of 100 runs ends, and says how many failed, and where"
for jobs in 1 2; do
  run fit fragile.yaml --method ga --max_simulations 100 --seed 3 -j $jobs --json "fragile$jobs.json"; status 1
  out "of 100 simulations ended in crashed, for example"
  json "fragile$jobs.json" "[f['reason'] for f in d['failures']] == ['crashed'] or sorted(f['reason'] for f in d['failures']) == ['crashed', 'timed-out']"
  json "fragile$jobs.json" "all(f['count'] > 0 and len(f['parameters']) == 2 and f['log'] for f in d['failures'])"
  json "fragile$jobs.json" "all(f['parameters'][0] > 9 for f in d['failures'] if f['reason'] == 'crashed')"
  json "fragile$jobs.json" "2 <= sum(f['count'] for f in d['failures']) <= 30"
  sed -i -e '/"seconds"/d' -e '/"threads"/d' -e 's/threads=[0-9]*//' "fragile$jobs.json"
done
holds cmp fragile1.json fragile2.json
nothing_left

# ---------------------------------------------------------------- ends

# Hangs without a timeout wherever a search goes near the truth.
sed -e 's/, timeout: 0.5//' -e 's/sticky: 2.05/sticky: 4.2/' fragile.yaml >hang.yaml
# A worker has used up 0.4 s of CPU time: it hangs. User time is field 14 of its stat, in 1/100 s.
hangs() { local p; for p in $(workers); do (($(cut -d ' ' -f 14 "/proc/$p/stat" 2>/dev/null || echo 0) >= 40)) && return 0; done; return 1; }
# begin: starts a fit; returns when its simulator hangs
begin() {
  env --default-signal=INT,TERM "$ENTRAIN" fit hang.yaml --method ga --seed 1 --max_simulations 1000000 --json hang.json >out 2>err </dev/null &
  pid=$!
  within 20.0 hangs
}
# ended_within SECONDS: since `begun`
ended_within() {
  local took=$(((${EPOCHREALTIME/./} - begun) / 1000))
  [[ $took -le ${1/./}00 ]] || wrong "it took $took ms"
}
for signal in INT TERM; do
  it "SIG$signal ends a fit whose simulator hangs, with the best point so far"
  begin
  [[ -z $(zombies_of $pid) ]] || wrong "it has zombies"
  begun=${EPOCHREALTIME/./}; kill -s $signal $pid; wait $pid; code=$?; ended_within 1.0
  status 1; out "this is the best point so far"; json hang.json "d['outcome'] == 'stopped' and d['objective'] < 1"
  nothing_left
done
it "max_seconds does the same"
begun=${EPOCHREALTIME/./}; run fit hang.yaml --method ga --seed 1 --max_simulations 1000000 --max_seconds 1 --json hang.json; ended_within 2.0
status 1; out "this is the best point so far"; json hang.json "d['outcome'] == 'budget' and d['objective'] < 1"
nothing_left
it "max_seconds ends a simulation that hangs"
begun=${EPOCHREALTIME/./}; run simulate "$fmus/bad2.fmu" --set mode=4 --max_seconds 0.3; ended_within 1.3; status 1; err "stopped"
nothing_left

it "whoever kills entrain has killed its workers, too"
begin
kill -s KILL $pid; wait $pid 2>/dev/null
within 1.0 is_clean

it "a folder that is left is removed at the next start"
begin
# stand PID ...: all their threads are stopped. A signal that was sent is not yet one that was heard.
stand() { local p; for p in "$@"; do ! grep -h '^State:' /proc/$p/task/*/status | grep -qv '[Tt] (' || return 1; done; }
kill -s STOP $pid # so that it starts no other ones; one that it is just starting has no name of its own yet
within 5.0 stand $pid
left=$(cat /proc/$pid/task/*/children)
kill -s STOP $left
within 5.0 stand $left
kill -s KILL $pid; wait $pid 2>/dev/null; kill -s KILL $left
no_workers() { [[ -z $(workers) ]]; }
within 1.0 no_workers
holds test -n "$(ls -A "$TMPDIR")"
run simulate "$fmus/oscillator2.fmu" --stop 0.1; status 0
nothing_left
