# Studies in a store: they go on, have workers, and are shown.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"
if ! command -v python3 >/dev/null; then skip "studies in a store" "no python3"; exit 0; fi

cat >swing.mo <<'MODEL'
model Swing
  parameter Real w(min = 0.5, max = 8) = 3 "frequency";
  parameter Real d(min = 0, max = 0.2) = 0.1;
  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(x) = v; der(v) = -w^2*x - d*v;
end Swing;
MODEL
"$ENTRAIN" simulate swing.mo --stop 20 --step 0.2 --variables x --noise 0.02 --noise_kind additive -o swing.csv
cat >swing.yaml <<'MODEL'
model: swing.mo
experiments: [{data: swing.csv, measure: {x: x}}]
estimate: {w: {start: 5}, d: {start: 0.05}}
MODEL

cat >same.py <<'END'
import json, sys
def bare(x):
    if isinstance(x, dict): return {k: bare(v) for k, v in x.items() if "seconds" not in k}
    return [bare(v) for v in x] if isinstance(x, list) else x
sys.exit(bare(json.load(open(sys.argv[1]))) != bare(json.load(open(sys.argv[2]))))
END
same() { holds python3 same.py "$1" "$2"; } # but for times

it "a study in a store has the result of one without, and again without computing"
run basin swing.yaml --grid 12x4 --method lm --json a.json -q; status 0
run basin swing.yaml --grid 12x4 --method lm --json b.json -q --store s.db; status 0; no_err; same a.json b.json
run basin swing.yaml --grid 12x4 --method lm --json c.json -q --store s.db; status 0; holds cmp b.json c.json
run resume s.db --json d.json -q; status 0; no_err; holds cmp b.json d.json; cp b.json map.json
holds test "$(ls | grep -c 's.db')" = 1
it "every command that is a study takes a store"
for words in "fit swing.yaml" "fit swing.yaml --method ga --population 20 --generations 10" "fit swing.yaml --method multistart(lm,20)" \
  "fit swing.yaml --method newton --derivatives central" "recover swing.yaml --trials 5" "profile swing.yaml" "basin swing.yaml --random 9"; do
  run $words --json a.json -q; before=$code
  run $words --json b.json -q --store all.db --fork; status $before; same a.json b.json
  run resume all.db --json c.json -q; status $before; holds cmp b.json c.json
done
run compare swing.yaml --methods lm,ga:generations=5,homotopy --format json -o a.json -q; run compare swing.yaml --methods lm,ga:generations=5,homotopy --format json -o b.json -q --store all.db --trace t.csv; status 0; same a.json b.json
run resume all.db -o c.json --quiet; holds cmp b.json c.json
run scan swing.yaml --over w=1:6:30,d=0:0.1:5 -o a.csv -q; run scan swing.yaml --over w=1:6:30,d=0:0.1:5 -o b.csv -q --store all.db; status 0; holds cmp a.csv b.csv
run resume all.db -o c.csv -q; status 0; holds cmp b.csv c.csv
it "another problem, other options: refused with what differs, or forked"
run basin swing.yaml --grid 12x5 --method lm -q --store s.db; status 2; err "'--grid=12x4' was on the command line then"; err "'--grid=12x5' is new"; err "\-\-fork"
sed -i 's/start: 5/start: 4/' swing.yaml; run basin swing.yaml --grid 12x4 --method lm -q --store s.db; status 2; err "'swing.yaml' has changed"
run resume s.db; status 2; err "'swing.yaml' has changed"
run basin swing.yaml --grid 12x4 --method lm -q --store s.db --fork; status 0; no_err
run show s.db; status 0; out "^ *1  done"; out "^ *2  done"
sed -i 's/start: 4/start: 5/' swing.yaml
run basin swing.yaml --grid 12x4 --method lm --json e.json -q --store s.db; status 0; holds cmp map.json e.json
it "time limits, threads and files are not part of a study"
run basin swing.yaml --grid 12x4 --method lm -q --store s.db -j 1 --max_seconds 100 --csv x.csv; status 0; no_err
it "a store has its own files: it goes on where they are not"
mkdir -p elsewhere; (cd elsewhere && "$ENTRAIN" resume ../s.db --study 1 --json d.json -q) || wrong "it does not"
holds cmp map.json elsewhere/d.json
run show s.db --study 1 --json s.json; status 0; json s.json "d['studies'][0]['runs'] == d['studies'][0]['done'] == 48 and len(d['studies'][0]['results']) == 48"
it "show: the best runs first, all runs as a table, the list of studies"
run show s.db --study 1 --best 3; status 0; out "48 of 48 runs are done"; out "objective"
run show s.db --study 1 --csv -; status 0; lines 49; holds grep -q "^set,start,outcome,objective,simulations,sensitivity_simulations,w,d,seconds,host" out
run show s.db --study 1 --best 5 --json best.json; json best.json "[r['objective'] for r in d['studies'][0]['results']] == sorted(r['objective'] for r in d['studies'][0]['results']) and len(d['studies'][0]['results']) == 5"
run show s.db --study 7; status 2; err "no study 7"
run show s.db --best 3; status 2; err "choose one with --study"
run show s.db --watch --study 1 --progress=json; status 0; json out "d['done'] == d['total'] == 48 and d['state'] == 'done' and d['workers'] == 0 and sum(d['outcomes'].values()) == 48"
it "what is no store is told"
run show swing.csv; status 2; err "is not an SQLite database"
run show nothing.db; status 2; err "No such file"
run resume nothing.db; status 2; err "No such file"
run basin swing.yaml --grid 3x3 -q --store swing.csv; status 2; err "is not an SQLite database"
run basin swing.yaml --grid 3x3 -q --store /proc/s.db; status 2
run basin swing.yaml --grid 3x3 -q --store nowhere/s.db; status 2; err "No such file"; holds test ! -e nowhere
run basin - --grid 3x3 -q --store stdin.db; status 2; err "as a file, not on standard input"; holds test ! -e stdin.db
run basin swing.yaml --grid 3x3 -q --fork; status 2; err "goes with --store"
it "a password in an address is refused and never shown"
run basin swing.yaml --grid 3x3 -q --store postgresql://me:secret@localhost/x; status 2; err "contains a password"; err "pgpass"; holds test "$(grep -c secret out err | grep -vc ':0')" = 0
run work "postgresql://localhost/x?password=secret"; status 2; err "contains a password"; holds test "$(grep -c secret out err | grep -vc ':0')" = 0
it "workers take part, and results are the same for any number of them"
run basin swing.yaml --grid 40x12 --method lm --lanes off --json a.json -q -j 1
for workers in 1 2 3; do
  "$ENTRAIN" basin swing.yaml --grid 40x12 --method lm --lanes off --json w.json -q -j 1 --store w$workers.db 2>>err &
  until [[ -e w$workers.db ]]; do sleep 0.01; done
  for n in $(seq $workers); do "$ENTRAIN" work w$workers.db -j 1 --idle 0 -q 2>>err & done
  wait; same a.json w.json
  run show w$workers.db --json s.json; json s.json "d['studies'][0]['done'] == 480"
done
it "a worker finishes what its leader left"
env --default-signal=TERM "$ENTRAIN" basin swing.yaml --grid 40x12 --method lm --lanes off --json left.json -q -j 1 --store left.db 2>err &
leader=$!
until [[ -e left.db ]]; do sleep 0.01; done
kill -9 $leader; wait $leader 2>/dev/null
run work left.db --idle 0; status 0; err "works on study 1"
run show left.db --json s.json; json s.json "d['studies'][0]['state'] == 'done' and d['studies'][0]['done'] == 480"
run resume left.db --json w.json -q; status 0; same a.json w.json
it "a worker that computes differently leaves the study to others, and says so"
sqlite() { python3 -c "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(c.execute(sys.argv[2]).fetchall()); c.commit()" "$@"; }
cp left.db other.db; sqlite other.db "UPDATE study SET state = 0, fingerprint = '16' || substr(fingerprint, instr(fingerprint, ' '))" >/dev/null
run work other.db --idle 0; status 0; err "computes differently (16 lanes.*here: [48] lanes"
run resume other.db -q; status 2; err "computes differently"
cp left.db lanes.db; sqlite lanes.db "UPDATE study SET state = 0" >/dev/null
if grep -q "8 lanes" <(sqlite left.db "SELECT fingerprint FROM study"); then
  ENTRAIN_LANES=4 run work lanes.db --idle 0; status 0; err "computes differently (8 lanes.*here: 4 lanes"
fi
sqlite other.db "UPDATE study SET version = 'entrain 0.0.1'" >/dev/null
run work other.db --idle 0; status 0; err "was begun by entrain 0.0.1"
run resume other.db -q; status 2; err "was begun by entrain 0.0.1"
it "tags: a worker without them is not asked"
run basin swing.yaml --grid 4x4 --method lm -q --store tags.db --tags licence,gpu; status 0
sqlite tags.db "UPDATE study SET state = 0" >/dev/null
run work tags.db --idle 0 --tags gpu; err "wants a worker with the tags licence,gpu"
run work tags.db --idle 0 --tags gpu,licence; status 0; err "works on study 1"
it "nothing that a store says makes a worker write a file or run a program"
cp left.db bad.db; sqlite bad.db "UPDATE study SET state = 0, words = words || char(10) || '--json=evil.json'" >/dev/null
run work bad.db --idle 0; err "which a worker does not take from there"; holds test ! -e evil.json
sqlite bad.db "UPDATE study SET words = 'simulate' || char(10) || 'swing.mo' || char(10) || '-o=evil.csv'" >/dev/null
run work bad.db --idle 0; err "not a study"; holds test ! -e evil.csv
cat >sim.sh <<'END'
#!/bin/sh
touch ../../evil-ran
awk 'BEGIN { print "t,x"; for (i = 0; i <= 100; i++) print i/5 "," exp(-i/50) }' >r.csv
END
chmod +x sim.sh
printf 'model: {command: [./sim.sh, "{{a}}"], parameters: {a: {value: 1, min: 0, max: 2}}, output: {file: r.csv, time: t}}\nexperiments: [{data: swing.csv, measure: {x: x}}]\nestimate: {a: }\n' >prog.yaml
run fit prog.yaml --method bobyqa -q --store prog.db
sqlite prog.db "UPDATE study SET state = 0" >/dev/null
mkdir -p sims; (cd elsewhere && "$ENTRAIN" work ../prog.db --idle 0 2>../err); err "name the folder that has it with --simulators"
(cd elsewhere && "$ENTRAIN" work ../prog.db --idle 0 --simulators ../sims 2>../err); err "'sim.sh' of the simulator is not in"
sed 's/exp/cos/' sim.sh >sims/sim.sh; chmod +x sims/sim.sh
(cd elsewhere && "$ENTRAIN" work ../prog.db --idle 0 --simulators ../sims 2>../err); err "is another one than that of the study"
cp sim.sh sims/; (cd elsewhere && "$ENTRAIN" work ../prog.db --idle 0 --simulators ../sims 2>../err) || wrong "it does not work"
it "runs of a program, for slopes and of several experiments, are shared with workers"
cat >decays.sh <<'END'
#!/bin/sh
sleep 0.01
awk -v a="$1" -v b="$2" 'BEGIN { print "t,x"; for (i = 0; i <= 20; i++) printf "%.3f,%.12g\n", i/5, b*exp(-a*i/5) }' >r.csv
END
chmod +x decays.sh; ./decays.sh 1.3 2 && cp r.csv decays.csv
cat >decays.yaml <<'END'
model: {command: [./decays.sh, "{{a}}", "{{b}}"], parameters: {a: {value: 1, min: 0.1, max: 5}, b: {value: 1, min: 0, max: 5}}, output: {file: r.csv, time: t}}
experiments: [{data: decays.csv, measure: {x: x}}, {data: decays.csv, measure: {x: x}, window: [0, 2]}]
estimate: {a: , b: }
END
cp decays.sh sims/
for method in lm bobyqa lm,41 nelder-mead,61; do # and where max_simulations end it
  limit=${method#*,}; limit=${limit#"${method%,*}"}
  how=(--method "${method%,*}" ${limit:+--max_simulations "$limit"})
  run fit decays.yaml "${how[@]}" --json a.json -q -j 1; before=$code
  "$ENTRAIN" fit decays.yaml "${how[@]}" --json b.json -q -j 1 --store d$method.db 2>>err & leader=$!
  until [[ -e d$method.db ]]; do sleep 0.01; done
  for n in 1 2; do (cd elsewhere && "$ENTRAIN" work ../d$method.db -j 1 --idle 0 -q --simulators ../sims 2>>../err) & done
  wait $leader; code=$?; wait; status $before; same a.json b.json
  holds test "$(sqlite d$method.db "SELECT count(*) FROM worker WHERE done > 0")" != "[(1,)]"
done
it "Ctrl-C keeps what was found; the same command goes on"
interrupt INT "runs" basin swing.yaml --grid 60x30 --method lm --lanes off --json i.json --store i.db -j 1; status 1
run basin swing.yaml --grid 60x30 --method lm --lanes off --json i.json --store i.db -q; status 0
run basin swing.yaml --grid 60x30 --method lm --lanes off --json j.json -q; same i.json j.json
it "max_seconds is the limit of the whole study, and resume may raise it"
run basin swing.yaml --grid 60x40 --method lm --lanes off -q --store m.db --max_seconds 0.2 -j 1; status 1
run show m.db --json s.json; json s.json "d['studies'][0]['state'] == 'limit' and 0 < d['studies'][0]['done'] < 2400"
run work m.db --idle 0; status 0; no_err
run resume m.db -q; status 1
run resume m.db -q --max_seconds 1000; status 0
run show m.db --json s.json; json s.json "d['studies'][0]['state'] == 'done' and d['studies'][0]['done'] == 2400"
it "run_seconds: a run over its limit is an outcome"
run basin swing.yaml --random 6 --method lm --max_iterations 1000000 --run_seconds 1e-6 --json r.json -q --store r.db; status 1; run show r.db --json s.json; json s.json "d['studies'][0]['outcomes'] == {'over-limit': 6}"
run recover swing.yaml --trials 3 --run_seconds 1e-6 --json r.json -q; status 1
it "progress as JSON, with a store and without"
run basin swing.yaml --grid 60x30 --method lm --lanes off -q --progress=json; no_err
run basin swing.yaml --grid 200x40 --method lm --lanes off --progress=json -j 1 --max_seconds 1.2; holds python3 -c "import json; [json.loads(l) for l in open('err') if l.startswith('{')][0]['total'] == 8000 or 1/0"
run basin swing.yaml --grid 200x40 --method lm --lanes off --progress=json -j 1 --store p.db --max_seconds 1.2; holds python3 -c "
import json
lines = [json.loads(l) for l in open('err') if l.startswith('{')]
assert lines[-1]['total'] == 8000 and lines[-1]['done'] > 0 and lines[-1]['workers'] == 1 and lines[-1]['rate'] > 0, lines[-1]"
it "killed at random moments, nothing is lost and nothing is computed again"
python3 "$models/../tests/store/kill_trial.py" --entrain "$ENTRAIN" --kills "${KILLS:-$([[ $ENTRAIN == *san* ]] && echo 4 || echo 20)}" $(ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && [[ $(id -u) != 0 || -n $(getent passwd postgres) ]] && echo --server) >kills 2>&1 || wrong "$(tail -n 5 kills)"
may_cut() { [[ $(id -u) == 0 ]] && command -v ip unshare >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ip netns add entrain-trial 2>/dev/null && ip netns del entrain-trial; }
if [[ $ENTRAIN == *san* ]]; then skip "a network that fails is told within 10 s" "the same without sanitizers"
elif may_cut; then
  it "a network that fails is told within 10 s, and the study goes on when it is back"
  ENTRAIN=$ENTRAIN "$models/../tests/cluster/cut.sh" >cut 2>&1 || wrong "$(tail -n 5 cut)"
else skip "a network that fails is told within 10 s" "network name spaces need root and iproute2, the server PostgreSQL"; fi
