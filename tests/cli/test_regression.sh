# Models without states: ordinary regression. Everything that works for motion works for them.
source "$(dirname "$0")/lib.sh"

# Misra1a of NIST's reference data sets; certified: b1 = 238.94212918, b2 = 5.5015643181E-04, standard errors 2.7070075241
# and 7.2668688436E-06. The rows are not in the order of x.
cat >misra1a.csv <<'END_DATA'
y,x
81.78,760.0
10.07,77.6
17.94,141.1
14.73,114.9
29.61,239.9
23.93,190.8
35.18,289.0
50.76,434.8
44.82,378.4
40.02,332.8
55.05,477.3
61.01,536.8
66.40,593.1
75.47,689.1
END_DATA
cat >rise.mo <<'END_MODEL'
model Rise "a rise that saturates"
  parameter Real b1 = 240, b2 = 0.0005;
  input Real x;
  Real y = b1*(1 - exp(-b2*x));
end Rise;
END_MODEL
cat >misra1a.yaml <<'END_PROBLEM'
model: rise.mo
experiments: {data: misra1a.csv, time: row, measure: [y]}
estimate: {b1: {start: 250, min: 1, max: 1000}, b2: {start: 0.0005, min: 1e-5, max: 0.01}}
END_PROBLEM

near() { # near KEY VALUE RELATIVE: the first number after the key in the JSON
  awk -v wanted="$2" -v tol="$3" -v key="$1" '
    { at = index($0, key); if (at && !done) { split(substr($0, at + length(key)), part, /[,}]/); d = part[1]/wanted - 1; found = d < tol && -d < tol; done = 1 } }
    END { exit !found }' out || wrong "$1 is not $2: $(grep -o "$1[^,]*" out | head -n 1)"
}

for method in auto homotopy lm lmder gauss-newton sqp newton; do
  it "fit by $method finds certified parameters"
  run fit misra1a.yaml --method "$method" --json -
  near '"b1", "value": ' 238.94212918 1e-6; near '"b2", "value": ' 5.5015643181E-04 1e-6
done
it "standard errors are the certified ones"
run fit misra1a.yaml --method lm --json -
status 0; near '"std_error": ' 2.7070075241 1e-5
it "a search from far away"
run fit misra1a.yaml --method lmder --start b1=500,b2=0.0001 --json -
status 0; near '"b1", "value": ' 238.94212918 1e-6
it "check"
run check misra1a.yaml
status 0; out "0 states"; out "14 samples from 1 to 14"
it "recover"
run recover misra1a.yaml --method lm --truth b1=239,b2=0.00055 --noise 0 --trials 5
status 0; out "5 of 5"
it "simulate, with x as input"
printf 'time,x\n0,0\n1,1000\n' >ramp.csv
run simulate rise.mo --inputs ramp.csv --step 0.5 --interpolation linear
status 0; lines 4; out "^1,94.4"
it "simulate, with time as x"
printf 'model Decay\n  parameter Real k = 2;\n  Real y = exp(-k*time);\nend Decay;\n' >decay.mo
run simulate decay.mo --times 0,1 --sensitivities k
status 0; out "^1,0.1353352832366127"; lines 3
