# What fits and checks say about real data: interpolation of inputs, terms that the model misses, many channels.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

# A mass with dry friction, driven by a held force.
printf 'model Mass\nparameter Real k = 4, d = 0.4, friction = 0;\ninput Real u;\nReal x(start = 0, fixed = true), v(start = 0, fixed = true);\nequation\nder(x) = v;\nder(v) = u - k*x - d*v - friction*tanh(500*v);\nend Mass;\n' >mass.mo
awk 'BEGIN { print "time,u"; for (i = 0; i <= 400; i++) printf "%.1f,%.4f\n", i/10, 2*sin(0.13*i) + sin(0.31*i) + (i%41 > 20) }' >force.csv
held() { # held FRICTION: the motion with the force held between its samples
  run simulate mass.mo -s friction=$1 --inputs force.csv --interpolation hold --stop 40 --step 0.1 --noise 0.002 --noise_kind additive --variables x -o x.csv
  status 0; paste -d, x.csv <(cut -d, -f2 force.csv) >mass.csv
}
printf 'model: mass.mo\nexperiments:\n  - {data: mass.csv, measure: [x]}\nestimate: {k: {start: 3, min: 0.1, max: 50}, d: {start: 1, min: 0.01, max: 50}}\nmethod: lm\n' >mass.yaml

it "an interpolation that halves the error is named after a fit, and what it changes before it"
held 0
run fit mass.yaml; status 0; out "With the input u interpolated by hold instead of linear the error"
run fit mass.yaml --interpolation hold; status 0; holds test "$(grep -c 'interpolated by' out)" = 0
run check mass.yaml --interpolation spline; status 0; out "With the input u interpolated by hold the simulated x would"
it "a term that the model misses is named, in text and JSON"
held 0.3
run fit mass.yaml --interpolation hold --json miss.json; status 0; out "sign(v) in the equation of der(v)"; out "dry friction"
json miss.json "d['unmodelled'][0]['share'] > 0.5 and d['unmodelled'][0]['text'] in d['remarks'] and d['unmodelled'][0]['p'] < 1e-5"
run fit mass.yaml --interpolation hold --set model=mass.mo --set estimate.friction.start=0.1 --json none.json; status 0
json none.json "'unmodelled' not in d"

it "many channels have one remark and a short table, and JSON has all of them"
{ printf 'model: mass.mo\nexperiments:\n'; for i in $(seq 40); do printf '  - {name: run%d, data: mass.csv, measure: [x]}\n' $i; done; tail -n 2 mass.yaml; } >many.yaml
run fit many.yaml --json many.json; status 0; json many.json "len(d['channels']) == 40"
holds test "$(grep -c '^  run' out)" = 10; out "These are the 10 of 40 channels with the worst fit"
holds test "$(grep -c 'not white' out)" = 1; out "The residuals of 40 of 40 channels are not white"

it "many channels of validation have a short table of the worst, and JSON has all of them"
some() { # some COUNT: so many experiments for validation, of which the last has the largest errors
  printf 'model: mass.mo\nexperiments:\n  - {data: mass.csv, measure: [x]}\n'
  for i in $(seq $1); do printf '  - {name: val%d, data: mass.csv, measure: [x], role: validation, set: {x.start: %g}}\n' $i $((i * i)); done
  tail -n 2 mass.yaml
}
some 30 >val.yaml; run fit val.yaml; status 0; holds test "$(grep -c '^  val' out)" = 30
holds test "$(grep -c 'with the worst fit' out)" = 0
some 31 >val.yaml; run fit val.yaml --json val.json; status 0; json val.json "len(d['channels']) == 32"
holds test "$(grep '^  val' out | awk '{ printf "%s ", $1 }')" = "val31 val30 val29 val28 val27 val26 val25 val24 val23 val22 "
out "These are the 10 of 31 channels with the worst fit. The fit of all is"

it "start values from samples have a remark, with estimates or without noise they have none"
run fit mass.yaml --set experiments.0.set.x.start=data; out "Samples gave the start value x.start: the intervals take it as exact"
run fit mass.yaml --set estimate.x.start.start=data; holds test "$(grep -c 'Samples gave' out)" = 0

# A sensor with a delay of 0.3, from 2 s on: of a motion that goes on, and of one that begins there.
printf 'model Swing\nparameter Real k = 4, c = 0.2;\nReal x(start = -0.8), v(start = 0.2);\nequation\nder(x) = v;\nder(v) = -k*x - c*v;\nend Swing;\n' >swing.mo
printf 'model Step\nparameter Real T = 0.8;\nReal x(start = 0, fixed = true);\nequation\nT*der(x) = 1 - x;\nend Step;\n' >step.mo
delayed() { # delayed FORMULA
  awk "function noise(  k, e) { for (k = 0; k < 12; k++) e += rand(); return 0.01*(e - 6) }
    BEGIN { srand(1); print \"t,x\"; for (i = 0; i < 160; i++) { t = i/20 - 0.3; printf \"%.2f,%.5f\\n\", 2 + i/20, $1 + noise() } }"
}
delayed 'cos(2*(t + 2))*exp(-0.1*(t + 2))' >swing.csv; delayed '(t > 0 ? 1 - exp(-t/0.8) : 0)' >step.csv
printf 'model: swing.mo\nexperiments: {data: swing.csv, measure: {x: {column: x, delay: 0.3}}}\nestimate: {k: {start: 4, min: 0.1, max: 50}, c: {start: 0.2, min: 0, max: 2}, x.start: -0.53, v.start: 1.3}\n' >swing.yaml
printf 'model: step.mo\nexperiments: {data: step.csv, measure: {x: {column: x, delay: {start: 1, min: 0, max: 3}}}}\nestimate: {T: {start: 2, min: 0.1, max: 50}}\n' >step.yaml

it "samples that a delay puts before the start are named where the motion had been going on"
for command in check fit evaluate; do
  run $command swing.yaml; status 0; out "(unscored: 6)"
  run $command swing.yaml --set experiments.unscored=4; status 0; out "(unscored: 6)"
  run $command swing.yaml --set experiments.unscored=6; status 0; holds test "$(grep -c unscored out)" = 0
done
it "rows without weight are counted among those to leave out"
awk -F, 'NR == 1 { print $0 ",w"; next } { print $0 "," (NR > 3) }' swing.csv >weighted.csv
run fit swing.yaml --set experiments.data=weighted.csv --set "weights={column: w}"; status 0; out "(unscored: 6)"
it "a motion that begins at rest has none, whatever the delay that a search begins with"
for delay in 0.1 0.3 1 2; do
  for command in check fit evaluate; do
    run $command step.yaml --set experiments.measure.x.delay.start=$delay; status 0; holds test "$(grep -c unscored out)" = 0
  done
done

# A load that begins at an unknown time: false optima that fit the noise.
printf 'model Load\nparameter Real T = 1, tc = 3, F = 0.1;\ninput Real u;\nReal x(start = 0, fixed = true);\nequation\nT*der(x) = u - x - (if time > tc then F else 0);\nend Load;\n' >load.mo
load() { # load SEED
  awk -v s=$1 'function uniform() { s = (s * 69621) % 2147483647; return s / 2147483647 }
    BEGIN { s += 17; for (i = 0; i < 20; i++) uniform(); print "time,u,x"; x = 0
      for (i = 0; i < 100; i++) { t = i/10; u = int(t*0.8) % 2 ? 1 : -0.5; e = 0; for (k = 0; k < 12; k++) e += uniform()
        printf "%.1f,%g,%.5f\n", t, u, x + 0.1*(e - 6)
        for (k = 0; k < 100; k++) x += 0.001/0.6*(u - x - (t + k/1000 > 7 ? 0.15 : 0)) } }' >load.csv
}
printf 'model: load.mo\nexperiments:\n  - {data: load.csv, measure: [x], inputs: {u: u}, interpolation: hold}\nestimate: {T: {start: 0.09, min: 0.05, max: 20, scale: log}, tc: {start: 0.05, min: 0, max: 10}, F: {start: 1.85, min: 0, max: 3}}\n' >load.yaml

it "a better point that a profile passes is searched from: no result is certain beside it"
for seed in 10 12 15 22 44 48; do
  load $seed; run fit load.yaml --json load.json
  json load.json "not d['certificate']['certain'] or not any('finds a better optimum' in r for r in d['remarks'])"
  json load.json "d['work']['simulations'] + d['work']['sensitivity_simulations'] >= sum(s['simulations'] for s in d['stages'])"
  grep -c 'again from there' load.json >>again
done
holds test "$(awk '{ n += $1 } END { print n }' again)" -ge 1

it "a start value that is wrong is named"
held 0
for start in 0; do
  cp mass.mo begun.mo
  run fit mass.yaml --interpolation hold --set model=begun.mo --json right.json; status 0; json right.json "'unmodelled' not in d"
  sed -i "s/x(start = 0/x(start = 1/" begun.mo
  run fit mass.yaml --interpolation hold --set model=begun.mo --json wrong.json; status 0
  json wrong.json "d['unmodelled'][0]['text'].startswith('Another start value of x would explain') and 'estimate x.start.' in d['unmodelled'][0]['text'] and len(d['unmodelled']) == 1"
done

# Only a*b is determined, and w has an optimum in every lobe.
printf 'model Lobes\nparameter Real a = 1, b = 1, w = 1;\noutput Real y;\nequation\ny = a*b*sin(w*time);\nend Lobes;\n' >lobes.mo
awk 'BEGIN { srand(3); print "t,y"; for (i = 0; i < 60; i++) printf "%g,%.6f\n", i/10, 2*sin(i/5) + 0.5*sin(0.61*i) + 0.3*(rand() - 0.5) }' >lobes.csv
printf 'model: lobes.mo\nexperiments: {data: lobes.csv, measure: [y]}\nestimate: {a: {start: 1, min: 0.1, max: 10}, b: {start: 1, min: 0.1, max: 10}, w: {start: 1, min: 0.1, max: 12}}\n' >lobes.yaml

it "optima that nothing tells apart are one"
run fit lobes.yaml --json lobes.json
json lobes.json "len(d['certificate']['optima']) >= 3 and any(o['searches'] > 1 for o in d['certificate']['optima'][1:])"
json lobes.json "len({round(o['objective'], 3) for o in d['certificate']['optima']}) == len(d['certificate']['optima'])"
