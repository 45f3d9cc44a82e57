# Data whose time is far from 0, such as seconds since 1970: everything is as with the same data from 0, and times are
# printed with the digits that they need.
source "$(dirname "$0")/lib.sh"
examples=$models/../examples
numdiff=$models/../tools/numdiff

json() { holds python3 -c "import json,sys; d=json.load(open('$1')); sys.exit(not ($2))"; }

# moved SHIFT <FROM >TO: a CSV file with another zero of its first column. Times become multiples of 2^-20, which are exact
# at both zeros.
moved() {
  awk -F, -v OFS=, -v shift="$1" '
    $1 ~ /^[-+.0-9]/ { t = $1*1048576; t = t < 0 ? -int(-t + 0.5) : int(t + 0.5); $1 = sprintf("%.20f", t/1048576 + shift) }
    { print }'
}
# example FOLDER SHIFT TO: its files with the data moved; the time in its models is moved along.
example() {
  mkdir -p "$3"
  cp "$examples/$1"/*.yaml "$3"
  local f
  for f in "$examples/$1"/*.csv; do moved "$2" <"$f" >"$3/${f##*/}"; done
  for f in "$examples/$1"/*.mo; do sed "s/\\btime\\b/(time - ($2))/g" "$f" >"$3/${f##*/}"; done
}
# What a fit gives, without seconds and the times of the data.
facts() { grep -v -e '"seconds"' -e '"sha256"' "$1" | sed 's/"start": [-0-9.]*, "stop": [-0-9.]*//; s/"time_origin": "[^"]*", "epoch_unit": "s", //'; grep -o '"steps": [0-9]*' "$1"; }
same_fit() { # same_fit FOLDER FOLDER PROBLEM [FLAG ...]
  local a=$1 b=$2 problem=$3
  shift 3
  (cd "$a" && "$ENTRAIN" fit "$problem" --threads 1 --json o.json "$@") >out 2>err
  local first=$?
  (cd "$b" && "$ENTRAIN" fit "$problem" --threads 1 --json o.json "$@") >out 2>err
  code=$?
  [[ $code -eq $first ]] || wrong "exit status $code, $first at 0"
  [[ -s $a/o.json ]] || wrong "there is no result"
  facts "$a/o.json" >facts.a; facts "$b/o.json" >facts.b
  diff facts.a facts.b >difference && return
  # Numbers at time 0 of the model text choose among equivalent constraints: there steps and last digits may differ.
  grep -q '"invariant"' facts.a || { wrong "$(head -n 6 difference)"; return; }
  # So may the steps that searches take; probabilities and correlations of residuals magnify last digits, and the gradient at a minimum is nothing else.
  sed -i '/"solver"\|"gradient"\|"work"\|"steps"\|"message"\|"end"\|"lambda"\|"stages"\|"simulations"/d; s/"[a-z0-9]*_p": [^,]*,//g; s/"[a-z]*correlation": [^,}]*//g' facts.a facts.b
  "$numdiff" -t 1e-6 facts.a facts.b >difference || wrong "$(head -n 6 difference)"
}

shift=1672884000
for name in pendulum/problem pendulum/noisy two_dof/problem single_well/problem frewin_correct/load_cell slider_crank/accelerometer \
  parallelogram/problem four_bar/problem double_hump/problem arctan_oscillator/problem; do
  it "the example $name is fitted as it is from 0"
  example "${name%/*}" 0 at0
  example "${name%/*}" $shift later
  same_fit at0 later "${name#*/}.yaml"
  rm -rf at0 later
done

# ---------------------------------------------------------------- inputs, delays, windows, events

mkdir at0 later before
cat >forced.mo <<'END_MODEL'
model Forced
  parameter Real k = 4, d = 0.3, a = 1, zero = 0;
  input Real u = 0;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), z, y;
equation
  der(x) = v;
  der(v) = -k*x - d*v + a*u + 0.3*sin(2*(time - zero));
  z + 0.1*z^3 = x + (if time - zero > 3 then 0.1 else 0);
  y = z + 0.1*u;
end Forced;
END_MODEL
awk 'BEGIN { srand(1); print "t,y,x,u"; t = 0
  for (i = 0; i < 120; i++) {
    y = exp(-0.15*t)*cos(2*t) + 0.2*sin(t)
    printf "%.9f,%s,%.6f,%.6f\n", t, i % 17 == 5 ? "" : sprintf("%.6f", y + 0.02*rand()), y + 0.02*rand(), sin(0.7*t) + (i > 60)
    t += 0.05 + 0.02*rand()
  } }' >forced.csv
# forced FOLDER ZERO INTERPOLATION WINDOW: a problem whose time has this zero
forced() {
  cp forced.mo "$1"
  moved "$2" <forced.csv >"$1/forced.csv"
  cat >"$1/forced.yaml" <<END_PROBLEM
model: forced.mo
experiments:
  - data: forced.csv
    time: t
    set: {zero: $2}
    window: $4
    interpolation: $3
    measure: {y: {column: y, delay: estimate}, x: {column: x}}
estimate:
  k: {start: 3.5, min: 1, max: 10}
  d: {start: 0.2, min: 0, max: 2}
  a: {start: 0.5, min: -3, max: 3}
END_PROBLEM
}
for kind in hold linear spline; do
  for window in "0, 8" "2, 6"; do
    it "inputs by $kind in the window from $window"
    forced at0 0 $kind "[$window]"
    forced later $shift $kind "[$((shift + ${window%,*})), $((shift + ${window#*, }))]"
    same_fit at0 later forced.yaml --method lm
    it "and before 1970"
    forced before -$shift $kind "[$((-shift + ${window%,*})), $((-shift + ${window#*, }))]"
    same_fit at0 before forced.yaml --method lm
  done
done
forced at0 0 linear "[0, 8]"
forced later $shift linear "[$shift, $((shift + 8))]"
for method in homotopy newton sqp "portfolio(homotopy, lm)" de; do
  it "by $method"
  same_fit at0 later forced.yaml --method "$method" --max_simulations 600
done
for flags in "--solver bdf" "--solver rosenbrock" "--solver adams" "--criterion integral" "--jit off"; do
  it "with $flags"
  same_fit at0 later forced.yaml --method lm $flags
done

# ---------------------------------------------------------------- what is printed

cd later || exit 1
it "check simulates and tells times apart"
run check forced.yaml
status 0; no_err
from=$(awk -F, 'NR == 2 { print $1 }' forced.csv)
out "samples from ${from%.*} to 16728840"; out "The model can be simulated"
it "residuals have the times of the data"
run fit forced.yaml --method lm --residuals r.csv
status 0
diff <(awk -F, 'NR > 1 && $2 == "x" { printf "%.17g\n", $3 }' r.csv) \
  <(awk -F, 'NR > 1 && $1 <= 1672884008 { printf "%.17g\n", $1 }' forced.csv) >d ||
  wrong "$(head -n 4 d)"
it "the result has the begin and the end of the data"
run fit forced.yaml --method lm --json -
out '"start": 1672884000, "stop": 1672884007'
it "an empty window names times with all digits"
sed 's/window: .*/window: [1672890000.5, 1672891000]/' forced.yaml >empty.yaml
run check empty.yaml
status 2; err "window from 1672890000.5 to 1672891000"; err "are from 1672884000 to 16728840"
cd .. || exit 1

it "simulates from any start"
run simulate forced.mo --set zero=$shift --start $shift --stop $((shift + 5)) --step 0.5 --variables x
status 0; no_err; lines 12; out "^1672884000.5,"
tail -n +2 out | cut -d, -f2 >later.txt
run simulate forced.mo --stop 5 --step 0.5 --variables x
holds diff <(tail -n +2 out | cut -d, -f2) later.txt
it "says where a simulation ended"
printf 'model E\n  Real x(start = 0.8, fixed = true);\nequation\n  der(x) = x^2;\nend E;\n' >e.mo
run simulate e.mo --start $shift --stop $((shift + 3)) --rel_tol 1e-9
status 1; err "t = 1672884001.2"
it "plots with times that differ"
run simulate e.mo --start $shift --stop $((shift + 1)) --plot
out "1672884000[.][2-8]"

# ---------------------------------------------------------------- a time as unknown

cat >leak.mo <<'END_MODEL'
model Leak
  parameter Real t0 = 3, k = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = if time > t0 then -k*x else 0;
end Leak;
END_MODEL
leak() { # leak ZERO
  awk -v zero="$1" 'BEGIN { srand(2); print "t,x"
    for (i = 0; i < 100; i++) { t = i/16; printf "%.17g,%.6f\n", t + zero, (t < 2.7 ? 1 : exp(-0.8*(t - 2.7))) + 0.01*(rand() - 0.5) } }' >leak.csv
  cat >leak.yaml <<END_PROBLEM
model: leak.mo
experiments: {data: leak.csv, time: t, measure: [x]}
estimate:
  t0: {start: $(($1 + 3)), min: $1, max: $(($1 + 6))}
  k: {start: 1.2, min: 0, max: 5}
END_PROBLEM
}
for method in auto lm gauss-newton "lm --derivatives central"; do
  it "the time of an event is estimated by $method as it is from 0"
  leak 0
  run fit leak.yaml --method $method
  status 0
  row=$(grep "^  k  " out) time=$(grep "^  t0 " out | awk '{ print $2, $3 }')
  leak $shift
  run fit leak.yaml --method $method
  status 0; out "certain"
  [[ $(grep "^  t0 " out | awk '{ print $2, $3 }') == "167288400$time" ]] || wrong "$(grep "^  t0 " out), not $time later"
  [[ $(grep "^  k  " out | tr -s ' ') == $(tr -s ' ' <<<"$row") ]] || wrong "$(grep "^  k  " out), not $row"
done

# ---------------------------------------------------------------- numbers that are too close

it "says why numbers of ns cannot be told apart, if they are not times since 1970"
printf 't,x\n' >ns.csv
for i in 0 1 2 3 4; do echo "17000000000000000${i}0,1" >>ns.csv; done
printf 'model: decay.mo\nexperiments: {data: ns.csv, time: {column: t, epoch: false}, measure: [x]}\nestimate: {k: {start: 1, min: 0, max: 9}}\n' >ns.yaml
run check ns.yaml
status 2; err "ns.csv:3"; err "must differ by"; err "subtract a constant"
it "takes ns since 1970 exactly, and says so"
sed 's/, epoch: false/, unit: ns, epoch: true/' ns.yaml >exact.yaml
run check exact.yaml
no_err
sed 's/{column: t, epoch: false}/t/' ns.yaml >said.yaml
run check said.yaml
err "said.yaml:2:35: warning: the times in column 't' are taken as ns since 1970: they count from 2023-11-14T22:13:20Z, in s; write time: {column: t, unit: ns, epoch: true} if that is right, else epoch: false"
for unit in s ms us ns; do
  it "fits times in $unit since 1970 as those from 0"
  python3 - $unit <<'END_PYTHON'
import math, sys
unit = sys.argv[1]
parts = {'s': 9, 'ms': 6, 'us': 3, 'ns': 0}[unit]
with open('epoch.csv', 'w') as epoch, open('plain.csv', 'w') as plain:
    for f in epoch, plain: f.write('t,x\n')
    for i in range(40):
        ns = 70000001 * i if unit == 'ns' else 70000000 * i
        x = math.exp(-0.3e-9*ns) + 0.01*math.sin(37*i*i)
        text = str(1700000000 * 10**9 + ns)
        text = text[:len(text) - parts] + ('.' + text[len(text) - parts:] if parts == 9 else '')
        epoch.write(f'{text},{x:.17g}\n'), plain.write(f'{ns/1e9:.17g},{x:.17g}\n')
END_PYTHON
  printf "model: decay.mo\nexperiments: {data: epoch.csv, name: a, time: {unit: $unit, epoch: true}, measure: [x], window: [0.14, ~]}\nestimate: {k: 1}\n" >epoch.yaml
  sed "s/epoch.csv/plain.csv/; s/{unit: $unit, epoch: true}/t/" epoch.yaml >plain.yaml
  run fit epoch.yaml --json epoch.json; status 0; no_err
  out "Times count from 2023-11-14T22:13:20Z (times since 1970 in $unit)"
  run fit plain.yaml --json plain.json; status 0
  json epoch.json "d['experiments'][0]['time_origin'] == '2023-11-14T22:13:20Z' and d['experiments'][0]['epoch_unit'] == '$unit' and d['experiments'][0]['start'] == 0.14"
  json epoch.json "d['parameters'] == json.load(open('plain.json'))['parameters'] and d['channels'] == json.load(open('plain.json'))['channels']"
done
it "takes windows in the unit of the column and as times of day, too"
sed 's/0.14, ~/1700000000140000000, 1700000001000000000/' epoch.yaml >wide.yaml
run fit wide.yaml --json a.json; status 0
sed 's/0.14, ~/0.14, 2023-11-14T22:13:21Z/' epoch.yaml >day.yaml
run fit day.yaml --json b.json; status 0
json a.json "d['channels'] == json.load(open('b.json'))['channels'] and d['channels'][0]['n'] == 13"
