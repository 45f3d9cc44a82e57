# Equations with several solutions: which one is shown depends on the start values and on the motion alone.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

last() { tail -n 1 out; }
model() { printf 'model M\n%s\nend M;\n' "$1" >m.mo; }

cubic='parameter Real k = 0.3; Real x(start = 0, fixed = true); Real y(start = 1); equation der(x) = 1; y^3 - y = k*sin(9*x);'
line='Real y(start = -1), b(start = 0); equation y*sin(7*time) = b*cos(7*time); y^2 + b^2 = 1;'
inside='parameter Real k = 0.3; Real x(start = 0.5, fixed = true); Real y(start = -1); equation der(x) = -x + k*cos(5*time)*y; y^2 = 1 + x;'
for text in "$cubic" "$line" "$inside"; do
  model "$text"
  for solver in auto rk5 bdf rosenbrock; do
    it "a result does not depend on the output grid ($solver): ${text: -30}"
    run simulate m.mo --solver $solver --times 0,5; status 0; last >expected
    for grid in "--stop 5 --step 0.05" "--stop 5 --step 2" "--times 0.1,0.11,4.7,5"; do
      run simulate m.mo --solver $solver $grid; status 0; last >found; holds cmp found expected
    done
    it "nor on whether it is machine code ($solver): ${text: -30}"
    run simulate m.mo --solver $solver --times 0,5 --jit off; status 0; last >found; holds cmp found expected
  done
done

for y in 1 2 3; do
  it "start values that solve the equations are kept: $y"
  model "Real y(start = $y); equation (y - 1)*(y - 2)*(y - 3) = 0;"
  run simulate m.mo --times 0,1; status 0; out "^0,$y$"; out "^1,$y$"
done
it "also where another variable is iterated on"
model 'Real z, y(start = 1); equation y*z = 2; y + z = 3;'
run simulate m.mo --times 0,1 --variables y; status 0; out "^0,1$"; out "^1,1$"

it "a fit finds the same with any number of threads and lanes"
model "$cubic"
run simulate m.mo --stop 2 --step 0.1 --set k=0.2 --variables y -o data.csv; status 0
printf 'model: m.mo\nexperiments:\n  - data: data.csv\n    measure: {y: y}\nestimate:\n  k: {start: 0.33, min: 0, max: 0.38}\n' >p.yaml
for method in lm "multistart(lm, 4)"; do
  for how in "-j 1 --lanes off" "-j 2 --lanes off" "-j 2 --lanes auto"; do
    run fit p.yaml $how --method "$method" --json fit.json; status 0
    json fit.json "abs(d['parameters'][0]['value'] - 0.2) < 1e-6"
  done
done
