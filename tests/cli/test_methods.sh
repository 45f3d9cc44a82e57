# Lists for people: methods, options, the page about problem files; noise of simulate.
source "$(dirname "$0")/lib.sh"

it "methods lists names and meanings"
run methods; status 0; no_err; for m in auto homotopy weak lm lmder gauss-newton sqp newton newton-fd implicit-filtering nelder-mead bobyqa cobyla ga pso cma-es de multistart portfolio; do out "^  $m  "; done
holds test "$(grep -c "^  trust-region" out)" = 0; out "also accepted as trust-region"
it "options lists those of fits and of simulations in groups"
run options; status 0; out "^Options of a fit:"; out "^Options of a simulation:"; out "^  step_tol"; out "^  rel_tol"; tr -s " \n" " " <out >flat; holds grep -q "default: 1e-6, in a fit 1e-8" flat
it "the defaults that the help of fit shows are those of a fit"
run help fit; tr -s " \n" " " <out >flat; holds grep -q " rel_tol relative tolerance [^)]*default: 1e-8)" flat
it "help problem shows a problem file and commands that work"
cp "$models/pendulum.mo" .
run help problem; status 0; no_err; cp out help.txt
awk '/^  model:/ && !done { on = 1 } on && /^$/ { on = 0; done = 1 } on { print substr($0, 3) }' help.txt >problem.yaml
sed -n '/^  entrain simulate/,/swing.csv$/p' help.txt | sed "s|entrain|$ENTRAIN|" >make.sh
holds bash make.sh; holds grep -qx "time,angle" swing.csv
run check problem.yaml; status 0
run fit problem.yaml; status 0; out "converged and certain"
it "every key of help problem is understood"
cat >all.mo <<'END'
model All
  parameter Real m = 1; parameter Real c0 = 0.2; parameter Real k = 1; parameter Real c = 1; parameter Real d = 1;
  input Real u;
  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(x) = v; m*der(v) = u - k*x - c0*v*c - d*0;
end All;
END
awk 'BEGIN { print "t,force,x1,x2"; for (i = 0; i <= 100; i++) print i/10 "," sin(i/10) "," cos(i/9) "," 2*cos(i/8) }' >all.csv
cat >all.yaml <<'END'
model: all.mo
experiments:
  - data: all.csv
    name: swing
    time: t
    measure:
      x: x1
      x + c0*v:
        column: x2
        weight: 2
        sigma: 5%
        gain: {start: 1, min: 0.5, max: 2}
        offset: 0.3
    inputs: {u: force}
    interpolation: hold
    window: [0, 50]
    start: 0
    set: {m: 2}
estimate:
  k: {start: 2, scale: log, min: 0.01}
  c: {start: 1, prior: {mean: 3, sd: 0.5}}
  x.start: {start: 0, per_experiment: true}
  d: {start: 1, fixed: true}
gains: {x: {x: 10, v: 10}}
method: auto
criterion: sum
options: {rel_tol: 1e-9}
END
run check all.yaml; holds test "$code" -le 1; out "^Parameters at the start"; out "x.start\[swing\]"
for key in $(tr -c 'a-z_\n' ' ' <all.yaml | tr ' ' '\n' | grep -x 'name\|time\|measure\|column\|weight\|sigma\|gain\|offset\|inputs\|interpolation\|window\|set\|scale\|prior\|per_experiment\|fixed\|gains\|criterion' | sort -u); do
  holds grep -qw "$key" help.txt
done
it "no line of any help is wider than 80 columns but for command lines"
for name in "" fit check recover compare basin profile simulate info methods options help problem; do
  run help $name; status 0; holds awk '/^  entrain / { next } length > 80 { exit 1 }' out
done
it "an unknown topic gets the nearest one"
run help probelm; status 2; no_out; err "'problem'"

it "simulate is exact without --noise"
run simulate decay.mo --stop 1 --step 0.5; cp out exact; run simulate decay.mo --stop 1 --step 0.5; holds cmp out exact; out "^0,1,2$"
it "--noise changes the columns but not the time"
run simulate decay.mo --stop 1 --step 0.5 --noise 0.05; status 0; cut -d, -f1 exact >t1; cut -d, -f1 out >t2; holds cmp t1 t2; holds test "$(cmp -s out exact; echo $?)" = 1
it "the same seed gives the same noise, another one another"
cp out first; run simulate decay.mo --stop 1 --step 0.5 --noise 0.05 --seed 1; holds cmp out first
run simulate decay.mo --stop 1 --step 0.5 --noise 0.05 --seed 2; holds test "$(cmp -s out first; echo $?)" = 1
it "proportional noise is a share of each value, additive noise a share of their size"
run simulate decay.mo --stop 10 --step 0.001 --variables x --noise 0.1
holds awk -F, 'NR > 1 { r = $2*exp($1) - 1; s += r*r; n++ } END { s = sqrt(s/n); exit !(s > 0.097 && s < 0.103) }' out
run simulate decay.mo --stop 10 --step 0.001 --variables x --noise 0.1 --noise_kind additive
holds awk -F, 'NR > 1 { x = exp(-$1); r = $2 - x; s += r*r; m += x*x; n++ } END { s = sqrt(s/m); exit !(s > 0.097 && s < 0.103) }' out
it "sensitivities stay exact"
run simulate decay.mo --stop 1 --step 0.5 --sensitivities k --noise 0.5; cut -d, -f4 out >s1; run simulate decay.mo --stop 1 --step 0.5 --sensitivities k; cut -d, -f4 out >s2; holds cmp s1 s2
it "inputs and parameters stay exact: one file then serves as data and as input of a fit"
printf 'model Fed parameter Real k = 1; input Real u; Real x(start = 1, fixed = true); equation der(x) = u - k*x; end Fed;\n' >fed.mo
printf 'time,u\n0,1\n1,2\n2,0\n' >fed.csv
run simulate fed.mo -i fed.csv --stop 2 --step 0.5 --variables u,k,x; cut -d, -f1-3 out >c1; cut -d, -f4 out >x1
run simulate fed.mo -i fed.csv --stop 2 --step 0.5 --variables u,k,x --noise 0.5; cut -d, -f1-3 out >c2; cut -d, -f4 out >x2
holds cmp c1 c2; holds test "$(cmp -s x1 x2; echo $?)" = 1
it "a seed without noise is refused"
run simulate decay.mo --seed 3; status 2; no_out; err "without --noise"
it "wrong noise is refused"
run simulate decay.mo --noise -1; status 2; no_out; err "0 to 1e6"
run simulate decay.mo --noise 1 --noise_kind loud; status 2; err "additive"
run simulate decay.mo --noise 1 --noise_kind sigma; status 2; no_out; err "only recover reads"
it "an option of a fit is refused by simulate, and it says whose it is"
run simulate decay.mo --step_tol 1; status 2; no_out; err "fit, check, evaluate, recover"
