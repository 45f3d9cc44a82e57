# A small problem that the tests of fit, check and recover share: k = 2 is the truth, the data have 2 % noise.
valid_json() { # valid_json FILE
  if command -v python3 >/dev/null; then holds python3 -m json.tool "$1"; else echo "# no python3: $1 is not validated"; fi
}
# json FILE EXPRESSION: what Python says about the loaded object d
json() { if command -v python3 >/dev/null; then holds python3 -c "import json,sys; d=json.load(open('$1')); sys.exit(not ($2))"; fi; }
near() { awk -v a="$1" -v b="$2" -v tol="$3" 'BEGIN { d = a - b; exit !(d <= tol && -d <= tol) }' || wrong "$1 is not $2"; }

"$ENTRAIN" simulate decay.mo --set k=2 --stop 3 --step 0.05 --variables x --noise 0.02 --noise_kind additive -o decay.csv
cat >decay.yaml <<'END'
model: decay.mo
experiments:
  - data: decay.csv
    measure: {x: x}
estimate:
  k: {start: 0.5, min: 0.01, max: 50}
END
# A search that has no end of its own: nothing makes it certain, searches that agree do not count, and it may begin again a
# million times.
cat >endless.mo <<'END'
model Endless
  parameter Real a(min = 0, max = 100) = 1;
  parameter Real b(min = 0, max = 100) = 1;
  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(x) = v; der(v) = -a*x - b*x^3;
end Endless;
END
awk 'BEGIN { print "time,x"; for (i = 0; i <= 400; i++) { t = i/20; print t "," (int(t) % 3) + sin(t*t) } }' >endless.csv
cat >endless.yaml <<'END'
model: endless.mo
experiments: [{data: endless.csv, measure: {x: x}}]
estimate: {a: , b: }
options: {restarts: 1000000, max_simulations: 2000000000, confirm: off}
END
