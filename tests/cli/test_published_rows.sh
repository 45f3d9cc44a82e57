# Figures that were published for the engine mount, evaluated on data as dense as the paper's: too large to be kept as an
# example. Half the sum of the squared errors at the rows of table 6; 124 and 1.2e-10 are printed there.
source "$(dirname "$0")/lib.sh"

cp "$models/mount_published.mo" .
cat >rows.yaml <<'END'
model: mount_published.mo
experiments: {data: sweep.csv, measure: [x1]}
estimate: {dH2: {}, cE1: {}, cE2: {}, dE: {}}
method: gauss-newton
options: {rel_tol: 1e-11, abs_tol: 1e-13, max_iterations: 1}
END

objective_at() { # objective_at START EXPECTED RELATIVE
  run fit rows.yaml --start "$1" --json -
  awk -v wanted="$2" -v tol="$3" -F '[:,]' '/"objective_start"/ { d = $2/wanted - 1; found = d < tol && -d < tol } END { exit !found }' out ||
    wrong "objective_start is not $2: $(grep objective_start out)"
}

it "data of 200001 samples"
run simulate mount_published.mo --stop 5 --step 2.5e-5 --variables x1 --rel_tol 1e-11 --abs_tol 1e-13 -o sweep.csv
status 0
holds test "$(wc -l <sweep.csv)" = 200002
it "the row of the genetic algorithm"
objective_at dH2=1.598e-2,cE1=114.4,cE2=3.484,dE=4.005e-3 125.61 8e-4
it "the row of the PD controller"
objective_at dH2=3.563e-8,cE1=123,cE2=2.5,dE=5e-3 1.440e-10 0.02
it "the row of the PID controller"
objective_at dH2=3.118e-8,cE1=123,cE2=2.5,dE=5e-3 1.084e-10 0.02
