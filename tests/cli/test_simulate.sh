# What a simulation writes, and where.
source "$(dirname "$0")/lib.sh"

value() { awk -F, -v row="$1" -v column="$2" 'NR == row + 1 { print $column }' out; }
near() { awk -v a="$1" -v b="$2" -v tol="$3" 'BEGIN { d = a - b; exit !(d <= tol && -d <= tol) }' || wrong "$1 is not $2"; }

it "rows are CSV with a header, time first"
run simulate decay.mo --stop 1 --step 0.25; status 0; no_err; lines 6; out "^time,x,y$"; out "^0,1,2$"
it "the numbers are right"
near "$(value 5 1)" 1 0; near "$(value 5 2)" 0.36787944117144233 1e-6; near "$(value 5 3)" 0.7357588823428847 2e-6
it "500 intervals without --step"
run simulate decay.mo --stop 3; status 0; lines 502
it "the end is a row even when the step does not fit"
run simulate decay.mo --stop 1 --step 0.3; status 0; out "^1,"; lines 6
it "--times are the rows"
run simulate decay.mo --times 0.5,1,4; status 0; lines 4; out "^0.5,"; out "^4,"
it "--times from a file with comments"
printf '# times\n0.5 1\n4 # last\n' >times; cp out expected; run simulate decay.mo --times @times; status 0; holds cmp out expected
it "a negative start"
run simulate decay.mo --start -1 --stop 1 --step 1; status 0; lines 4; out "^-1,1,2$"
it "flags may stand before the model and carry ="
run simulate --stop=1 --step=1 decay.mo; status 0; lines 3
it "--variables selects and orders the columns"
run simulate decay.mo --variables y,x --stop 1 --step 1; status 0; out "^time,y,x$"; out "^0,2,1$"
it "--sensitivities adds columns dx/dp that are the derivatives"
run simulate decay.mo --sensitivities k --stop 1 --step 1 --rel_tol 1e-9; status 0; out "^time,x,y,dx/dk,dy/dk$"
near "$(value 2 4)" -0.36787944117144233 1e-6
it "--second_order adds columns d2x/dpdq"
run simulate decay.mo --sensitivities k --second_order --stop 1 --step 1; status 0; out "^time,x,y,dx/dk,dy/dk,d2x/dkdk,d2y/dkdk$"
run simulate decay.mo --second_order; status 2; err "without --sensitivities"
it "--sensitivities without names means all parameters"
run simulate decay.mo --sensitivities --stop 1 --step 1; status 0; out "dx/dk"
it "--sensitivities before the model does not take it for a name"
run simulate --sensitivities decay.mo --stop 1 --step 1; status 0; out "dx/dk"
it "a sensitivity by a start value"
run simulate decay.mo --sensitivities x.start --stop 1 --step 1 --rel_tol 1e-9; status 0; near "$(value 2 4)" 0.36787944117144233 1e-6
for solver in auto rk5 rk8 rosenbrock bdf adams; do
  it "solver $solver agrees with the exact solution"
  run simulate decay.mo --solver $solver --stop 2 --step 1; status 0; no_err; near "$(value 3 2)" 0.1353352832366127 1e-5
done
it "the interpreter and the machine code agree to the last digit"
run simulate "$models/pendulum.mo" --stop 5 --jit off --sensitivities; status 0; cp out expected
run simulate "$models/pendulum.mo" --stop 5 --jit auto --sensitivities; status 0; holds cmp out expected
it "ENTRAIN_JIT=off is the same as --jit off"
ENTRAIN_JIT=off run simulate "$models/pendulum.mo" --stop 5 --sensitivities; status 0; holds cmp out expected
it "-o writes the file and nothing else"
run simulate decay.mo --stop 1 -o rows.csv; status 0; no_out; no_err; holds grep -q '^time,x,y$' rows.csv
it "-o leaves no temporary file behind"
holds test "$(ls rows.csv* | wc -l)" = 1
it "-o keeps the mode of a file and the target of a link"
: >real.csv; chmod 640 real.csv; ln -s real.csv link.csv; run simulate decay.mo -o link.csv; status 0
holds test -L link.csv; holds test "$(stat -c %a real.csv)" = 640; holds grep -q time real.csv
it "-o into a directory that does not exist is told and nothing is written"
run simulate decay.mo -o absent/rows.csv; status 2; no_out; err "absent/rows.csv"
it "-o onto a directory is refused"
run simulate decay.mo -o .; status 2; err "directory"
it "a failed run leaves the old file as it was"
echo old >kept.csv; run simulate decay.mo --set zz=1 -o kept.csv; status 2; holds grep -q old kept.csv
it "what is read is not written over, under no name"
cp decay.mo own.mo; ln -s own.mo alias.mo; run simulate own.mo -o ./alias.mo; status 2; no_out; err "overwrite 'own.mo'"
run simulate own.mo --json own.mo; status 2; holds cmp own.mo decay.mo
echo 0.5 >own.times; run simulate own.mo --times @own.times -o own.times; status 2; holds grep -qx 0.5 own.times
it "two results do not go to one place"
run simulate decay.mo -o one --json one; status 2; no_out; err "cannot both be 'one'"; holds test ! -e one
run simulate decay.mo --plot --json -; status 2; no_out; err "standard output"
it "devices and standard input are no such place"
run simulate decay.mo -o /dev/null --json /dev/null; status 0; no_out; no_err
"$ENTRAIN" simulate - -o - --step 1 <decay.mo >out 2>err; code=$?; status 0; lines 3
it "a full disk is reported"
run simulate decay.mo -o /dev/full; status 2; err "No space left"
it "a full standard output is reported"
"$ENTRAIN" simulate decay.mo >/dev/full 2>err; code=$?; status 2; err "No space left"
it "a reader that goes away ends it quietly"
"$ENTRAIN" simulate decay.mo --step 1e-5 2>err | head -n 1 >out; code=${PIPESTATUS[0]}; status 0; lines 1; no_err
it "--json holds rows and outcome"
run simulate decay.mo --stop 1 --step 1 --json -; status 0; out '"outcome"'; out 'reached-end'; out '"time"'
it "--json is valid"
if command -v python3 >/dev/null; then holds python3 -m json.tool out; fi
it "--json into a file leaves the rows on standard output"
run simulate decay.mo --stop 1 --step 1 --json result.json; status 0; lines 3; holds test -s result.json
it "--plot draws instead of writing rows"
run simulate decay.mo --stop 1 --plot; status 0; no_err; out "time"; out "┤"; holds test "$(grep -c '^time,' out)" = 0
it "--plot has no colours when it is not on a terminal"
holds test "$(grep -c $'\033' out)" = 0
it "--plot with -o does both"
run simulate decay.mo --stop 1 --plot -o both.csv; status 0; out "┤"; holds grep -q '^time,x,y$' both.csv
it "--stats tells the work on standard error"
run simulate decay.mo --stats; status 0; err "steps"; out "^time"

cat >blowup.mo <<'END'
model Blowup
  Real x(start = 1, fixed = true);
equation
  der(x) = x^2;
end Blowup;
END
it "a solution that ends is an outcome: exit status 1, the rows that were reached, the reason"
run simulate blowup.mo --stop 2 --step 0.25; status 1; out "^time,x$"; out "^0.75,"; err "did not reach its end"
it "no row holds a number that is not finite"
holds test "$(grep -c -i -e nan -e inf out)" = 0
it "the file is written in that case, too"
run simulate blowup.mo --stop 2 --step 0.25 -o part.csv; status 1; no_out; holds grep -q '^0.5,' part.csv
it "giving up after max_steps is an outcome"
run simulate "$models/pendulum.mo" --stop 1000 --max_steps 10; status 1; err "too-many-steps"

it "ends where an assert of a function fails"
cat > root.mo <<'M'
model M
  function root
    input Real u;
    output Real y;
  algorithm
    assert(u >= 0, "negative");
    y := sqrt(max(u, 0));
  end root;
  Real x = root(1 - time);
end M;
M
run simulate root.mo --times 0,1,2; status 1; out "^1,0$"; err "(assertion), 2 rows were computed: at t = 2 the condition of assert in root.mo:6"; err "negative"

it "a value outside its bounds is a warning"
run simulate "$models/pendulum.mo" --set p=-5 --stop 1 --step 1
status 0; err "warning: p = -5 is below its min 0.1"; lines 3

it "a Boolean parameter has no derivative"
printf 'model B parameter Boolean on = true; parameter Real k = 1; Real x(start = 1, fixed = true);\nequation\n  der(x) = if on then -k*x else 0;\nend B;\n' >boolean.mo
run simulate boolean.mo --stop 1 --step 1 --sensitivities
status 0; out "^time,x,dx/dk$"
run simulate boolean.mo --stop 1 --step 1 --sensitivities on
status 2; err "on is not a Real parameter"; no_out

it "sensitivities through the default of an input are refused, not 0"
printf 'model D parameter Real r = 2; input Real u = 2*r; Real x(start = 0, fixed = true);\nequation\n  der(x) = u - x;\nend D;\n' >default.mo
run simulate default.mo --stop 1 --step 1 --sensitivities
status 2; err "the default of the input u depends on parameters"; no_out

it "max_events ends with an outcome of its own"
printf 'model E Real x(start = 0, fixed = true);\nequation\n  der(x) = floor(1000*time);\nend E;\n' >events.mo
run simulate events.mo --stop 2 --step 1 --max_events 100
status 1; err "too-many-events"; err "raise max_events"
cat >rod.mo <<'END'
model Rod
  parameter Real L = 1;
  Real x(start = 0.6, fixed = true), y(start = -1), vx, vy, F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = L^2;
end Rod;
END
it "a run of a model with constraints tells how well they hold"
run simulate rod.mo --stop 2 --step 1; status 0; err "^entrain: the constraints hold to .* (worst: line 9"; lines 4
it "with sensitivities, how well theirs hold"
run simulate rod.mo --stop 2 --step 1 --sensitivities; status 0; err "their sensitivities to"
it "--json has every invariant"
run simulate rod.mo --stop 2 --step 1 --sensitivities --json j.json -o /dev/null; status 0
holds grep -q '"invariants": \[{"line": 9, "differentiated": 0, "violation": .*{"line": 9, "differentiated": 1, "violation": .*"violation_sens"' j.json
if command -v python3 >/dev/null; then holds python3 -c "
import json
for v in json.load(open('j.json'))['invariants']: assert v['violation'] < 1e-6 and v['violation_sens'] < 1e-5, v"; fi
it "--json of other models has none"
run simulate decay.mo --stop 1 --json -; status 0; no_err; out '"invariants": \[\]'
it "a redundant constraint is noted once"
sed 's/vy, F;/vy, F, G;/; s/-F\*/-(F + G)*/; s/  x^2 + y^2 = L^2;/&\n&/' rod.mo >twice.mo
run simulate twice.mo --stop 1 --step 1; status 0; holds test "$(grep -c 'line 10 follows from the others' err)" -eq 1
it "start values that contradict a constraint end with the constraint and the difference"
sed 's/y(start = -1)/y(start = -1, fixed = true)/' rod.mo >fixed.mo
run simulate fixed.mo --stop 1; status 1; lines 1; err "no-start"; err "line 9"; err "0.36"
for index in stabilise project direct; do
  it "index $index gives the energy back"
  run simulate rod.mo --stop 5 --step 5 --index $index --rel_tol 1e-9; status 0
  near "$(awk -F, 'NR == 3 { print 0.5*($4*$4 + $5*$5) + 9.81*$3 }' out)" -7.848 1e-4
done
it "a constraint whose branches do not meet smoothly ends where they meet"
printf 'model K\n  Real x(start = 1), v, f;\nequation\n  der(x) = v;\n  der(v) = f;\n  x = abs(time - 1);\nend K;\n' >kink.mo
run simulate kink.mo --stop 2 --step 0.5; status 1; err "not-computable"; err "line 6"; err "at t = 1 "
it "a prescribed position from data needs a smooth curve"
printf 'model P\n  input Real s;\n  Real x, v, f;\nequation\n  der(x) = v;\n  der(v) = f;\n  x = s;\nend P;\n' >prescribed.mo
awk 'BEGIN { print "t,s"; for (i = 0; i <= 60; i++) print i/20 "," sin(i/20) }' >s.csv
run simulate prescribed.mo --inputs s.csv --stop 2 --step 1; status 1; err "its interpolation must be spline"
run simulate prescribed.mo --inputs s.csv --stop 2 --step 1 --interpolation spline; status 0; near "$(value 2 4)" -0.8414710 1e-3
it "--quantum rounds, without noise too"
run simulate decay.mo --stop 1 --step 0.1 --variables x; cp out exact.csv; run simulate decay.mo --stop 1 --step 0.1 --variables x --quantum 0.25; status 0; no_err
holds awk -F, 'NR == FNR { x[FNR] = $2; next } FNR > 1 { d = $2 - x[FNR]; if (d*d > 0.125^2 + 1e-9 || $2*4 != int($2*4)) exit 1 }' exact.csv out
run simulate decay.mo --seed 3; status 2; err "seed has no effect without --noise"
