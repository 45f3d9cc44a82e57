# Fits of models with quantities that are constant between events.
source "$(dirname "$0")/lib.sh"

near() { # near NAME VALUE RELATIVE: the estimate in the JSON
  awk -v wanted="$2" -v tol="$3" -v key="\"$1\", \"value\": " '
    { at = index($0, key); if (at) { split(substr($0, at + length(key)), part, /[,}]/); d = part[1]/wanted - 1; found = d < tol && -d < tol } }
    END { exit !found }' out || wrong "$1 is not $2: $(grep -o "\"$1\", \"value\": [^,]*" out | head -n 1)"
}

# A pump runs in every second hour: on for odd floor(time). dh/dt = q on - k h has the exact solution below, q = 3, k = 0.7.
cat >pump.mo <<'END_MODEL'
model Pump
  parameter Real q = 1, k = 1;
  Real h(start = 0.5, fixed = true);
  Real on = if mod(floor(time), 2) >= 1 then 1 else 0;
equation
  der(h) = q*on - k*h;
end Pump;
END_MODEL
awk 'BEGIN {
  print "t,h"; q = 3; k = 0.7; h = 0.5
  for (i = 0; i <= 400; i++) {
    printf "%.10g,%.15g\n", i/40, h
    rest = int(i/40) % 2 ? q/k : 0
    h = rest + (h - rest)*exp(-k/40)
  }
}' >pump.csv
printf 'model: pump.mo\nexperiments: {data: pump.csv, measure: [h]}\nestimate: {q: {start: 0.5, min: 0.01, max: 100}, k: {start: 5, min: 0.01, max: 50}}\n' >pump.yaml
for method in auto lm homotopy; do
  it "a pump that a counter switches is identified by $method"
  run fit pump.yaml --method $method --json -
  near q 3 1e-6; near k 0.7 1e-6
done

# The time of switching is estimated, too: the level jumps onto the limit of a relation there.
cat >valve.mo <<'END_MODEL'
model Valve
  parameter Real opens = 1, q = 1;
  Real h(start = 0, fixed = true);
  Real step = if time > opens then 1 else 0;
  Boolean open = step >= 1;
equation
  der(h) = (if open then q else 0) - h;
end Valve;
END_MODEL
awk 'BEGIN { print "t,h"; for (i = 0; i <= 200; i++) { t = i/40; printf "%.10g,%.15g\n", t, (t > 1.73 ? 2.5*(1 - exp(1.73 - t)) : 0) } }' >valve.csv
printf 'model: valve.mo\nexperiments: {data: valve.csv, measure: [h]}\nestimate: {opens: {start: 0.6, min: 0, max: 4}, q: {start: 1, min: 0.01, max: 50}}\n' >valve.yaml
it "the time at which a chain of relations switches is identified"
run fit valve.yaml --json -
near opens 1.73 1e-6; near q 2.5 1e-6

cat >many.mo <<'END_MODEL'
model Many
  parameter Real a = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = a*sign(sin(1000*time));
end Many;
END_MODEL
printf 't,x\n0,0\n2,0.002\n4,0.0019\n' >many.csv
printf 'model: many.mo\nexperiments: {data: many.csv, measure: [x]}\nestimate: {a: {start: 0.5, min: 0, max: 4}}\n' >many.yaml
it "check and fit name a relation that switches all the time"
run check many.yaml
out "sign(sin(1000\*time))' (line 5) switched"
run fit many.yaml --method lm
out "sign(sin(1000\*time))' (line 5)"
